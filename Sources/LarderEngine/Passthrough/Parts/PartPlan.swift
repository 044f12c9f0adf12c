// What the upstream is asked for so that the answer can be stored as a part, and what is stored of the representation already.
import LarderCache
import LarderCore
import LarderHTTP

/// What is stored of a representation in parts.
struct StoredParts: Sendable {
    /// The name of the row of a list of parts.
    static let listName = "parts"
    /// The name of the row of a part.
    static let partName = "part"

    /// The row of the list: it has the head of the whole representation.
    var row: StoredResponse
    var content: PartialContent

    init(row: StoredResponse, content: PartialContent) {
        self.row = row
        self.content = content
    }

    /// The list that a row holds; nil where it holds something else.
    init?(_ row: StoredResponse) {
        guard row.endpoint == Self.listName, row.large == nil, let content = PartialContent(decoding: row.body) else {
            return nil
        }
        self.init(row: row, content: content)
    }
}

/// One range that the upstream is asked for.
struct PartPlan: Sendable {
    /// What an answer is held against.
    let spec: ByteRange.Spec
    /// The value of `Range`.
    let range: String
    /// The value of `If-Range`.
    let ifRange: String?
    /// The parts that the answer is to be put together with: those of another representation are of no use with it.
    let stored: StoredParts?

    /// A stretch that lacks.
    init(_ stretch: Range<Int64>, of stored: StoredParts) {
        let last = stretch.upperBound - 1
        spec = .from(stretch.lowerBound, last: last)
        let isToTheEnd = stretch.upperBound == stored.content.length
        range = "bytes=\(stretch.lowerBound)-" + (isToTheEnd ? "" : "\(last)")
        ifRange = stored.content.mark
        self.stored = stored
    }

    /// The range as its client wrote it; nil where it wrote none, several, or one that is ignored.
    /// - Parameter isCondition: another condition of ours goes along, and takes the place of the client's `If-Range`.
    init?(asWritten fields: HeaderFields, isCondition: Bool = false) {
        guard let specs = ByteRange.specs(fields), specs.count == 1, let text = fields.first("Range") else {
            return nil
        }
        let conditions = isCondition ? [] : fields.all("If-Range")
        guard conditions.count <= 1 else { return nil }
        spec = specs[0]
        range = text
        ifRange = conditions.first
        stored = nil
    }

    /// The fields that ask for it.
    var fields: HeaderFields {
        var fields: HeaderFields = ["Range": range]
        if let ifRange { fields.add("If-Range", ifRange) }
        return fields
    }

    /// What makes two requests of the same target ask for the same.
    var identity: String { "\(range)\n\(ifRange ?? "")" }
}
