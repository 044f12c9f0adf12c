// Waits of a task for a loop.
import LarderCore

extension EventLoop {
    /// Returns when the loop has had a turn.
    public func turn() async {
        await handover { (continuation: CheckedContinuation<Void, Never>) in post { continuation.resume() } }
    }

    /// Suspends the caller for that long, on this loop's timers.
    public func pause(for duration: Duration) async {
        await handover { (continuation: CheckedContinuation<Void, Never>) in
            post {
                _ = self.schedule(at: self.monotonic + duration) { continuation.resume() }
            }
        }
    }
}
