import LarderCore
import LarderTestSupport
import Testing

@Suite struct LockWaitTests {
    /// The count that a reader has not taken yet, and the reader that waits for more.
    private struct Basket: Sendable {
        var count = 0
        var isLeft = false
        var waiter: CheckedContinuation<Int?, Never>?

        mutating func take() -> Int?? {
            if isLeft { return .some(nil) }
            guard count > 0 else { return nil }
            defer { count = 0 }
            return count
        }
    }

    /// Takes the whole count, waiting for it if it is 0. Returns nil if the reader has left.
    private func next(_ basket: Lock<Basket>) async -> Int? {
        await basket.wait { (basket, waiter) -> Int?? in
            if let found = basket.take() { return found }
            basket.waiter = waiter
            return nil
        } onCancel: {
            change(basket) { $0.isLeft = true }
        }
    }

    private func change(_ basket: Lock<Basket>, _ step: (inout Basket) -> Void) {
        let woken = basket.withLock { basket -> (CheckedContinuation<Int?, Never>, Int?)? in
            step(&basket)
            guard let waiter = basket.waiter, let found = basket.take() else { return nil }
            basket.waiter = nil
            return (waiter, found)
        }
        woken?.0.resume(returning: woken?.1)
    }

    @Test func whatIsThereIsNotWaitedFor() async {
        let basket = Lock(Basket(count: 3))
        #expect(await next(basket) == 3)
        #expect(basket.withLock { $0.waiter == nil })
    }

    @Test func whoeverChangesTheValueWakesWhoWaits() async {
        let basket = Lock(Basket())
        async let found = next(basket)
        while basket.withLock({ $0.waiter == nil }) { await Task.yield() }
        change(basket) { $0.count = 2 }
        #expect(await found == 2)
    }

    /// Each increment happens while the reader checks, is about to wait, or waits.
    @Test func noWakeUpIsLostBetweenTheLookAndTheWait() async {
        let basket = Lock(Basket())
        let total = 20_000
        let thread = startThread { for _ in 0..<total { change(basket) { $0.count += 1 } } }
        var seen = 0
        while seen < total { seen += await next(basket) ?? 0 }
        #expect(seen == total)
        thread.join()
    }

    @Test func cancellingEndsTheWaitWhereverItHasCome() async {
        for round in 0..<300 {
            let basket = Lock(Basket())
            let reader = Task { () -> Int? in
                var seen = 0
                while let found = await next(basket) { seen += found }
                return seen
            }
            let thread = startThread {
                for _ in 0..<round % 7 { change(basket) { $0.count += 1 } }
                reader.cancel()
            }
            #expect(await reader.value ?? -1 <= round % 7)
            #expect(basket.withLock { $0.waiter == nil && $0.isLeft })
            thread.join()
        }
    }
}
