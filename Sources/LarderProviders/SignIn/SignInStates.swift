// The one-time states of sign-ins under way (RFC 6749 §10.12): a page may hand over tokens only with one of them, so
// nobody can sign this daemon in as somebody else, and each is good for one answer.
import LarderCore

public struct SignInStates: Sendable {
    /// For that long a person may take to sign in.
    public static let lifetime = Duration.seconds(600)
    /// Sign-ins under way at once; beyond it the oldest is given up.
    public static let limit = 16
    /// Random bytes of one state: 256 bits.
    public static let length = 32

    private var open: [(state: Bytes, until: WallTime)] = []

    public init() {}

    /// A new state.
    /// - Parameter random: `length` bytes no one can guess.
    public mutating func issue(_ random: Bytes, now: WallTime) -> String {
        expire(now)
        if open.count >= Self.limit { open.removeFirst() }
        let text = Base64URL.encode(random)
        open.append((Bytes(text: text), now + Self.lifetime))
        return text
    }

    /// Takes a state back: true once for one that was issued in time.
    public mutating func redeem(_ text: String, now: WallTime) -> Bool {
        expire(now)
        let given = Bytes(text: text)
        // All of them are compared, each in constant time: how long it takes tells nothing.
        var found: Int?
        for (place, one) in open.enumerated() where Secrets.equal(one.state, given) { found = place }
        guard let found else { return false }
        open.remove(at: found)
        return true
    }

    /// How many sign-ins are under way.
    public mutating func count(now: WallTime) -> Int {
        expire(now)
        return open.count
    }

    private mutating func expire(_ now: WallTime) {
        // A clock that was set back lets none live longer.
        open.removeAll { $0.until <= now || $0.until - now > Self.lifetime }
    }
}
