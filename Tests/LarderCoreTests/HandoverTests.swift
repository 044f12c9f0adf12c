import Glibc
import LarderCore
import LarderTestSupport
import Synchronization
import Testing

@Suite struct HandoverTests {
    private final class Parcel: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    /// Tells only how far a thread has run. It orders no other memory access (relaxed), like a clock.
    private final class Flag: Sendable {
        let isUp = Atomic(false)
    }

    /// The runtime does not annotate this path for the thread sanitizer. Without an annotation of our own, every such
    /// wait is reported as a race.
    @Test func whatAThreadHandedOverBeforeItWasAwaitedIsReadInOrder() async throws {
        for number in 0..<20 {
            let parcel: Parcel = await handover { continuation in
                let resumed = Flag()
                onAThread {
                    continuation.resume(returning: Parcel(number))
                    resumed.isUp.store(true, ordering: .relaxed)
                }
                while !resumed.isUp.load(ordering: .relaxed) { sched_yield() }
            }
            #expect(parcel.number == number)
        }
    }

    @Test func whatAThreadHandsOverWhileItIsAwaitedIsReadInOrder() async throws {
        for number in 0..<20 {
            let parcel: Parcel = await handover { continuation in
                onAThread { continuation.resume(returning: Parcel(number)) }
            }
            #expect(parcel.number == number)
        }
    }
}

private func onAThread(_ body: @escaping @Sendable () -> Void) { startThread(body).detach() }
