// `Retry-After`: whole seconds or a date (RFC 9110 §10.2.3). A signed number, or any other text, says nothing. An end further
// ahead than any API means counts as one that is near: whoever sent it has made a mistake, and it must not cost a day.
import LarderCore

/// When another request may succeed, as an answer tells it.
public struct RetryAfter: Sendable, Hashable {
    public var until: WallTime
    /// The answer named a later instant, which is not believed.
    public var isBeyondReason: Bool

    /// An end up to this far ahead is believed.
    public static let longestBelieved: Duration = .seconds(86_400)
    /// One beyond that counts as this far ahead.
    public static let bound: Duration = .seconds(3600)

    /// What the fields say; nil where they say nothing that can be read.
    ///
    /// - Parameter now: when they came.
    public static func read(_ fields: HeaderFields, at now: WallTime) -> RetryAfter? {
        fields.first("Retry-After").flatMap { read($0, at: now) }
    }

    /// The same from the text of the field.
    public static func read(_ text: String, at now: WallTime) -> RetryAfter? {
        if !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) {
            // More digits than any number of seconds has say the same as the most of them.
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
