// A hook holds a function that may be read any number of times.
import LarderCore
import Testing

@Suite struct HookTests {
    /// In a `Lock`, each read put the function inside two more closures. After a million reads a call would need some
    /// 48 MB of stack, which ends the process.
    @Test func aFunctionThatWasReadAMillionTimesCanBeCalled() {
        let calls = Lock(0)
        let hook = Hook<(@Sendable (Int) -> Void)?> { number in calls.withLock { $0 += number } }
        for _ in 0..<1_000_000 { _ = hook.get() }
        hook.get()?(7)
        #expect(calls.withLock { $0 } == 7)
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
