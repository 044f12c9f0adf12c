// A small coded body of a built-in provider that becomes a large plain one. Larder itself asks such a provider for gzip. A
// client without gzip gets the plain bytes at the pace at which it reads. Clients that do not read therefore cost almost
// nothing.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct InflationScenarios {
    private static let size = 12 << 20
    private static let target = "/raw/itunes/search?term=a"

    private static func origin() throws -> ScriptedOrigin {
        // Not all bytes are equal, so a test can tell which bytes a range holds.
        var plain = Bytes(text: #"{"resultCount":0,"results":[]}"#)
        plain += Bytes(repeating: 0x20, count: size - plain.count)
        for place in stride(from: 1 << 16, to: size, by: 1 << 16) { plain[place] = 0x0A }
        let coded = try ContentCoding.gzip(plain)
        let head =
            "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        return ScriptedOrigin { _ in [.sendBytes(Bytes(text: head) + coded)] }
    }

    @Test func clientsThatDoNotReadHoldAPieceEachAndNotTheWhole() async throws {
        let origin = try Self.origin()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let process = try LarderProcess(
            LarderLaunch(
                """
                listen: ["127.0.0.1:0"]
                cache: { path: "\(directory.path)/cache" }
                state: { path: "\(directory.path)/state" }
                \(BasicScenarios.itunes(origin))
                """), in: directory)
        defer { process.end() }
        let (before, after) = try await onOwnThread { () -> (Int, Int) in
            let address = try process.listening()[0]
            let request = "GET \(Self.target) HTTP/1.1\r\nHost: localhost\r\n"
            let first = try WireClient(address, timeout: .seconds(60))
            try first.send(request + "Accept-Encoding: gzip\r\n\r\n")
            _ = try first.receive()
            let before = try processMemory(process.pid, "VmHWM")
            let clients = try (0..<12).map { _ in try WireClient(address, timeout: .seconds(60)) }
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
        let origin = try Self.origin()
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            _ = try await larder.get(Self.target, ("Accept-Encoding", "gzip"))
            for turn in 1...2 {
                let head = try await larder.send("HEAD", Self.target)
                #expect(head["Content-Length"] == String(Self.size), "\(turn): \(head)")
                #expect(head["Content-Encoding"] == nil && head["ETag"] == "W/\"v1\"", "\(turn): \(head)")
                #expect(head["Vary"] == "Accept-Encoding", "\(turn): \(head)")
                let place = 100 << 16
                let part = try await larder.get(Self.target, ("Range", "bytes=\(place)-\(place + 2)"))
                #expect(part.status == 206, "\(turn): \(part)")
                #expect(part["Content-Range"] == "bytes \(place)-\(place + 2)/\(Self.size)", "\(turn): \(part)")
                #expect(part.body == [0x0A, 0x20, 0x20], "\(turn)")
                let beyond = try await larder.get(Self.target, ("Range", "bytes=\(Self.size)-"))
                #expect(beyond.status == 416, "\(turn): \(beyond)")
                #expect(try await larder.get(Self.target, ("If-None-Match", "W/\"v1\"")).status == 304)
                let coded = try await larder.get(Self.target, ("Accept-Encoding", "gzip"))
                #expect(coded["Content-Encoding"] == "gzip" && coded.body.count < Self.size / 100, "\(turn)")
                #expect(coded["Vary"] == "Accept-Encoding", "\(turn)")
            }
            #expect(origin.requests.count == 1)
        }
    }
}
