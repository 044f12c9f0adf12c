// How much memory the program holds besides the bodies that its memory tier may hold. The bodies come first from the
// fetch loop's thread and later from the store's. Memory that one of these threads frees must serve the other.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct HeapScenarios {
    private static let tier = 16 << 20
    private static let bodies = 1000

    /// The page caches of the store's two readers and its writer. This test does not fill them.
    private static let caches = (16 + 16 + 4) << 20

    /// A body of about 30 KiB, with another length for each number.
    private static func body(_ number: Int) -> Bytes {
        Bytes(repeating: UInt8(truncatingIfNeeded: number), count: 20_000 + (number * 7919) % 20_000)
    }

    @Test func bodiesOfTheStoreTakeThePlaceOfThoseThatWereFetched() async throws {
        let origin = ScriptedOrigin { request in
            let body = Self.body(Int(request.target.dropFirst()) ?? 0)
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: \(body.count)\r\n\r\n"
            return [.sendBytes(Bytes(text: head) + body)]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let process = try LarderProcess(
            LarderLaunch(
                """
                listen: [{ address: "127.0.0.1:0", provider: bodies }]
                cache: { path: "\(directory.path)/cache", memorySize: \(Self.tier) }
                state: { path: "\(directory.path)/state" }
                providers: { bodies: { kind: passthrough, baseURL: "\(origin.base)" } }
                """), in: directory)
        defer { process.end() }
        let (before, after) = try await onOwnThread { () -> (Int, Int) in
            let client = try WireClient(try process.listening()[0])
            let before = try processMemory(process.pid, "RssAnon")
            func get(_ number: Int) throws {
                try client.send("GET /\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try client.receive()
                guard answer.status == 200 else { throw WireError("\(number): \(answer)") }
            }
            for number in 0..<Self.bodies { try get(number) }
            // A full tier takes a body only at its second request. Each body therefore comes from the store once more.
            for start in stride(from: 0, to: Self.bodies, by: 40) {
                for _ in 0..<2 {
                    for number in start..<start + 40 { try get(number) }
                }
            }
            return (before, try processMemory(process.pid, "RssAnon"))
        }
        print("bodies of \(Self.tier >> 10) KiB: the daemon's memory grew from \(before >> 10) to \(after >> 10) KiB")
        // A sanitizer has a heap of its own.
        if !isSanitized { #expect(after - before < Self.tier + Self.caches) }
    }
}
