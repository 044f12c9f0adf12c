// HTTP Archive 1.2, in and out.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderTape

struct HARTests {
    private func entry(_ request: String, _ answer: String) -> Bytes {
        Bytes(text: "{\"log\":{\"version\":\"1.2\",\"entries\":[{\"request\":{\(request)},\"response\":{\(answer)}}]}}")
    }

    private func imported(_ request: String, _ answer: String) throws -> TapeExchange {
        let archive = try HARImport(entry(request, answer), file: "a.har")
        #expect(archive.skipped.isEmpty)
        return try #require(archive.exchanges.first)
    }

    private static let get = #""method":"GET","url":"https://a.test/x?q=1#f","headers":[]"#
    private static let good = #""status":200,"headers":[],"content":{"size":2,"mimeType":"text/plain","text":"ok"}"#

    @Test func anEntryBecomesAnExchange() throws {
        let read = try imported(Self.get, Self.good)
        #expect(
            read == TapeExchange(try asked("https://a.test/x?q=1"), TapeAnswer(status: 200, body: Bytes(text: "ok"))))
    }

    @Test(arguments: ["AAEC/w==", "AAEC\\r\\n/w=="])
    func base64IsDecoded(_ text: String) throws {
        let read = try imported(Self.get, #""status":200,"content":{"text":"\#(text)","encoding":"base64"}"#)
        #expect(read.answer.body == [0, 1, 2, 255])
    }

    @Test func pseudoFieldsAndThoseOfCodingsAndConnectionsAreDropped() throws {
        let fields = [
            ":authority", ":path", "Content-Encoding", "content-length", "Connection", "Transfer-Encoding", "host",
        ]
        .map { #"{"name":"\#($0)","value":"1"}"# }.joined(separator: ",")
        let kept = #"{"name":"X-Kept","value":"1"}"#
        let read = try imported(
            #""method":"GET","url":"https://a.test/","headers":[\#(fields),\#(kept)]"#,
            #""status":200,"headers":[\#(fields),\#(kept)],"content":{"text":"ok"}"#)
        #expect(read.request.fields == ["X-Kept": "1"])
        #expect(read.answer.fields == ["X-Kept": "1"])
    }

    @Test func linesThatChromiumJoinsAreSeparated() throws {
        let read = try imported(Self.get, #""status":200,"headers":[{"name":"Link","value":"a\nb"}],"content":{}"#)
        #expect(read.answer.fields.all("Link") == ["a", "b"])
    }

    @Test func aFormByItsParametersIsEncoded() throws {
        let read = try imported(
            #""method":"POST","url":"https://a.test/","postData":{"mimeType":"application/x-www-form-urlencoded","#
                + #""params":[{"name":"a b","value":"c&d"}]}"#, Self.good)
        #expect(read.request.content.lossyText == "a%20b=c%26d")
    }

    @Test(arguments: [
        (#""url":"https://a.test/""#, good), (#""method":"GET","url":"file:///etc/passwd""#, good),
        (#""method":"GET /\n","url":"https://a.test/""#, good), (get, #""status":0"#), (get, #""status":"200""#),
        (get, #""status":200,"content":{"size":5}"#),
        (get, #""status":200,"content":{"text":"!","encoding":"base64"}"#),
        (get, #""status":200,"headers":[{"name":"a"}]"#),
    ])
    func anEntryThatLacksSomethingIsNamed(_ request: String, _ answer: String) throws {
        let archive = try HARImport(entry(request, answer), file: "a.har")
        #expect(archive.exchanges.isEmpty)
        #expect(archive.skipped.first?.hasPrefix("entry 1, ") == true)
    }

    @Test(arguments: [
        (#""status":204"#), (#""status":304,"content":{"size":10}"#), (#""status":200,"content":{"size":-1}"#),
    ])
    func anAnswerWithoutBodyIsImported(_ answer: String) throws {
        #expect(try imported(Self.get, answer).answer.body.isEmpty)
    }

    @Test func aSkippedEntryTellsNoParameters() throws {
        let archive = try HARImport(
            entry(#""method":"GET","url":"https://a.test/x?key=s3cr3t""#, "\"status\":0"), file: "")
        #expect(archive.skipped == ["entry 1, https://a.test/x: it was not answered"])
    }

    @Test(arguments: ["", "[]", "{}", "{\"log\":{}}", "{\"log\":{\"entries\":{}}}"])
    func whatIsNoArchiveIsRefused(_ text: String) {
        #expect(throws: TapeFault.self) { try HARImport(Bytes(text: text), file: "a.har") }
    }

    @Test func damagedJSONIsNamedWithItsLine() {
        let fault = #expect(throws: TapeFault.self) { try HARImport(Bytes(text: "{\n\"log\":\n!"), file: "a.har") }
        #expect(fault?.line == 3)
    }

    @Test func anArchiveCutAtAnyByteIsRefused() throws {
        let whole = entry(Self.get, Self.good)
        for count in 0..<whole.count {
            #expect(throws: TapeFault.self) { try HARImport(Bytes(whole.prefix(count)), file: "a.har") }
        }
    }

    @Test func aHostileURLStaysInTheFolder() throws {
        let ground = try Ground()
        let read = try imported(#""method":"GET","url":"https://../..%2f..%00/../../etc/passwd""#, Self.good)
        let name = try ground.tape().keep(read)
        #expect(ground.files.contains(name.file))
        #expect(try ground.tape().load().recordings.count == 1)
    }

    private func recordings() throws -> [TapeRecording] {
        let ground = try Ground()
        let tape = try ground.tape()
        try tape.keep(
            exchange(
                "https://a.test/x?a=1&b=%C3%A9", ["Content-Type": "application/json"], method: .post,
                content: "{\"ü\":1}",
                status: 201, answer: ["Content-Type": "text/plain", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"],
                body: "a\n\"é\"\u{1}\n"))
        var binary = try exchange("https://a.test/y", method: .put, answer: ["Location": "/z"])
        binary.request.content = [0xFF, 0]
        binary.answer.body = [0, 0xFE, 1]
        try tape.keep(binary)
        return try tape.load().recordings
    }

    private func export(_ recordings: [TapeRecording]) -> Bytes {
        HARExport.text(recordings, version: "1", now: WallTime(milliseconds: 0))
    }

    @Test func whatIsExportedIsImportedAsItWas() throws {
        let recordings = try recordings()
        let archive = try HARImport(export(recordings), file: "a.har")
        #expect(archive.skipped.isEmpty)
        #expect(archive.exchanges == recordings.map(\.exchange))
    }

    @Test func anExportHasAllMembersThatTheFormatDemands() throws {
        let log = try #require(try JSON.parse(export(recordings()))["log"])
        #expect(log["version"]?.string == "1.2")
        #expect(log["creator"]?["name"]?.string == "larder")
        #expect(log["creator"]?["version"]?.string == "1")
        let entry = try #require(log["entries"]?.elements.first { $0["request"]?["method"]?.string == "POST" })
        #expect(entry["startedDateTime"]?.string == "1994-11-06T08:49:37.000Z")
        #expect(Set(entry.members.map(\.name)).isSuperset(of: ["time", "request", "response", "cache", "timings"]))
        let request = try #require(entry["request"])
        let always: Set = ["httpVersion", "cookies", "headers", "headersSize", "bodySize"]
        #expect(
            Set(request.members.map(\.name)).isSuperset(of: always.union(["method", "url", "queryString", "postData"])))
        #expect(request["queryString"]?.elements.map { $0["value"]?.string } == ["1", "é"])
        let answer = try #require(entry["response"])
        #expect(
            Set(answer.members.map(\.name)).isSuperset(
                of: always.union(["status", "statusText", "content", "redirectURL"])))
        let (content, timings) = (try #require(answer["content"]), try #require(entry["timings"]))
        #expect(Set(content.members.map(\.name)).isSuperset(of: ["size", "mimeType", "text"]))
        #expect(Set(timings.members.map(\.name)).isSuperset(of: ["send", "wait", "receive"]))
    }

    @Test func anEmptyTapeIsAValidArchive() throws {
        #expect(try JSON.parse(export([]))["log"]?["entries"]?.count == 0)
    }
}
