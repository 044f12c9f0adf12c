// Whether a client has ended its input while the work for its request goes on. The end of input is no farewell (RFC 9112
// §9.6): a client may close its sending side after the request and wait for the answer. A client that is gone looks the
// same on TCP until something is written to it. Its call that waits in a queue is therefore given up after a time.
import Synchronization

/// The half-close of a client, as its connection tells it to the work for one request.
public final class HalfClose: Sendable {
    /// Nanoseconds of monotonic time; `Int64.max` while the client has not ended its input.
    private let end = Atomic<Int64>(.max)

    public init() {}

    /// Reports that the client has ended its input. Only the first report counts.
    /// - Parameter end: until when a call that waits for this client may stay in a queue.
    public func began(until end: MonotonicTime) {
        _ = self.end.compareExchange(expected: .max, desired: end.nanoseconds, ordering: .relaxed)
    }

    /// Whether no queued call waits for this client any more.
    public func isOver(at now: MonotonicTime) -> Bool {
        end.load(ordering: .relaxed) <= now.nanoseconds
    }
}
