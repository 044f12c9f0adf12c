// Measures how long a response took to be written. The server releases the response's hold when the last of the body is
// written to the socket or the connection has ended. The deinitialiser of this object marks that instant.
import LarderCore

final class WriteSpan: Sendable {
    private let timeline: Timeline
    private let began: MonotonicTime
    private let time: any TimeSource
    /// The response's previous hold.
    private let kept: (any AnyObject & Sendable)?

    init(
        _ timeline: Timeline, began: MonotonicTime, _ time: any TimeSource, keeping kept: (any AnyObject & Sendable)?
    ) {
        self.timeline = timeline
        self.began = began
        self.time = time
        self.kept = kept
    }

    deinit { timeline.note(.write, nil, from: began, to: time.monotonic()) }
}
