// What the upstream is asked for so that the answer can be stored as a part, and which parts of the representation are
// stored already.
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

    /// Whether an answer is a part of the same representation.
    func isSame(as answer: PartAnswer) -> Bool { content.isSame(as: answer.validator, length: answer.length) }

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

/// What a look-up found of parts. A class, since every look-up has room for one and few have use for it.
final class PartsLook: Sendable {
    /// What the stored parts are to the request.
    let decision: PartDecision
    /// The range that the upstream is asked for, so that it can be stored as a part.
    let plan: PartPlan?
    /// The parts that the request selects.
    let stored: StoredParts?

    init(_ decision: PartDecision, _ plan: PartPlan?, _ stored: StoredParts?) {
        (self.decision, self.plan, self.stored) = (decision, plan, stored)
    }
}

extension EntryCache.Found {
    /// The range that the upstream is asked for, so that it can be stored as a part.
    var part: PartPlan? {
        get { parts?.plan }
        set {
            if parts == nil, newValue == nil { return }
            parts = PartsLook(parts?.decision ?? .whole, newValue, parts?.stored)
        }
    }
}

extension EntryCache.Found {
    /// What is stored and may cover for an error: a whole answer, or parts.
    var older: StoredResponse? { entry ?? hidden ?? parts?.stored?.row }
}

/// One range that the upstream is asked for.
struct PartPlan: Sendable {
    /// What an answer is held against.
    let spec: ByteRange.Spec
    /// The value of `Range`.
    let range: String
    /// The value of `If-Range`.
    let ifRange: String?
    /// The client's own conditions, which go along where nothing stored is asked about: only the origin can judge them.
    private(set) var conditions: HeaderFields
    /// The parts that the answer is to be put together with: those of another representation are of no use with it.
    let stored: StoredParts?

    /// A stretch that lacks.
    init(_ stretch: Range<Int64>, of stored: StoredParts) {
        let last = stretch.upperBound - 1
        spec = .from(stretch.lowerBound, last: last)
        let isToTheEnd = stretch.upperBound == stored.content.length
        range = "bytes=\(stretch.lowerBound)-" + (isToTheEnd ? "" : "\(last)")
        ifRange = stored.content.mark
        conditions = [:]
        self.stored = stored
    }

    /// The range as its client wrote it; nil where it wrote none, several, or one that is ignored.
    /// - Parameter isJudged: the client's conditions go along.
    init?(asWritten fields: HeaderFields, isJudged: Bool) {
        guard let specs = ByteRange.specs(fields), specs.count == 1, let text = fields.first("Range") else {
            return nil
        }
        let ifRanges = fields.all("If-Range")
        guard ifRanges.count <= 1 else { return nil }
        spec = specs[0]
        range = text
        ifRange = ifRanges.first
        self.conditions = isJudged ? PassRequest.preconditions(fields) : [:]
        stored = nil
    }

    /// The same without the client's conditions.
    var unconditional: PartPlan {
        var plan = self
        plan.conditions = [:]
        return plan
    }

    /// The fields that ask for it.
    var fields: HeaderFields {
        var fields: HeaderFields = ["Range": range]
        if let ifRange { fields.add("If-Range", ifRange) }
        fields.lines += conditions.lines
        return fields
    }

    /// What makes two requests of the same target ask for the same.
    var identity: String {
        conditions.lines.reduce("\(range)\n\(ifRange ?? "")") { text, line in
            "\(text)\n\(FieldList.lowercased(line.name)): \(line.value)"
        }
    }
}
