// The changes of a field's texts. There are at most twenty: what does not fit is a Swift function with a name, so that the
// value of a provider still shows where one is.
import LarderCore

/// A function of a record that yields texts.
struct RecordFunction: Sendable {
    let name: String
    let body: @Sendable (JSONValue) -> [String]

    init(_ name: String, _ body: @escaping @Sendable (JSONValue) -> String?) {
        (self.name, self.body) = (name, { record in body(record).map { [$0] } ?? [] })
    }

    init(_ name: String, texts body: @escaping @Sendable (JSONValue) -> [String]) {
        (self.name, self.body) = (name, body)
    }
}

/// A function of one text that yields others, or none.
struct TextFunction: Sendable {
    let name: String
    let body: @Sendable (String) -> [String]

    init(_ name: String, all body: @escaping @Sendable (String) -> [String]) { (self.name, self.body) = (name, body) }

    init(_ name: String, _ body: @escaping @Sendable (String) -> String?) {
        self.init(name) { text in body(text).map { [$0] } ?? [] }
    }
}

/// A change of a field's texts. Those of `TransformNames` can be named in providers' files too.
enum Transform: Sendable {
    /// One line of plain text; an empty one is left out.
    case line
    /// The same from HTML.
    case html
    /// Paragraphs of plain text from HTML; an empty text is left out.
    case paragraphs
    /// At most this many characters of one line, the last of them "…" if there are more.
    case shortened(Int)
    /// The part behind the last slash.
    case lastSegment
    /// Behind this text.
    case prefix(String)
    /// Only whole numbers in this range, written plainly.
    case integer(ClosedRange<Int>)
    /// Only texts of this form.
    case matching(TextPattern)
    /// The URL of a path of the API; other texts are left out.
    case absolute
    /// Only http and https URLs. One without a scheme (`//host/path`) is of https; spaces are encoded.
    case web
    /// Only http and https URLs, as they are, or only other texts.
    case link, noLink
    /// A date or an instant in its one form (RFC 3339).
    case instant
    /// A date out of seconds since 1970.
    case unixTime
    /// The first hexadecimal digits of a digest, as an id.
    case digest(Int)
    /// What a function makes of each text.
    case using(TextFunction)
    /// Only the first texts.
    case most(Int)
    /// One text, joined by this one.
    case join(String)

    static func apply(_ transforms: [Transform], to texts: [String], _ base: AnswerBase?) -> [String] {
        transforms.reduce(texts) { texts, transform in texts.isEmpty ? texts : transform.apply(to: texts, base) }
    }

    /// The same for one text; nil if it is left out.
    static func apply(_ transforms: [Transform], to text: String, _ base: AnswerBase?) -> String? {
        var text = text
        for transform in transforms {
            guard let changed = transform.changed(text, base) else { return nil }
            text = changed
        }
        return text
    }

    private func apply(to texts: [String], _ base: AnswerBase?) -> [String] {
        switch self {
        case .most(let count): Array(texts.prefix(count))
        case .join(let mark): [texts.joined(separator: mark)]
        case .using(let function): texts.flatMap(function.body)
        default: texts.compactMap { changed($0, base) }
        }
    }

    private func changed(_ text: String, _ base: AnswerBase?) -> String? {
        switch self {
        case .line: return TextCleaning.line(text)
        case .html: return TextCleaning.htmlLine(text)
        case .paragraphs: return TextCleaning.paragraphs(text)
        case .shortened(let count): return Self.shortened(text, to: count)
        case .lastSegment: return text.split(separator: "/").last.map(String.init)
        case .prefix(let before): return before + text
        case .integer(let range): return Int(text).flatMap { range.contains($0) ? String($0) : nil }
        case .matching(let pattern): return pattern.matches(text) ? text : nil
        case .absolute: return base?.url(text)
        case .web:
            let url = (text.hasPrefix("//") ? "https:" + text : text).replacing(" ", with: "%20")
            return WebURL(url) == nil ? nil : url
        case .link: return WebURL.isWeb(text) ? text : nil
        case .noLink: return WebURL.isWeb(text) ? nil : text
        case .digest(let count): return String(Digest(of: Bytes(text: text)).hex.prefix(count))
        case .using(let function): return function.body(text).first
        case .instant: return DateText.parse(text)?.rfc3339
        case .unixTime:
            // The years that four digits can write.
            let seconds = Int64(text).flatMap { (-62_135_596_800...253_402_300_799).contains($0) ? $0 : nil }
            return seconds.map { WallTime(seconds: $0).rfc3339 }
        case .most, .join: return text
        }
    }

    private static func shortened(_ text: String, to count: Int) -> String {
        let line = TextCleaning.line(text) ?? text
        return line.count <= count ? line : line.prefix(count - 1) + "…"
    }
}

/// A function of a request that tells whether an answer holds what the request names; nil if it names nothing.
struct CheckFunction: Sendable {
    typealias Check = @Sendable (JSONValue) -> Bool

    let name: String
    let body: @Sendable (UpstreamRequest) -> Check?

    init(_ name: String, _ body: @escaping @Sendable (UpstreamRequest) -> Check?) {
        (self.name, self.body) = (name, body)
    }
}
