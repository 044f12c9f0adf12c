// Which range the upstream is asked for so that its response can be stored as a part, and which parts of the
// representation are already stored.
import LarderCache
import LarderCore
import LarderHTTP

/// The stored parts of one representation.
struct StoredParts: Sendable {
    /// The endpoint name that marks the row of a list of parts.
    static let listName = "parts"
    /// The endpoint name that marks the row of a part.
    static let partName = "part"

    /// The row of the list. It holds the head of the whole representation.
    var row: StoredResponse
    var content: PartialContent

    /// Whether a response is a part of the same representation.
    func isSame(as answer: PartAnswer) -> Bool { content.isSame(as: answer.validator, length: answer.length) }
}

extension StoredParts {
    /// Decodes the list from a row. Nil if the row holds something else.
    init?(_ row: StoredResponse) {
        guard row.endpoint == Self.listName, row.large == nil, let content = PartialContent(decoding: row.body) else {
            return nil
        }
        self.init(row: row, content: content)
    }
}

/// What a look-up found out about parts. This is a class because every look-up reserves space for it and few need it.
final class PartsLook: Sendable {
    /// How the stored parts relate to the request.
    let decision: PartDecision
    /// The range to ask the upstream for, so that its response can be stored as a part.
    let plan: PartPlan?
    /// The stored parts that the request selects.
    let stored: StoredParts?

    init(_ decision: PartDecision, _ plan: PartPlan?, _ stored: StoredParts?) {
        (self.decision, self.plan, self.stored) = (decision, plan, stored)
    }
}

extension EntryCache.Found {
    /// The range to ask the upstream for, so that its response can be stored as a part.
    var part: PartPlan? {
        get { self.parts?.plan }
        set {
            if self.parts == nil, newValue == nil { return }
            self.parts = PartsLook(self.parts?.decision ?? .whole, newValue, self.parts?.stored)
        }
    }
}

extension EntryCache.Found {
    /// What is stored and can stand in for an error: a whole response, or parts.
    var older: StoredResponse? { self.entry ?? self.hidden ?? self.parts?.stored?.row }
}

/// One range to ask the upstream for.
struct PartPlan: Sendable {
    /// The range that a response is checked against.
    let spec: ByteRange.Spec
    /// The value of `Range`.
    let range: String
    /// The value of `If-Range`.
    let ifRange: String?
    /// The client's own conditions. They are sent if no stored response is being validated, because only the origin can
    /// judge them.
    private(set) var conditions: HeaderFields
    /// The stored parts to combine the response with. Parts of another representation are of no use with it.
    let stored: StoredParts?

    /// Plans the request for missing bytes of stored parts. A range with an end is asked for with one: some origins serve
    /// no others.
    /// - Parameter fields: those of the client.
    init(_ stretch: Range<Int64>, of stored: StoredParts, for fields: HeaderFields) {
        let last = stretch.upperBound - 1
        spec = .from(stretch.lowerBound, last: last)
        let isOpen = stretch.upperBound == stored.content.length && !Self.hasEnd(fields)
        range = "bytes=\(stretch.lowerBound)-" + (isOpen ? "" : "\(last)")
        ifRange = stored.content.mark
        conditions = [:]
        self.stored = stored
    }

    /// Plans the request for the range as the client wrote it. Nil if the client sent no range, several ranges, several
    /// `If-Range` fields, or a range that is ignored.
    /// - Parameter isJudged: whether the client's conditions are sent too.
    init?(asWritten fields: HeaderFields, isJudged: Bool) {
        guard let specs = ByteRange.specs(fields), specs.count == 1, let text = fields.first(.range) else {
            return nil
        }
        let ifRanges = fields.all(.ifRange)
        guard ifRanges.count <= 1 else { return nil }
        spec = specs[0]
        range = text
        ifRange = ifRanges.first
        self.conditions = isJudged ? PassRequest.preconditions(fields) : [:]
        stored = nil
    }

    /// Whether the client wrote where its range ends.
    private static func hasEnd(_ fields: HeaderFields) -> Bool {
        guard case .from(_, last: .some)? = ByteRange.specs(fields)?.last else { return false }
        return true
    }

    /// The same plan without the client's conditions.
    var unconditional: PartPlan {
        var plan = self
        plan.conditions = [:]
        return plan
    }

    /// The request fields that ask for this range.
    var fields: HeaderFields {
        var fields: HeaderFields = ["Range": range]
        if let ifRange { fields.add(.ifRange, ifRange) }
        fields.add(conditions)
        return fields
    }

    /// Two requests for the same target ask for the same bytes if this text is equal.
    var identity: String {
        conditions.reduce("\(range)\n\(ifRange ?? "")") { text, line in
            "\(text)\n\(FieldList.lowercased(line.name)): \(line.value)"
        }
    }
}
