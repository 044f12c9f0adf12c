// A small coded body that becomes a large plain one. A client without gzip gets the plain bytes at the pace at which it
// reads. Clients that do not read therefore cost almost nothing.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct InflationScenarios {
    private static let size = 32 << 20

    private static func origin(_ fields: String) throws -> ScriptedOrigin {
        // Not all bytes are equal, so a test can tell which bytes a range holds.
        var plain = Bytes(repeating: 0x20, count: size)
        for place in stride(from: 0, to: size, by: 1 << 16) { plain[place] = UInt8(truncatingIfNeeded: place >> 16) }
        let coded = try ContentCoding.gzip(plain)
        let head = "HTTP/1.1 200 OK\r\n\(fields)Content-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        return ScriptedOrigin { _ in [.sendBytes(Bytes(text: head) + coded)] }
    }

    @Test(arguments: ["max-age=600", "no-store"])
    func clientsThatDoNotReadHoldAPieceEachAndNotTheWhole(_ control: String) async throws {
        let origin = try Self.origin("Cache-Control: \(control)\r\nETag: \"v1\"\r\n")
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let process = try LarderProcess(
            LarderLaunch(
                """
                listen: ["127.0.0.1:0"]
                cache: { path: "\(directory.path)/cache" }
                state: { path: "\(directory.path)/state" }
                providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
                """), in: directory)
        defer { process.end() }
        let (before, after) = try await onOwnThread { () -> (Int, Int) in
            let address = try process.listening()[0]
            let request = "GET /raw/api/a HTTP/1.1\r\nHost: localhost\r\n"
            let first = try WireClient(address)
            try first.send(request + "Accept-Encoding: gzip\r\n\r\n")
            _ = try first.receive()
            let before = try processMemory(process.pid, "VmHWM")
            let clients = try (0..<12).map { _ in try WireClient(address) }
            for client in clients { try client.send(request + "\r\n") }
            for client in clients {
                let head = try client.receiveHead()
                guard head.status == 200, head["Content-Encoding"] == nil, head["Content-Length"] == String(Self.size)
                else { throw WireError("\(head)") }
            }
            // One client reads on and gets the whole body.
            guard try clients[0].take(Self.size).count == Self.size else { throw WireError("it was cut") }
            return (before, try processMemory(process.pid, "VmHWM"))
        }
        print("12 clients of \(Self.size >> 20) MiB: the daemon's peak grew from \(before >> 10) to \(after >> 10) KiB")
        if !isSanitized { #expect(after - before < 24 << 20) }
    }

    @Test func lengthsRangesConditionsAndHeadsAreThoseOfThePlainBody() async throws {
        let origin = try Self.origin("Cache-Control: max-age=600\r\nETag: \"v1\"\r\n")
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") { larder in
            _ = try await larder.get("/raw/api/a", ("Accept-Encoding", "gzip"))
            for turn in 1...2 {
                let head = try await larder.send("HEAD", "/raw/api/a")
                #expect(head["Content-Length"] == String(Self.size), "\(turn): \(head)")
                #expect(head["Content-Encoding"] == nil && head["ETag"] == "W/\"v1\"", "\(turn): \(head)")
                #expect(head["Vary"] == "Accept-Encoding", "\(turn): \(head)")
                let part = try await larder.get("/raw/api/a", ("Range", "bytes=33488896-33488898"))
                #expect(part.status == 206, "\(turn): \(part)")
                #expect(part["Content-Range"] == "bytes 33488896-33488898/\(Self.size)", "\(turn): \(part)")
                #expect(part.body == [0xFF, 0x20, 0x20], "\(turn)")
                let beyond = try await larder.get("/raw/api/a", ("Range", "bytes=\(Self.size)-"))
                #expect(beyond.status == 416, "\(turn): \(beyond)")
                #expect(try await larder.get("/raw/api/a", ("If-None-Match", "W/\"v1\"")).status == 304)
                let coded = try await larder.get("/raw/api/a", ("Accept-Encoding", "gzip"))
                #expect(coded["Content-Encoding"] == "gzip" && coded.body.count < Self.size / 100, "\(turn)")
                #expect(coded["Vary"] == "Accept-Encoding", "\(turn)")
            }
            #expect(origin.requests.count == 1)
        }
    }
}
