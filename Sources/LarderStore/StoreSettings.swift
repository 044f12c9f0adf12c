// The operator's settings for the store, as one immutable value. It is replaced whole and never changed in place.
import LarderCore

/// Sizes, marks and intervals of the cache database.
public struct StoreSettings: Sendable, Hashable {
    /// Bytes that the live part of the database may take. Exceeded by at most one object, and only for a moment.
    public var maxSize: Int64
    /// The largest body that is stored, in bytes. A larger one is refused (`tooLarge`).
    public var maxObject: Int64
    /// Bytes of free disk left to others. With less free disk nothing is stored (`diskFull`).
    public var minFree: Int64
    /// Percent of `maxSize`: from `highWater` on entries are evicted, down to `lowWater`.
    public var highWater: Int
    public var lowWater: Int
    /// How long uses are collected in memory before they are written.
    public var touchInterval: Duration
    /// Number of reader threads; fixed when the store is opened.
    public var readers: Int
    /// How long an answer waits for its commit. A look-up waits five times as long, a removal twenty times.
    public var patience: Duration
    /// An answer counts as stored before its commit, which follows within this time. If zero: after its commit.
    public var commitWithin: Duration

    public init(
        maxSize: Int64 = 2 << 30, maxObject: Int64 = 32 << 20, minFree: Int64 = 256 << 20, highWater: Int = 95,
        lowWater: Int = 85, touchInterval: Duration = .seconds(30), readers: Int = 2,
        patience: Duration = .milliseconds(50), commitWithin: Duration = .zero
    ) {
        self.maxSize = maxSize
        self.maxObject = maxObject
        self.minFree = minFree
        self.highWater = highWater
        self.lowWater = lowWater
        self.touchInterval = touchInterval
        self.readers = readers
        self.patience = patience
        self.commitWithin = commitWithin
    }

    var highWaterBytes: Int64 { maxSize / 100 * Int64(highWater) }
    var lowWaterBytes: Int64 { maxSize / 100 * Int64(min(lowWater, highWater)) }
}
