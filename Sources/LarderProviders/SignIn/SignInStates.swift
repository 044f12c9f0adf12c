// The one-time states of pending sign-ins (RFC 6749 §10.12). A page can deliver tokens only with such a state, so
// nobody can sign this daemon in to another account. Each state can be used once.
import LarderCore

public struct SignInStates: Sendable {
    /// The time that a person has to sign in.
    public static let lifetime = Duration.seconds(600)
    /// The greatest number of pending sign-ins. One more discards the oldest.
    public static let limit = 16
    /// The number of random bytes in a state: 256 bits.
    public static let length = 32

    private var open: [(state: Bytes, until: WallTime)] = []

    public init() {}

    /// Issues a new state.
    /// - Parameter random: `length` unpredictable bytes.
    public mutating func issue(_ random: Bytes, now: WallTime) -> String {
        expire(now)
        if open.count >= Self.limit { open.removeFirst() }
        let text = Base64URL.encode(random)
        open.append((Bytes(text: text), now + Self.lifetime))
        return text
    }

    /// Redeems a state. Returns true once for each state that was issued and has not expired.
    public mutating func redeem(_ text: String, now: WallTime) -> Bool {
        expire(now)
        let given = Bytes(text: text)
        // Every state is compared, each in constant time, so the time taken reveals nothing.
        var found: Int?
        for (place, one) in open.enumerated() where Secrets.equal(one.state, given) { found = place }
        guard let found else { return false }
        open.remove(at: found)
        return true
    }

    /// The number of pending sign-ins.
    public mutating func count(now: WallTime) -> Int {
        expire(now)
        return open.count
    }

    private mutating func expire(_ now: WallTime) {
        // The second condition also removes states that would live longer because the clock was set back.
        open.removeAll { $0.until <= now || $0.until - now > Self.lifetime }
    }
}
