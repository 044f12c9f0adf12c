// How the shaky origin fails.
import LarderCore

/// What happens to one request at the origin.
enum SoakFault: CaseIterable {
    /// The connection is reset before anything is said.
    case reset
    /// The connection ends within the body.
    case cut
    /// 500 with a page of its own.
    case serverError
    /// 503 with `Retry-After: 1`.
    case unavailable
    /// The head comes after two seconds.
    case slow
    /// Nothing comes; the connection ends after three seconds.
    case silent
    /// What comes is not HTTP.
    case garbage
    /// The length is larger than the body.
    case tooLong
    /// A second answer follows the first, that nobody asked for.
    case extra
    /// A chunk whose size is no number.
    case badChunk
}

/// Which requests meet one: a sequence from the seed, at the rate that the schedule sets.
struct SoakFaults {
    var perMille = 0
    /// When the last one happened, in milliseconds since the start.
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
