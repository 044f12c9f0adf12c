// Reads XML into a tree, by Expat. A document type declaration is refused, and with it every entity of the document's own:
// no feed needs one, and a few bytes of it can stand for gigabytes. Nothing is ever loaded from elsewhere.
import CExpat
import LarderCore

/// One element. Text in several pieces is one text.
final class XMLElement {
    /// The name as written in a document with the usual prefixes: "title", "dc:creator", "media:thumbnail".
    let name: String
    let attributes: [String: String]
    /// Texts and elements in their order.
    private var parts: [Part] = []

    private enum Part {
        case text(Bytes)
        case element(XMLElement)
    }

    fileprivate init(_ name: String, _ attributes: [String: String]) {
        (self.name, self.attributes) = (name, attributes)
    }

    var children: [XMLElement] {
        parts.compactMap { if case .element(let child) = $0 { child } else { nil } }
    }

    /// The element's own text, and that of all elements in it.
    var text: String { String(decoding: content(isMarkup: false), as: UTF8.self) }

    /// What stands in the element, as HTML.
    var markup: String { String(decoding: content(isMarkup: true), as: UTF8.self) }

    private func content(isMarkup: Bool) -> Bytes {
        var bytes: Bytes = []
        for part in parts {
            switch part {
            case .text(let text) where isMarkup:
                for byte in text { bytes += Self.escapes[byte] ?? [byte] }
            case .text(let text): bytes += text
            case .element(let child):
                let inner = child.content(isMarkup: isMarkup)
                bytes += isMarkup ? Bytes(text: "<\(child.name)>") + inner + Bytes(text: "</\(child.name)>") : inner
            }
        }
        return bytes
    }

    private static let escapes: [UInt8: Bytes] = [
        0x26: Bytes(text: "&amp;"), 0x3C: Bytes(text: "&lt;"), 0x3E: Bytes(text: "&gt;"),
    ]

    func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    fileprivate func add(_ child: XMLElement) { parts.append(.element(child)) }

    fileprivate func add(_ text: UnsafeRawBufferPointer) { parts.append(.text(Bytes(text))) }
}

/// What is wrong with a document.
struct XMLError: Error, Sendable {
    let message: String
}

enum XMLTree {
    /// The most elements of a document, and the deepest of them.
    static let mostElements = 200_000
    static let deepest = 64
    /// The longest document, in bytes.
    static let longest = 16 << 20

    /// The root of a document.
    static func parse(_ body: Bytes) throws(XMLError) -> XMLElement {
        guard body.count <= longest else { throw XMLError(message: "It has more than \(longest) bytes.") }
        guard let parser = XML_ParserCreateNS(nil, 0x7C) else { throw XMLError(message: "There is no memory for it.") }
        defer { XML_ParserFree(parser) }
        let reader = XMLReader(parser)
        // The reader outlives the parser's calls: it is kept below until they are done.
        XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
        XML_SetReturnNSTriplet(parser, 1)
        XML_SetElementHandler(
            parser, { XMLReader.of($0)?.begin($1, $2) }, { data, _ in XMLReader.of(data)?.end() })
        XML_SetCharacterDataHandler(parser) { XMLReader.of($0)?.add($1, $2) }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
            XMLReader.of(data)?.stop("It has a document type declaration.")
        }
        XML_SetUnknownEncodingHandler(parser, { WindowsEncoding.tell(name: $1, $2) }, nil)
        let isRead = withExtendedLifetime(reader) {
            body.withUnsafeBytes { bytes in
                XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count), 1)
            }
        }
        if let fault = reader.fault { throw XMLError(message: fault) }
        guard isRead == XML_STATUS_OK, let root = reader.root else {
            let why = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no element found"
            throw XMLError(message: "\(why), line \(XML_GetCurrentLineNumber(parser))")
        }
        return root
    }
}

/// Builds the tree from Expat's calls.
private final class XMLReader {
    private let parser: XML_Parser
    private(set) var root: XMLElement?
    private(set) var fault: String?
    private var open: [XMLElement] = []
    private var count = 0

    init(_ parser: XML_Parser) { self.parser = parser }

    static func of(_ data: UnsafeMutableRawPointer?) -> XMLReader? {
        data.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    func stop(_ why: String) {
        fault = fault ?? why
        XML_StopParser(parser, 0)
    }

    func begin(_ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        count += 1
        guard count <= XMLTree.mostElements else { return stop("It has more than \(XMLTree.mostElements) elements.") }
        guard open.count < XMLTree.deepest else { return stop("It is more than \(XMLTree.deepest) elements deep.") }
        var attributes: [String: String] = [:]
        var place = 0
        while let list, let key = list[place], let value = list[place + 1] {
            let name = String(cString: key)
            if Self.keptAttributes.contains(name) { attributes[name] = String(cString: value) }
            place += 2
        }
        let element = XMLElement(Self.name(name.map { String(cString: $0) } ?? ""), attributes)
        if let parent = open.last { parent.add(element) } else { root = element }
        open.append(element)
    }

    func end() { _ = open.popLast() }

    func add(_ text: UnsafePointer<CChar>?, _ count: Int32) {
        guard let text, let element = open.last else { return }
        element.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }

    /// The attributes that feeds need. Others would only take room, and there may be millions.
    private static let keptAttributes: Set = ["href", "rel", "url", "type", "medium", "term", "value", "isPermaLink"]

    /// The usual prefix of a name, whatever the document's own is. Expat gives "namespace|name|prefix".
    private static func name(_ text: String) -> String {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return text }
        let name = String(parts[1])
        if let usual = usualPrefixes[String(parts[0])] { return usual.isEmpty ? name : "\(usual):\(name)" }
        return parts.count > 2 ? "\(parts[2]):\(name)" : name
    }

    private static let usualPrefixes = [
        "http://www.w3.org/2005/Atom": "", "http://purl.org/rss/1.0/": "",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://purl.org/dc/elements/1.1/": "dc",
        "http://purl.org/rss/1.0/modules/content/": "content", "http://search.yahoo.com/mrss/": "media",
        "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes", "http://a9.com/-/spec/opensearch/1.1/": "opensearch",
        "http://www.w3.org/1999/xhtml": "",
    ]
}

/// The one encoding of feeds that Expat does not know by itself (encoding.spec.whatwg.org, windows-1252).
private enum WindowsEncoding {
    static func tell(name: UnsafePointer<CChar>?, _ info: UnsafeMutablePointer<XML_Encoding>?) -> Int32 {
        guard let name, let info, String(cString: name).lowercased() == "windows-1252" else { return 0 }
        withUnsafeMutableBytes(of: &info.pointee.map) { bytes in
            let map = bytes.bindMemory(to: Int32.self)
            for code in 0..<256 { map[code] = Int32(CharacterReference.windows1252(code)) }
        }
        return 1
    }
}
