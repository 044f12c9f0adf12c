// Operations on a failing connection, with a real engine behind a proxy.
import Glibc
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct SharedClientTests {
    @Test func whatWaitsForAConnectionThatEndsWithItsGreetingIsCut() async throws {
        let engine = try SharedEngine()
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        // The proxy cuts after the reply to the greeting, and not a byte later.
        proxy.set(.cut(7))
        let loop = try EventLoop(name: "shared", index: 0)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        let settings = SharedSettings(
            address: .tcp(host: "127.0.0.1", port: proxy.port), timeout: .seconds(60), key: "")
        let client = SharedClient(settings, on: loop)
        let answers = await withTaskGroup(of: Result<[Reply], SharedFailure>.self) { group in
            for _ in 0..<50 { group.addTask { await client.perform([Command("PING")], within: .seconds(60)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == .failure(.cut) }, "\(answers)")
        proxy.set(.pass)
        let last = await client.perform([Command("PING")], within: .seconds(60))
        #expect(last == .success([.status("PONG")]))
        client.close()
    }

    @Test func allAddressesOfANameAreTried() async throws {
        let engine = try SharedEngine()
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        let closed = LoopbackPort()
        let loop = try EventLoop(name: "shared", index: 0)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        let addresses = [try Address("127.0.0.1:\(closed.number)"), try Address("127.0.0.1:\(proxy.port)")]
        let settings = SharedSettings(address: .tcp(host: "engine", port: 1), timeout: .seconds(60), key: "")
        let client = SharedClient(settings, on: loop) { _, _, done in done(addresses) }
        let answer = await client.perform([Command("PING")], within: .seconds(60))
        #expect(answer == .success([.status("PONG")]))
        client.close()
        withExtendedLifetime(closed) {}
    }

    /// The loop uses the test's clock. An operation without a reply ends when its time is over, and not before.
    @Test func anOperationEndsWithItsTimeAndNotBefore() async throws {
        let engine = try SharedEngine()
        let proxy = EngineProxy(to: engine.socket)
        defer { proxy.stop() }
        let time = ManualTime()
        let loop = try EventLoop(name: "shared", index: 0, time: time)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        /// Lets the loop look at its clock.
        func turn() async {
            for _ in 0..<2 {
                let promise = Promise<Void>()
                loop.post { promise.fulfil() }
                await promise.wait()
            }
        }
        let settings = SharedSettings(
            address: .tcp(host: "127.0.0.1", port: proxy.port), timeout: .milliseconds(50), key: "")
        let client = SharedClient(settings, on: loop)
        #expect(await client.perform([Command("PING")], within: .seconds(60)) == .success([.status("PONG")]))
        proxy.set(.stall)
        // The second operation must connect first. Connecting is part of its time.
        for _ in 0..<2 {
            let heard = proxy.received
            let isDone = Lock(false)
            async let answer = {
                let answer = await client.perform([Command("PING")], within: .milliseconds(50))
                isDone.withLock { $0 = true }
                return answer
            }()
            try await eventually("it is sent") { proxy.received > heard }
            time.advance(by: .milliseconds(49))
            await turn()
            #expect(!isDone.withLock { $0 })
            time.advance(by: .milliseconds(1))
            await turn()
            #expect(await answer == .failure(.timedOut))
        }
        client.close()
    }
}
