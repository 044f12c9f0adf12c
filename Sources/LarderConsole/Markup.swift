// Markup that is being written. Text and the values of attributes go in escaped (HTML, §13.3); only the names of elements and
// attributes, which the code says itself, go in as they are. So nothing that an answer holds can become markup.
import LarderCore

/// Elements and texts in the order in which they are added.
struct Markup: Sendable {
    /// The attributes of an element. Nil leaves one out; the empty text is a bare name.
    typealias Attributes = KeyValuePairs<StaticString, String?>

    private(set) var text = ""

    /// A text.
    mutating func add(_ text: String) { escape(text) }

    /// An element with what is added inside of it.
    mutating func add(
        _ name: StaticString, _ attributes: Attributes = [:], _ content: (inout Markup) -> Void
    ) {
        begin(name, attributes)
        content(&self)
        text += "</\(name)>"
    }

    /// An element with a text.
    mutating func add(_ name: StaticString, _ attributes: Attributes = [:], text content: String) {
        add(name, attributes) { $0.add(content) }
    }

    /// An element that has no content and no end: `input`, `meta`, `link`, `img`.
    mutating func addEmpty(_ name: StaticString, _ attributes: Attributes = [:]) { begin(name, attributes) }

    /// A line break in the source, for whoever reads it.
    mutating func breakLine() { text += "\n" }

    /// What a document begins with.
    mutating func addDoctype() { text += "<!doctype html>\n" }

    private mutating func begin(_ name: StaticString, _ attributes: Attributes) {
        text += "<\(name)"
        for case (let attribute, let value?) in attributes {
            text += " \(attribute)"
            guard !value.isEmpty || attribute.hasValue else { continue }
            text += "=\""
            escape(value)
            text += "\""
        }
        text += ">"
    }

    private mutating func escape(_ content: String) {
        for scalar in content.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            // No document may hold them, and a browser would show signs of an error.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension StaticString {
    /// An attribute that is told with its value though that is empty.
    fileprivate var hasValue: Bool {
        switch "\(self)" {
        case "value", "alt": true
        default: false
        }
    }
}
