// The minimum pace of a client while a transfer waits for it. A time limit between two bytes does not bound a transfer:
// one byte every few seconds satisfies it for ever. This rule counts the bytes of a window instead, and only the time
// in which the client could have moved some. The two settings are those of libcurl (CURLOPT_LOW_SPEED_LIMIT,
// CURLOPT_LOW_SPEED_TIME) applied from the server's side.
import LarderCore

/// The slowest pace that is permitted.
public struct MinimumRate: Sendable, Hashable {
    /// Bytes per second; 0 permits any pace.
    public var bytesPerSecond: Int64
    /// The time over which the pace is measured. A transfer that ends sooner is never judged.
    public var window: Duration

    public init(bytesPerSecond: Int64 = 240, window: Duration = .seconds(30)) {
        self.bytesPerSecond = bytesPerSecond
        self.window = window
    }

    /// The bytes that must have moved in `time`.
    func owed(in time: Duration) -> Int64 {
        let (bytes, overflows) = bytesPerSecond.multipliedReportingOverflow(by: time.milliseconds)
        return overflows ? .max : bytes / 1000
    }
}

/// The pace of one transfer in one direction. Its owner reports the bytes that moved and whether bytes are wanted from
/// the client. The time between two reports counts only if bytes were wanted at both. Only then is the
/// client responsible for that time.
public struct TransferPace: Sendable, Hashable {
    /// The last time at which bytes were wanted; nil while none are wanted.
    private var wantedAt: MonotonicTime?
    /// Of the current window: the time in which bytes were wanted, and the bytes that moved.
    private var counted = Duration.zero
    private var moved: Int64 = 0

    public init() {}

    /// Reports whether bytes are wanted from the client now. Must be called when that changes, and regularly in
    /// between.
    public mutating func note(isWanted: Bool, at now: MonotonicTime) {
        guard isWanted else {
            wantedAt = nil
            return
        }
        if let wantedAt { counted += now - wantedAt }
        wantedAt = now
    }

    /// Reports that the client moved `count` bytes. Also counts the time since bytes were last wanted.
    public mutating func note(moved count: Int, at now: MonotonicTime) {
        moved += Int64(count)
        if wantedAt != nil { note(isWanted: true, at: now) }
    }

    /// Whether the window was too slow, if it has ended. Then the next window begins.
    public mutating func isTooSlow(for rate: MinimumRate) -> Bool {
        guard rate.bytesPerSecond > 0, counted >= rate.window else { return false }
        defer { (counted, moved) = (.zero, 0) }
        return moved < rate.owed(in: counted)
    }
}
