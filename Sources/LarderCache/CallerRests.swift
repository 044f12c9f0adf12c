// A limit that an API states in an answer concerns the caller that the answer was made for. An API tells its callers
// apart by their credentials. So callers with the same credentials rest until the time that the API named, and all
// others go on. Requests without credentials of a client's own count as one caller.
import LarderCore

/// The callers of one provider that rest, each known by a digest of its credentials. Pure: the time is a parameter.
public struct CallerRests: Sendable, Hashable {
    public struct Rest: Sendable, Hashable {
        public var until: MonotonicTime
        /// The status of the answer that asked for the rest.
        public var status: Int

        public init(until: MonotonicTime, status: Int) {
            self.until = until
            self.status = status
        }
    }

    /// The most callers that are remembered. A further one takes the place of the one whose rest ends first.
    public static let most = 1024
    /// The longest rest. An error of an API must not stop a caller for longer.
    public static let longest: Duration = .seconds(3600)

    private var rests: [Bytes: Rest] = [:]

    public init() {}

    public var count: Int { rests.count }

    /// The rest that refuses calls of this caller now.
    public func rest(of caller: Bytes, now: MonotonicTime) -> Rest? {
        guard !rests.isEmpty, let rest = rests[caller], now < rest.until else { return nil }
        return rest
    }

    /// Records that the API asked this caller to wait. A rest that ends later stays.
    /// - Returns: whether another caller's rest was dropped for lack of room.
    public mutating func begin(_ rest: Rest, of caller: Bytes, now: MonotonicTime) -> Bool {
        let until = min(rest.until, now + Self.longest)
        guard until > now else { return false }
        if let known = rests[caller] {
            if known.until < until { rests[caller] = Rest(until: until, status: rest.status) }
            return false
        }
        var hasDropped = false
        if rests.count >= Self.most {
            rests = rests.filter { now < $0.value.until }
            if rests.count >= Self.most, let first = rests.min(by: { $0.value.until < $1.value.until })?.key {
                rests[first] = nil
                hasDropped = true
            }
        }
        rests[caller] = Rest(until: until, status: rest.status)
        return hasDropped
    }
}
