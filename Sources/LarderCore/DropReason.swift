// The reasons why a record of an API gives no result. The words appear in responses (`droppedReasons`) and in stored
// rows, so a word must keep its meaning. The command line, the interface description and the documentation take their
// sentences from here.

/// A reason, with the word that responses use as its raw value.
public enum DropReason: String, Sendable, CaseIterable {
    case dead
    case deleted
    case id
    case idOrName = "id or name"
    case idOrText = "id or text"
    case idOrTitle = "id or title"
    case index
    case kind
    case name
    case noPicture = "no picture"
    case notAnObject = "not an object"
    case null
    case removed
    case repeated
    case size
    case text
    case title
    case type

    /// The phrase that follows a count, as in "2 of an unknown kind".
    public var phrase: String {
        switch self {
        case .dead: "that moderators removed"
        case .deleted: "that their authors deleted"
        case .id: "without a usable id"
        case .idOrName: "without a usable id or name"
        case .idOrText: "without a usable id or text"
        case .idOrTitle: "without a usable id or title"
        case .index: "without a usable index"
        case .kind: "of an unknown kind"
        case .name: "without a name"
        case .noPicture: "without a picture"
        case .notAnObject: "that are not JSON objects"
        case .null: "that are null"
        case .removed: "that the source removed"
        case .repeated: "that occur in the answer already"
        case .size: "that are too large"
        case .text: "without a text"
        case .title: "without a title"
        case .type: "of an unknown type"
        }
    }

    /// Describes counts in words: "2 of an unknown kind, 1 without a title".
    /// - Parameter counts: by word. A word that is not in the table is shown as it is: "3 (word)".
    public static func described(_ counts: [(word: String, count: Int)]) -> String {
        counts.map { word, count in
            "\(count) \(DropReason(rawValue: word)?.phrase ?? "(\(word))")"
        }.joined(separator: ", ")
    }
}
