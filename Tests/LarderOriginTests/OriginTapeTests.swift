// The stand-in plays a tape: by `Host`, by path prefix, or because the tape has one host.
import Glibc
import LarderCore
import LarderHTTP
import LarderOrigin
import LarderTape
import LarderTestSupport
import Testing

@Suite struct OriginTapeTests {
    private let directory = TemporaryDirectory()

    private func record(
        _ url: String, _ method: LarderCore.Method = .get, content: String = "", fields: HeaderFields = [:],
        status: Int = 200, answer: HeaderFields = ["Content-Type": "application/json"], body: String
    ) throws {
        let request = TapeRequest(
            method, try #require(HTTPURL(url)), fields: fields, content: Bytes(text: content))
        let exchange = TapeExchange(request, TapeAnswer(status: status, fields: answer, body: Bytes(text: body)))
        guard case .recorded = try Tape(path: directory.path).record(exchange) else {
            throw TapeFault(.invalid, url, "not recorded")
        }
    }

    private func withTape(_ body: (OriginServer) async throws -> Void) async throws {
        try await withOrigin(.recordings(folder: directory.path), rewrites: true, body)
    }

    @Test func aTapeOfOneHostAnswersAtTheRoot() async throws {
        let picture = #"{"image":"https://i.imgur.com/a.jpg"}"#
        try record("https://api.example.test/search?q=a", answer: ["X-Mine": "1"], body: picture)
        try await withTape { server in
            #expect(server.tape?.hosts == ["api.example.test"])
            let answer = try PlainClient.get(server, "/search?q=a")
            #expect(answer.status == 200 && answer.body.lossyText == picture)
            #expect(answer.fields.first("X-Mine") == "1")
            #expect(try PlainClient.get(server, "/api.example.test/search?q=a").status == 200)
        }
    }

    @Test func severalHostsAreToldApartByHostOrPath() async throws {
        for host in ["one", "two"] { try record("https://\(host).test/a", body: "\"\(host)\"") }
        try await withTape { server in
            for host in ["one", "two"] {
                #expect(try PlainClient.get(server, "/\(host).test/a").body.lossyText == "\"\(host)\"")
                let request = "GET /a HTTP/1.1\r\nHost: \(host.uppercased()).test\r\nConnection: close\r\n\r\n"
                let answer = PlainClient.parse(try PlainClient.exchange(server, Bytes(text: request)))
                #expect(answer.body.lossyText == "\"\(host)\"")
            }
            let unnamed = try PlainClient.get(server, "/a")
            #expect(unnamed.status == 504)
            let difference = try JSON.parse(unnamed.body)["differences"]?.elements.first { _ in true }
            #expect(difference?["place"]?.string == "host" && difference?["recorded"]?.string == "https://one.test")
        }
    }

    @Test func aMissNamesTheNearestRecordingAndWhatDiffers() async throws {
        try record("https://api.example.test/search?q=a", body: "{}")
        try await withTape { server in
            let miss = try PlainClient.get(server, "/search?q=b")
            #expect(miss.status == 504 && miss.fields.first("Content-Type") == "application/problem+json")
            let problem = try JSON.parse(miss.body)
            #expect(problem["status"]?.integer == 504)
            #expect(problem["nearest"]?.string?.hasPrefix("api.example.test-search-") == true)
            let difference = problem["differences"]?.elements.first { _ in true }
            #expect(difference?["place"]?.string == "parameter q")
            #expect(difference?["recorded"]?.string == "a" && difference?["now"]?.string == "b")
        }
    }

    @Test func everyMethodIsPlayedWithItsContent() async throws {
        // The stand-in takes this path for an upload if it plays no tape.
        try record(
            "https://api.example.test/3/image", .post, content: #"{"q":1}"#,
            fields: ["Content-Type": "application/json"], status: 201, body: #"{"made":1}"#)
        try record(
            "https://api.example.test/a", .head, answer: ["Content-Type": "text/plain", "Content-Length": "12"],
            body: "")
        try await withTape { server in
            let content = #"{ "q": 1 }"#
            let head = "POST /3/image HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
            let request = head + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
            let made = PlainClient.parse(try PlainClient.exchange(server, Bytes(text: request)))
            #expect(made.status == 201 && made.body.lossyText == #"{"made":1}"#)
            let told = try PlainClient.get(server, "/a", method: "HEAD")
            #expect(told.status == 200 && told.body.isEmpty && told.fields.first("Content-Length") == "12")
        }
    }

    @Test func aSeriesIsPlayedInOrderAndItsLastAnswerRepeats() async throws {
        for turn in 1...2 { try record("https://api.example.test/job", body: "\(turn)") }
        try await withTape { server in
            let bodies = try (0..<3).map { _ in try PlainClient.get(server, "/job").body.lossyText }
            #expect(bodies == ["1", "2", "2"])
        }
    }

    @Test func aTornFileIsNamedAndNotPlayed() async throws {
        try record("https://api.example.test/a", body: "{}")
        directory.write("torn-00000000-01.http", "GET")
        try await withTape { server in
            #expect(server.tape?.torn.count == 1)
            #expect(server.tape?.torn.first?.hasPrefix("torn-00000000-01.http:1: ") == true)
        }
    }

    @Test func aTapeWithWrongRulesIsRefusedWithTheirLine() throws {
        directory.write("tape.yaml", "version: 1\nrepeet: no\n")
        #expect { try OriginServer(source: .recordings(folder: directory.path)) } throws: { error in
            (error as? OriginError)?.description.contains("tape.yaml:2: ") == true
        }
    }
}
