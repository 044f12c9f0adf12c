// The common form of a result, member by member. A value that the source lacks is absent. `ResultList` writes the
// members in one fixed order, so equal answers have equal bytes.
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
    /// Sorts a result without a date.
    var year: Int?
    private(set) var publishedAt: WallTime?
    /// The same instant in the form in which it is written.
    private(set) var publishedAtText: String?
    var artwork: Artwork?
    /// The attributes that only this source has, in the order in which they are written.
    var attributes = ResultAttributes()
    /// Further attributes, as the members of a JSON object without its braces; known to be valid and not empty.
    var furtherAttributes: Bytes?

    /// The most bytes of one result. The longest that is known, a film with all its credits and pictures, has one million.
    static let mostBytes = 4 << 20

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

    /// Sets the publication date from an upstream date. A text that is not a date is ignored.
    mutating func setPublished(_ text: String?) {
        guard let text, let time = DateText.parse(text) else { return }
        publishedAt = time
        publishedAtText = DateText.rfc3339(time, from: text)
    }

    /// An amount with all its significant digits, and its currency.
    struct Price: Equatable {
        /// A JSON number.
        var amount: String
        /// An ISO 4217 code; for D&D equipment, the coin.
        var currency: String

        /// Appends the price as a JSON object.
        func append(to bytes: inout Bytes) {
            bytes.append(0x7B)
            JSONText.append(name: "amount", first: true, to: &bytes)
            JSONText.append(plain: amount, to: &bytes)
            JSONText.append(name: "currency", to: &bytes)
            JSONText.append(currency, to: &bytes)
            bytes.append(0x7D)
        }
    }

    /// Upstream URLs of one picture.
    struct Artwork: Equatable {
        var small: String
        var large: String
        var original: String
    }
}
