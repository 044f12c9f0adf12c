// Lets a task wait for a loop.
import LarderCore

extension EventLoop {
    /// Returns after the loop has run a turn.
    public func turn() async {
        await handover { (continuation: TaskContinuation<Void, Never>) in post { continuation.resume() } }
    }

    /// Suspends the caller for a duration, by this loop's timers.
    public func pause(for duration: Duration) async {
        await handover { (continuation: TaskContinuation<Void, Never>) in
            post {
                _ = self.schedule(at: self.monotonic + duration) { continuation.resume() }
            }
        }
    }
}
