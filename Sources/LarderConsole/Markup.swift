// Builds markup. Texts and attribute values are escaped (HTML, §13.3). Only the names of elements and attributes, which
// are literals in the code, are written as they are. So no content of a response can become markup.
import LarderCore

/// The elements and texts in the order in which they are added.
struct Markup: Sendable {
    /// The attributes of an element. A nil value omits the attribute; an empty text writes only its name.
    typealias Attributes = KeyValuePairs<StaticString, String?>

    private(set) var text = ""

    /// Adds a text.
    mutating func add(_ text: String) { escape(text) }

    /// Adds an element and its content.
    mutating func add(
        _ name: StaticString, _ attributes: Attributes = [:], _ content: (inout Markup) -> Void
    ) {
        begin(name, attributes)
        content(&self)
        text += "</\(name)>"
    }

    /// Adds an element with a text.
    mutating func add(_ name: StaticString, _ attributes: Attributes = [:], text content: String) {
        add(name, attributes) { $0.add(content) }
    }

    /// Adds an element that has no content and no end tag: `input`, `meta`, `link`, `img`.
    mutating func addEmpty(_ name: StaticString, _ attributes: Attributes = [:]) { begin(name, attributes) }

    /// Adds a line break to the source, to make it readable.
    mutating func breakLine() { text += "\n" }

    /// Adds the first line of a document.
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
            // HTML documents must not contain these characters, and a browser would show replacement characters.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension StaticString {
    /// Whether the attribute is written with its value even if the value is empty.
    fileprivate var hasValue: Bool {
        switch "\(self)" {
        case "value", "alt": true
        default: false
        }
    }
}
