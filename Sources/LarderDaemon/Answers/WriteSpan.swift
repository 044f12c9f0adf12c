// How long an answer took to be written to its client. The server keeps what an answer holds until the last of its body was
// written to the socket, or the connection has ended: the end of this object is that instant.
import LarderCore

final class WriteSpan: Sendable {
    private let timeline: Timeline
    private let began: MonotonicTime
    private let time: any TimeSource
    /// What the answer held before.
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
