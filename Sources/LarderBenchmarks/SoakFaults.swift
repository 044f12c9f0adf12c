// The faults of the shaky origin.
import LarderCore

/// The fault that one request meets at the origin.
enum SoakFault: CaseIterable {
    /// The connection is reset before anything is sent.
    case reset
    /// The connection ends within the body.
    case cut
    /// A 500 with a page.
    case serverError
    /// 503 with `Retry-After: 1`.
    case unavailable
    /// The head is sent after two seconds.
    case slow
    /// Nothing is sent. The connection ends after three seconds.
    case silent
    /// The answer is not HTTP.
    case garbage
    /// The stated length is larger than the body.
    case tooLong
    /// A second, unrequested answer follows the first.
    case extra
    /// A chunk whose size is not a number.
    case badChunk
}

/// Decides which requests meet a fault: a sequence from the seed, at the rate that the schedule sets.
struct SoakFaults {
    var perMille = 0
    /// The time of the last fault, in milliseconds since the start.
    private(set) var last: Int?
    private(set) var count = 0
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(state: seed ^ 0xFA17) }

    mutating func next(at milliseconds: Int) -> SoakFault? {
        guard perMille > 0, Int(random.next() % 1000) < perMille else { return nil }
        last = milliseconds
        count += 1
        let all = SoakFault.allCases
        return all[Int(random.next() % UInt64(all.count))]
    }
}
