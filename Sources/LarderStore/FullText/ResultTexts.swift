// The parts of a result that are searched: four texts of its JSON object, its kind, and a number that stands for its
// id. They are read from the stored body when it is indexed, so this also works for entries from an earlier run.
import LarderCore

/// The searched texts of one result. Absent ones are empty.
struct ResultTexts: Equatable {
    /// The most bytes of a text that are searched; the summary of an app may be a page.
    static let longestText = 1000

    /// The range of the object's bytes in the body.
    var place: Range<Int>
    /// A hash of its id: the same result has the same number in two entries. Two different results have the same hash
    /// with a probability of 1 in 2^64, and would be taken for one.
    var name: Int64
    var kind = ""
    var title = ""
    var creator = ""
    var collection = ""
    var summary = ""

    /// The results of a normalised body, which is a JSON array of objects. None for anything else.
    static func all(in body: Bytes, atMost limit: Int) -> [ResultTexts] {
        guard let root = try? JSON.parse(body), root.kind == .array else { return [] }
        return root.elements.prefix(limit).compactMap { ResultTexts($0) }
    }

    /// Reads the columns of a row of `result`: place, length, name, kind and the four texts. Nil for a place that no
    /// body has.
    init?(_ row: Statement, from first: Int32) {
        let (start, length) = (row.int(first), row.int(first + 1))
        guard start >= 0, length > 0, start <= Int64(ResultIndex.largestBody), length <= Int64(ResultIndex.largestBody)
        else { return nil }
        place = Int(start)..<Int(start + length)
        name = row.int(first + 2)
        kind = row.text(first + 3)
        title = row.text(first + 4)
        creator = row.text(first + 5)
        collection = row.text(first + 6)
        summary = row.text(first + 7)
    }

    private init?(_ value: JSONValue) {
        guard value.kind == .object else { return nil }
        place = value.range
        var id: String?
        for member in value.members {
            if member.isNamed("id") { id = member.value.string }
            if member.isNamed("kind") { kind = member.value.string ?? "" }
            if member.isNamed("title") { title = Self.text(member.value) }
            if member.isNamed("creator") { creator = Self.text(member.value) }
            if member.isNamed("collection") { collection = Self.text(member.value) }
            if member.isNamed("summary") { summary = Self.text(member.value) }
        }
        guard let id else { return nil }
        name = Self.hash(id)
    }

    private static func text(_ value: JSONValue) -> String {
        guard let text = value.string else { return "" }
        guard text.utf8.count > longestText else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: longestText)
        // The cut must not lie inside a scalar.
        while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        return String(text.unicodeScalars[..<end])
    }

    /// FNV-1a suffices: the text is short, nobody attacks it, and a collision only makes two results count as one.
    private static func hash(_ text: String) -> Int64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: state)
    }
}
