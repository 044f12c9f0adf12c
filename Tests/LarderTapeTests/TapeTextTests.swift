// The text form of an exchange: exact, readable, and refused when it is torn.
import Glibc
import LarderCore
import LarderHTTP
import Testing

@testable import LarderTape

struct TapeTextTests {
    @Test func anExchangeIsReadAsItWasWritten() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        let written = try exchange(
            "https://api.example.test/v1/items", ["Content-Type": "application/json"], method: .post,
            content: #"{"b": 1}"#, status: 201, answer: ["Content-Type": "application/json", "ETag": "\"a\""])
        try tape.keep(written)
        #expect(try tape.load().recordings.map(\.exchange) == [written])
    }

    @Test func theTextIsWhatAPersonWouldExpect() throws {
        let ground = try Ground()
        let name = try ground.tape().keep(
            exchange(
                "https://api.example.test/x", ["Content-Type": "text/plain"], method: .post, content: "hello\n",
                answer: ["Content-Type": "text/plain"], body: "good"))
        #expect(
            try ground.read(name.file).lossyText == """
                POST https://api.example.test/x
                Content-Type: text/plain
                :content 6

                hello

                HTTP 200
                Content-Type: text/plain
                :body 4

                good
                :end

                """)
    }

    @Test(arguments: [
        "", "a", "a\n", "\n", "\n\n", "a\r\nb\r\n", ":end", "\n:end\n", "HTTP 200\n\n", "ü", "{\"a\": 1}\n", "\tx",
    ])
    func textKeepsEachByte(_ body: String) throws {
        let ground = try Ground()
        let tape = try ground.tape()
        try tape.keep(exchange(method: .post, content: body, body: body))
        let read = try #require(try tape.load().recordings.first).exchange
        #expect(read.answer.body == Bytes(text: body))
        #expect(read.request.content == Bytes(text: body))
    }

    @Test(arguments: [Bytes([0]), Bytes([0xFF, 0xFE]), Bytes([0x1B, 0x5B]), Bytes(repeating: 0x61, count: 70_000)])
    func binaryAndLongBodiesLieBeside(_ body: Bytes) throws {
        let ground = try Ground()
        let tape = try ground.tape()
        var written = try exchange()
        written.answer.body = body
        let name = try tape.keep(written)
        #expect(try ground.read("\(name).body") == body)
        #expect(try tape.load().recordings.first?.exchange.answer.body == body)
    }

    @Test func fieldBytesBeyondASCIIAreKept() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        let answer: HeaderFields = ["Content-Type": "text/plain", "X-Name": "caf\u{C3}\u{A9} \u{FF}", "X-Empty": ""]
        try tape.keep(exchange(answer: answer))
        #expect(try tape.load().recordings.first?.exchange.answer.fields == answer)
    }

    @Test func aTextCutAtAnyByteIsNamedAndNotReplayed() throws {
        let ground = try Ground()
        let name = try ground.tape().keep(
            exchange("https://api.example.test/x", ["Accept": "a/b"], method: .post, content: "one\ntwo", body: "{}\n"))
        let whole = try ground.read(name.file)
        for count in 0..<whole.count {
            let fault = #expect(throws: TapeFault.self) {
                try TapeTextReader.read(Bytes(whole.prefix(count)), name: name) { _ throws(TapeFault) in nil }
            }
            #expect(fault?.kind == .torn && fault?.file == name.file && fault?.line ?? 0 > 0)
        }
    }

    @Test func aChangedByteNeverGivesAnotherLength() throws {
        let ground = try Ground()
        let name = try ground.tape().keep(exchange(body: "{\"a\":1}"))
        let whole = try ground.read(name.file)
        for place in whole.indices {
            for byte in [0x0A, 0x20, 0x3A, 0x39] as Bytes where whole[place] != byte {
                var changed = whole
                changed[place] = byte
                let read = try? TapeTextReader.read(changed, name: name) { _ throws(TapeFault) in nil }
                // A byte within a text may be edited; a length may not become wrong.
                if let read { #expect([0, 7].contains(read.answer.body.count)) }
            }
        }
    }

    @Test func aTornFileLeavesTheOthersPlayable() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        let torn = try tape.keep(exchange("https://api.example.test/torn"))
        try tape.keep(exchange("https://api.example.test/whole"))
        try ground.write(torn.file, Bytes(ground.read(torn.file).dropLast(9)))
        let contents = try tape.load()
        #expect(contents.torn.map(\.file) == [torn.file])
        #expect(contents.recordings.map(\.exchange.request.url.target) == ["/whole"])
    }

    @Test func anEditedBodyIsToldWithBothLengths() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        let name = try tape.keep(exchange("https://a.test/", body: "{}"))
        try ground.write(name.file, ground.read(name.file).lossyText.replacing("{}", with: "{ }"))
        let fault = try #require(try tape.load().torn.first)
        #expect(fault.description == "\(name.file):6: 2 bytes must follow, as line 5 says, but 3 stand here")
    }

    @Test func aFileBesideThatWasChangedIsNamed() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        var written = try exchange()
        written.answer.body = [0, 1, 2]
        let name = try tape.keep(written)
        try ground.write("\(name).body", [0, 1, 3])
        #expect(try tape.load().torn.map(\.message).first?.contains("\(name).body is not the file") == true)
    }

    @Test func aFileBesideThatIsMissingIsNamed() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        var written = try exchange()
        written.answer.body = [0, 1, 2]
        let name = try tape.keep(written)
        #expect(unlink("\(ground.path)/\(name).body") == 0)
        #expect(try tape.load().torn.map(\.message) == ["there is no \(name).body"])
    }

    @Test(arguments: ["/etc/passwd", "../secret", "other-00000000-01.body"])
    func aTextCannotNameAnotherFile(_ file: String) throws {
        let ground = try Ground()
        let name = "api-00000000-01"
        try ground.write(
            "\(name).http",
            "GET https://api.example.test/\n\nHTTP 200\n:body 3 in \(file) sha256 0123456789abcdef\n\n:end\n")
        let contents = try ground.tape().load()
        #expect(contents.recordings.isEmpty)
        #expect(contents.torn.map(\.line) == [4])
    }
}

struct TapeNameTests {
    private func name(_ text: String) throws -> TapeName {
        let request = try asked(text)
        return TapeName(request: request, digest: Digest(of: []))
    }

    @Test func aNameTellsHostAndPath() throws {
        #expect(
            try name("https://API.example.test:8080/v1/Search?q=a").stem == "api.example.test-8080-v1-search-e3b0c442")
    }

    @Test(arguments: [
        "https://../../etc/passwd", "https://a.test/../../../etc/passwd", "https://a.test/%2e%2e%2f%00x",
        "https://a.test/.git/config", "https://a.test//etc/passwd", "https://-rf/",
        "https://a.test/" + String(repeating: "x", count: 9_000),
        "https://\(String(repeating: "y", count: 400)).test/", "https://a..b.test/", "https://[::1]/",
    ])
    func noRequestGivesANameThatLeavesTheFolder(_ text: String) throws {
        let made = try name(text)
        #expect(made.file.utf8.count < 200)
        #expect(
            !made.file.contains("/") && !made.file.hasPrefix(".") && !made.file.contains("..")
                && !made.file.hasPrefix("-"))
        #expect(TapeName(file: made.file) == made)
    }

    @Test(arguments: [
        "", "a", "a-1", "a-00", "../a-01", "/a-01", ".a-01", "a..b-01", "A-01", "a\0-01", "a-001", "ä-01",
    ])
    func noOtherTextIsAName(_ text: String) {
        #expect(TapeName(file: "\(text).http") == nil)
    }

    @Test func namesDoNotDependOnTheOrderOfRecording() throws {
        let exchanges = try ["a", "b", "c"].map { try exchange("https://api.example.test/search?q=\($0)") }
        let (one, other) = (try Ground(), try Ground())
        for exchange in exchanges { try one.tape().keep(exchange) }
        for exchange in exchanges.reversed() { try other.tape().keep(exchange) }
        #expect(one.files == other.files)
        for file in one.files { #expect(try one.read(file) == other.read(file)) }
    }

    @Test func answersThatVaryHaveNamesOfTheirOwn() throws {
        let ground = try Ground()
        let names = try ["de", "en"].map {
            try ground.tape().keep(
                exchange("https://a.test/", ["Accept-Language": $0], answer: ["Vary": "Accept-Language"], body: $0))
        }
        #expect(names.map(\.series) == [1, 1])
        #expect(names[0] != names[1])
    }
}
