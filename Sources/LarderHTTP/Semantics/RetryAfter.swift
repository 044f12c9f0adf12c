// Reads `Retry-After`: whole seconds or a date (RFC 9110 §10.2.3). A signed number, or any other text, is ignored. A
// wait longer than any API can mean is an error of the sender, and must not stop requests for a day. It is replaced by
// a short one.
import LarderCore

/// When another request may succeed, according to a response.
public struct RetryAfter: Sendable, Hashable {
    public var until: WallTime
    /// Whether the response named a time that was too far ahead and was replaced.
    public var isBeyondReason: Bool

    /// The longest wait that is believed.
    public static let longestBelieved: Duration = .seconds(86_400)
    /// The wait that replaces a longer one.
    public static let bound: Duration = .seconds(3600)

    /// The value of the field; nil if it is absent or cannot be read.
    ///
    /// - Parameter now: the time at which the fields were received.
    public static func read(_ fields: HeaderFields, at now: WallTime) -> RetryAfter? {
        fields.first(.retryAfter).flatMap { read($0, at: now) }
    }

    /// The same from the text of the field.
    public static func read(_ text: String, at now: WallTime) -> RetryAfter? {
        if !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) {
            // A number with too many digits counts as the largest number of seconds.
            let seconds = DeltaSeconds.parse(text) ?? DeltaSeconds.limit
            return RetryAfter(in: .seconds(seconds), now)
        }
        guard text.utf8.count <= 40, let date = HTTPDate.parse(text, now: now) else { return nil }
        return RetryAfter(in: max(.zero, date - now), now)
    }

    private init(in wait: Duration, _ now: WallTime) {
        isBeyondReason = wait > Self.longestBelieved
        until = now + (isBeyondReason ? Self.bound : wait)
    }
}
