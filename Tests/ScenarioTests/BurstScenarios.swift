// What remains after a burst of misses: free pieces of memory between live ones go back to the system soon.
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@Suite struct BurstScenarios {
    private static let clients = 1200
    private static let body = 100_000

    @Test func theMemoryOfABurstComesBackWithinAMinute() async throws {
        let origin = ScriptedOrigin { _ in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: \(Self.body)\r\n\r\n"
            return [.sendBytes(Bytes(text: head) + Bytes(repeating: 0x61, count: Self.body))]
        }
        defer { origin.stop() }
        // Each client needs a descriptor.
        _ = Syscall.raiseOpenFiles()
        let directory = TemporaryDirectory()
        let process = try LarderProcess(
            LarderLaunch(
                """
                listen: ["127.0.0.1:0", { address: "127.0.0.1:0", provider: bodies }]
                cache: { path: "\(directory.path)/cache", memorySize: 8 MiB }
                state: { path: "\(directory.path)/state" }
                providers: { bodies: { kind: passthrough, baseURL: "\(origin.base)" } }
                """), in: directory)
        defer { process.end() }
        let (before, peak, after) = try await onOwnThread { () -> (Int, Int, Int) in
            let addresses = try process.listening(2)
            let address = addresses[1]
            var clients: [WireClient] = []
            for _ in 0..<Self.clients { clients.append(try WireClient(address)) }
            let before = try processMemory(process.pid, "RssAnon")
            for (number, client) in clients.enumerated() {
                try client.send("GET /\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            for client in clients {
                let answer = try client.receive()
                // Some clients find the queue full.
                guard answer.status == 200 || answer.status == 503 else { throw WireError("\(answer)") }
            }
            let peak = try processMemory(process.pid, "VmHWM")
            // The daemon looks every ten seconds. The rest of the time is for a busy machine.
            var after = try processMemory(process.pid, "RssAnon")
            for _ in 0..<180 where after - before >= Self.left {
                // This connection stays silent. The call only waits for 500 ms.
                _ = try WireClient(addresses[0]).hasInput(within: 500)
                after = try processMemory(process.pid, "RssAnon")
            }
            withExtendedLifetime(clients) {}
            return (before, peak, after)
        }
        print("a burst: from \(before >> 10) KiB to \(peak >> 10) KiB, and back to \(after >> 10) KiB")
        if !isSanitized { #expect(after - before < Self.left) }
    }

    /// The limit covers the memory tier, the store's page caches, and what the heaps keep by their own rules.
    private static let left = 100 << 20
}
