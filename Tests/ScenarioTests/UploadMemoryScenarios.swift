// A film of 50 MiB through the program itself: paused for a while, resumed, and equal byte for byte at the other end.
// The daemon holds no more of the film than a few pieces.
import Glibc
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct UploadMemoryScenarios {
    private static func ask(_ method: String, _ target: String, at address: String) throws -> WireResponse {
        let client = try WireClient(address)
        let signed = "Authorization: Bearer \(UploadStand.token)\r\n"
        try client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(signed)\r\n")
        return try client.receive()
    }

    private static func upload(_ film: Bytes, at address: String, while body: (String) throws -> Void) throws
        -> WireResponse
    {
        let id = try #require(try ask("POST", "/v1/imgur/images", at: address).json()["id"]?.string)
        let client = try WireClient(address)
        try client.send(UploadStand.head("PUT", "/v1/uploads/\(id)/content", length: film.count))
        let half = film.count / 5
        try client.send(Bytes(film.prefix(half)))
        try body(id)
        try client.send(Bytes(film.dropFirst(half)))
        return try client.receive()
    }

    @Test func fiftyMebibytesArePausedResumedAndCompletedWithFlatMemory() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let directory = TemporaryDirectory()
        let film = UploadStand.film(50 << 20)
        let process = try LarderProcess(
            LarderLaunch(
                """
                listen: ["127.0.0.1:0"]
                cache: { path: "\(directory.path)/cache" }
                state: { path: "\(directory.path)/state" }
                \(stand.configuration())
                """), in: directory)
        defer { process.end() }
        let origin = stand.origin
        let (before, after, answer, stood) = try await onOwnThread { () -> (Int, Int, WireResponse, Bool) in
            let address = try process.listening()[0]
            // The first upload warms the daemon up. What it allocates does not count for the second.
            let small = try Self.upload(UploadStand.film(2 << 20), at: address) { _ in }
            guard small.status == 200 else { throw WireError("\(small)") }
            let before = try processMemory(process.pid, "VmHWM")
            var stood = false
            let answer = try Self.upload(film, at: address) { id in
                while origin.uploads.last?.count ?? 0 < 8 << 20 { _ = try Self.ask("GET", "/healthz", at: address) }
                guard try Self.ask("POST", "/v1/uploads/\(id)/pause", at: address).status == 200 else { return }
                func upload() throws -> JSONValue { try Self.ask("GET", "/v1/uploads/\(id)", at: address).json() }
                func arrived() -> Int { Int(origin.uploads.last?.count ?? 0) }
                // Bytes that were passed on before the pause still arrive. The last of them may be held back, because
                // they may look like the beginning of a delimiter.
                let sent = try upload()["sent"]?.integer ?? 0
                while arrived() < sent - 256, origin.uploads.last?.wasCutOff == false { _ = try upload() }
                let end = SystemTime().monotonic() + .seconds(2)
                while SystemTime().monotonic() < end { _ = try Self.ask("GET", "/healthz", at: address) }
                stood =
                    try arrived() <= sent && upload()["sent"]?.integer == sent
                    && upload()["state"]?.string == "paused"
                _ = try Self.ask("POST", "/v1/uploads/\(id)/resume", at: address)
            }
            return (before, try processMemory(process.pid, "VmHWM"), answer, stood)
        }
        #expect(answer.status == 200, "\(answer)")
        #expect(stood, "it did not stand still while it was paused")
        let seen = try #require(stand.origin.uploads.last)
        #expect(seen.isWhole)
        #expect(seen.count == Int64(film.count))
        #expect(seen.digest == Digest(of: film))
        if !isSanitized {
            #expect(after - before < 8 << 20, "it grew by \(Units.format(size: Int64(after - before)))")
        }
        print("uploaded 50 MiB: the daemon's peak grew from \(before >> 10) KiB to \(after >> 10) KiB")
    }
}
