// A hook holds a function that may be read any number of times.
import LarderCore
import Testing

@Suite struct HookTests {
    /// In a `Lock`, each read put the function inside two more closures: after some 20,000 reads a call overflowed the
    /// stack.
    @Test func aFunctionThatWasReadAMillionTimesIsAsDeepAsBefore() {
        let depths = Lock<[UInt]>([])
        let hook = Hook<(@Sendable (Int) -> Void)?> { _ in
            var here = 0
            withUnsafeMutablePointer(to: &here) { here in depths.withLock { $0.append(UInt(bitPattern: here)) } }
        }
        hook.get()?(0)
        for _ in 0..<1_000_000 { _ = hook.get() }
        hook.get()?(0)
        let seen = depths.withLock { $0 }
        #expect(seen.count == 2 && seen[0] == seen[1])
    }

    @Test func anExchangeReturnsWhatWasThereOnce() {
        let hook = Hook<(@Sendable () -> Int)?> { 1 }
        #expect(hook.exchange(nil)?() == 1)
        #expect(hook.exchange(nil) == nil)
    }

    @Test func whatIsSetLastIsRead() {
        let hook = Hook("first")
        hook.set("second")
        #expect(hook.get() == "second")
    }
}
