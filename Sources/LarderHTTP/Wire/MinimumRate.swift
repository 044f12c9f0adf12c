// How fast a client must be where its own pace is what a transfer waits for. A limit of time between two bytes does not
// bound a transfer: one byte every few seconds satisfies it for ever. What counts here is the bytes of a window, and only
// the time in which the client could have moved some. The pair of settings is libcurl's (CURLOPT_LOW_SPEED_LIMIT,
// CURLOPT_LOW_SPEED_TIME) seen from the other side.
import LarderCore

/// The slowest pace that is permitted.
public struct MinimumRate: Sendable, Hashable {
    /// Bytes a second; 0 permits any pace.
    public var bytesPerSecond: Int64
    /// The time over which the pace is measured. A transfer that is over sooner is never judged.
    public var window: Duration

    public init(bytesPerSecond: Int64 = 240, window: Duration = .seconds(30)) {
        self.bytesPerSecond = bytesPerSecond
        self.window = window
    }

    /// Bytes that must have moved in that time.
    func owed(in time: Duration) -> Int64 {
        let (bytes, overflows) = bytesPerSecond.multipliedReportingOverflow(by: time.milliseconds)
        return overflows ? .max : bytes / 1000
    }
}

/// The pace of one transfer in one direction. It is told what moved and whether bytes were wanted of the client, and adds
/// up the time between two tellings only where they were wanted at both: what happened in between is then the client's.
public struct TransferPace: Sendable, Hashable {
    /// When bytes were wanted last; nil while none are.
    private var wantedAt: MonotonicTime?
    /// Of the window: the time in which bytes were wanted, and the bytes that moved.
    private var counted = Duration.zero
    private var moved: Int64 = 0

    public init() {}

    /// Tells whether bytes are wanted of the client now. To be told when that changes, and now and then between.
    public mutating func note(isWanted: Bool, at now: MonotonicTime) {
        guard isWanted else {
            wantedAt = nil
            return
        }
        if let wantedAt { counted += now - wantedAt }
        wantedAt = now
    }

    /// Tells that the client moved so many bytes, and with them the time since they were wanted.
    public mutating func note(moved count: Int, at now: MonotonicTime) {
        moved += Int64(count)
        if wantedAt != nil { note(isWanted: true, at: now) }
    }

    /// Whether the window that has now ended was too slow. The next window begins.
    public mutating func isTooSlow(for rate: MinimumRate) -> Bool {
        guard rate.bytesPerSecond > 0, counted >= rate.window else { return false }
        defer { (counted, moved) = (.zero, 0) }
        return moved < rate.owed(in: counted)
    }
}
