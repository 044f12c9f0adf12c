import Glibc
import LarderCore
import Testing

@Suite struct SystemThreadTests {
    /// What a thread observes about itself.
    private struct Seen: Sendable, Equatable {
        var name: String
        var blocksInterrupts: Bool

        static func now() -> Seen {
            var blocked = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            return Seen(name: name(), blocksInterrupts: sigismember(&blocked, SIGINT) == 1)
        }

        private static func name() -> String {
            guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 32)
            let count = fread(&buffer, 1, 31, file)
            return String(decoding: buffer.prefix(max(0, count - 1)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private func seen(named name: String?, _ signals: SystemThread.Signals) async throws -> Seen {
        let promise = Promise<Seen>()
        try SystemThread.start(named: name, signals: signals) { promise.fulfil(Seen.now()) }.detach()
        return await promise.wait()
    }

    @Test func aThreadHasItsNameAndItsSignals() async throws {
        #expect(try await seen(named: "store-w", .blocked) == Seen(name: "store-w", blocksInterrupts: true))
        #expect(try await seen(named: "a-name-that-is-too-long", .blocked).name == "a-name-that-is-")
    }

    @Test func withoutThemItHasThoseOfWhoStartsIt() async throws {
        let promise = Promise<Seen>()
        try SystemThread.start(named: "outer", signals: .blocked) {
            do throws(SystemThread.Failure) {
                try SystemThread.start { promise.fulfil(Seen.now()) }.join()
            } catch {
                promise.fulfil(Seen(name: "\(error)", blocksInterrupts: false))
            }
        }.detach()
        #expect(await promise.wait() == Seen(name: "outer", blocksInterrupts: true))
    }

    @Test func joiningWaitsForTheBodyAndItsReferences() throws {
        final class Held: Sendable {}
        let count = CounterCell()
        weak var held: Held?
        do {
            let own = Held()
            held = own
            try SystemThread.start {
                count.add()
                _ = own
            }.join()
        }
        #expect(count.current == 1)
        #expect(held == nil)
    }
}
