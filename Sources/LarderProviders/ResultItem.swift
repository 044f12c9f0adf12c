// The common shape of a result, member by member: absent where absent. `ResultList` writes it in this one order, so
// that equal answers are equal bytes.
import LarderCore

/// One result of any provider.
struct ResultItem {
    var id: String
    var kind: String
    var title: String
    var creator: String?
    var collection: String?
    var summary: String?
    var url: String?
    var price: Price?
    var genres: [String] = []
    private(set) var publishedAt: WallTime?
    /// The same as it is written.
    private(set) var publishedAtText: String?
    var artwork: Artwork?
    /// What only this source has, in the order it is written.
    var attributes: [(name: StaticString, value: Attribute)] = []
    /// Further attributes as the inside of a JSON object, known to be valid and not empty.
    var furtherAttributes: Bytes?

    /// The members of a result, in the order in which they are written.
    static let members = [
        "id", "provider", "kind", "title", "creator", "collection", "summary", "url", "price", "genres", "publishedAt",
        "artwork", "attributes",
    ]

    init(id: String, kind: String, title: String) {
        self.id = id
        self.kind = kind
        self.title = title
    }

    /// Takes an upstream date; what cannot be read as one is absent.
    mutating func setPublished(_ text: String?) {
        guard let text, let time = DateText.parse(text) else { return }
        publishedAt = time
        publishedAtText = DateText.rfc3339(time, from: text)
    }

    /// An amount with all the digits that count, and what it is counted in.
    struct Price: Equatable {
        /// A JSON number.
        var amount: String
        /// ISO 4217; of D&D equipment the coin.
        var currency: String
    }

    /// Upstream URLs of one picture.
    struct Artwork: Equatable {
        var small: String
        var large: String
        var original: String
    }

    enum Attribute {
        case text(String)
        /// A JSON number as text.
        case number(String)
        case flag(Bool)
        case texts([String])
        /// Any JSON text that is known to be valid.
        case json(Bytes)
    }

    /// Attributes that are absent upstream, or empty texts and lists, are not written.
    mutating func attribute(_ name: StaticString, text: String?) {
        if let text, !text.isEmpty { attributes.append((name, .text(text))) }
    }

    mutating func attribute(_ name: StaticString, number: String?) {
        if let number { attributes.append((name, .number(number))) }
    }

    mutating func attribute(_ name: StaticString, flag: Bool?) {
        if let flag { attributes.append((name, .flag(flag))) }
    }

    mutating func attribute(_ name: StaticString, numbers: [Int]) {
        guard !numbers.isEmpty else { return }
        attributes.append((name, .json(Bytes(text: "[\(numbers.map(String.init).joined(separator: ","))]"))))
    }

    mutating func attribute(_ name: StaticString, texts: [String]) {
        if !texts.isEmpty { attributes.append((name, .texts(texts))) }
    }
}

/// A text of an API as a JSON string. Control characters that are no white space become spaces: whatever an answer's text
/// is printed on must not be driven by it. Most texts need no change and are copied whole.
enum JSONText {
    static func append(_ text: String, to bytes: inout Bytes) {
        bytes.append(0x22)
        var text = text.replacingControls(with: " ", keeping: "\n\r\t".unicodeScalars)
        text.withUTF8 { input in
            var start = 0
            for place in input.indices {
                let byte = input[place]
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[start..<place]))
                start = place + 1
                escape(byte, to: &bytes)
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[start...]))
        }
        bytes.append(0x22)
    }

    private static func escape(_ byte: UInt8, to bytes: inout Bytes) {
        switch byte {
        case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, byte])
        case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
        case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
        default: bytes.append(contentsOf: [0x5C, 0x74])
        }
    }
}
