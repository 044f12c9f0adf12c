import Glibc
import LarderCore
import LarderIO
import Testing

@Suite struct SignalTests {
    /// The signal is sent to the loop's own thread. Only that thread blocks the signal, so the rest of the process is
    /// not affected.
    @Test func blockedSignalsArriveOnTheLoop() async throws {
        let number = SIGUSR2
        try await withLoop { loop in
            let seen: Result<Int32, any Error> = await handover { continuation in
                loop.post {
                    Signals.block([number])
                    do {
                        let holder = Holder()
                        holder.source = try SignalSource([number], on: loop) { arrived in
                            holder.source?.cancel()
                            holder.source = nil
                            continuation.resume(returning: .success(arrived))
                        }
                        pthread_kill(pthread_self(), number)
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            let heard = try seen.get()
            #expect(heard == number)
            let left = try await loop.run { loop.load.descriptors }
            #expect(left == 0)
        }
    }

    private final class Holder {
        var source: SignalSource?
    }
}
