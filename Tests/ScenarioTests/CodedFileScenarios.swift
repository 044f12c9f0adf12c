// A file that its origin labels with a content coding although none was asked for, such as a `.tar.gz`. A download that
// broke off and is resumed with a range must be the file, whoever stores it and whatever was stored before.
import Glibc
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct CodedFileScenarios {
    /// gzip of bytes that do not shrink. Ranges in its second half are asked for as ranges.
    static let file: Bytes? = try? ContentCoding.gzip(Film().bytes(0..<3 << 20))

    static func origin(_ control: String, _ file: Bytes) -> ScriptedOrigin {
        ScriptedOrigin { request in
            let head = "Cache-Control: \(control)\r\nETag: \"one\"\r\nContent-Encoding: gzip\r\n"
            guard let range = request.field("Range"), let start = Int(range.dropFirst(6).dropLast()) else {
                return [
                    .send("HTTP/1.1 200 OK\r\n\(head)Content-Length: \(file.count)\r\n\r\n"), .sendBytes(file),
                ]
            }
            let rest = Bytes(file[start...])
            let place = "Content-Range: bytes \(start)-\(file.count - 1)/\(file.count)\r\n"
            return [
                .send("HTTP/1.1 206 Partial Content\r\n\(head)\(place)Content-Length: \(rest.count)\r\n\r\n"),
                .sendBytes(rest),
            ]
        }
    }

    /// Without optimisation, a comparison of megabytes element by element takes seconds.
    static func isSame(_ one: Bytes, _ other: ArraySlice<UInt8>) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                guard one.count == other.count, let first = one.baseAddress, let second = other.baseAddress else {
                    return one.isEmpty && other.isEmpty
                }
                return memcmp(first, second, one.count) == 0
            }
        }
    }

    /// Asks for the whole and for a rest of it, and compares both with the file.
    static func expectFile(_ file: Bytes, _ larder: RunningLarder, _ fields: [(String, String)]) async throws {
        for start in [nil, 2_000_000, 1000] {
            let range = start.map { [("Range", "bytes=\($0)-")] } ?? []
            let answer = try await larder.send("GET", "/raw/api/file", fields: fields + range)
            let what = "\(fields) \(start ?? 0): \(answer.status) \(answer.fields)"
            // A server may ignore a range, but must say so.
            let first = answer.status == 206 ? start ?? 0 : 0
            #expect(answer.status == 200 || start != nil && answer.status == 206, "\(what)")
            #expect(isSame(answer.body, file[first...]), "\(what)")
            #expect(answer["Content-Encoding"] == "gzip" && answer["ETag"] == "\"one\"", "\(what)")
        }
        let head = try await larder.send("HEAD", "/raw/api/file", fields: fields)
        #expect(head["Content-Length"] == "\(file.count)" && head["Content-Encoding"] == "gzip", "\(fields): \(head)")
    }

    @Test(arguments: ["max-age=600", "max-age=600, no-transform", "no-store", "private, max-age=600"])
    func aResumedDownloadIsTheFile(_ control: String) async throws {
        let file = try #require(Self.file)
        let origin = Self.origin(control, file)
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            let clients: [[(String, String)]] = [
                [], [("Accept-Encoding", "identity")], [("Accept-Encoding", "gzip;q=0")],
                [("Accept-Encoding", "gzip")], [("Authorization", "Basic eDp5")], [],
            ]
            for client in clients { try await Self.expectFile(file, larder, client) }
        }
    }

    @Test func aFileThatIsTooLargeToBeStoredIsTheFile() async throws {
        let file = try #require(Self.file)
        let origin = Self.origin("max-age=600", file)
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin) + "\ncache: { maxObject: 1 MiB }") { larder in
            for _ in 1...2 { try await Self.expectFile(file, larder, []) }
        }
    }

    @Test(arguments: ["rfc", "ttl"])
    func aClientWithoutGzipIsNotGivenWhatWasAskedForWithIt(_ semantics: String) async throws {
        let coded = try ContentCoding.gzip(Bytes(text: "plain"))
        let gate = Gate()
        // This origin chooses by `Accept-Encoding` and does not say so.
        let origin = ScriptedOrigin { request in
            guard request.field("Accept-Encoding") == "gzip" else {
                return [.await(gate), .send(ok("plain", fields: "Cache-Control: max-age=600\r\n"))]
            }
            let head = "Cache-Control: max-age=600\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n"
            return [.await(gate), .send("HTTP/1.1 200 OK\r\n\(head)\r\n"), .sendBytes(coded)]
        }
        defer { origin.stop() }
        let configuration =
            "providers: { api: { kind: passthrough, semantics: \(semantics), baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { larder in
            async let first = larder.get("/raw/api/a", ("Accept-Encoding", "gzip"))
            async let second = larder.get("/raw/api/a")
            try await larder.eventually("both have asked") { origin.requests.count == 2 }
            gate.open()
            #expect(try await first.body == coded)
            #expect(try await second.text == "plain")
            let tools = [("Accept-Encoding", "identity"), ("Accept", "*/*"), ("Accept-Encoding", "br")]
            for tool in tools { #expect(try await larder.get("/raw/api/a", tool).text == "plain") }
            // The form that came last may have displaced the other, but only once.
            #expect(origin.requests.count <= 3)
        }
    }
}
