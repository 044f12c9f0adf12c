// The changes of a field's texts. There are at most twenty: what does not fit is a Swift function with a name, so that the
// value of a provider still shows where one is.
import LarderCore

/// A function of a record that yields one text, or none.
struct RecordFunction: Sendable {
    let name: String
    let body: @Sendable (JSONValue) -> String?

    init(_ name: String, _ body: @escaping @Sendable (JSONValue) -> String?) { (self.name, self.body) = (name, body) }
}

/// A function of one text that yields another, or none.
struct TextFunction: Sendable {
    let name: String
    let body: @Sendable (String) -> String?

    init(_ name: String, _ body: @escaping @Sendable (String) -> String?) { (self.name, self.body) = (name, body) }
}

/// A change of a field's texts. Each has a name in providers' files.
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
    /// Only http and https URLs. One without a scheme (`//host/path`) is of https.
    case web
    /// Only http and https URLs, as they are, or only other texts.
    case link, noLink
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

    private func apply(to texts: [String], _ base: AnswerBase?) -> [String] {
        switch self {
        case .line: texts.compactMap(TextCleaning.line)
        case .html: texts.compactMap(TextCleaning.htmlLine)
        case .paragraphs: texts.compactMap(TextCleaning.paragraphs)
        case .shortened(let count): texts.map { Self.shortened($0, to: count) }
        case .lastSegment: texts.compactMap { $0.split(separator: "/").last.map(String.init) }
        case .prefix(let text): texts.map { text + $0 }
        case .integer(let range): texts.compactMap { Int($0).flatMap { range.contains($0) ? String($0) : nil } }
        case .matching(let pattern): texts.filter(pattern.matches)
        case .absolute: texts.compactMap { base?.url($0) }
        case .web:
            texts.compactMap { text in
                let url = text.hasPrefix("//") ? "https:" + text : text
                return WebURL(url) == nil ? nil : url
            }
        case .link: texts.filter(WebURL.isWeb)
        case .noLink: texts.filter { !WebURL.isWeb($0) }
        case .digest(let count): texts.map { String(Digest(of: Bytes(text: $0)).hex.prefix(count)) }
        case .using(let function): texts.compactMap(function.body)
        case .unixTime:
            texts.compactMap { text in
                // The years that four digits can write.
                Int64(text).flatMap { (-62_135_596_800...253_402_300_799).contains($0) ? $0 : nil }
                    .map { WallTime(seconds: $0).rfc3339 }
            }
        case .most(let count): Array(texts.prefix(count))
        case .join(let mark): [texts.joined(separator: mark)]
        }
    }

    private static func shortened(_ text: String, to count: Int) -> String {
        let line = TextCleaning.line(text) ?? text
        return line.count <= count ? line : line.prefix(count - 1) + "…"
    }
}
