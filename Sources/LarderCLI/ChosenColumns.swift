// The members of results that --fields names and that the table does not show by default. Pure.
import LarderCore

struct ChosenColumns {
    /// Members whose columns are shown only on request. A URL has a large weight so that it is shortened last, because
    /// a shortened URL is useless.
    private static let table: [(name: String, weight: Int)] = [
        ("id", 0), ("url", 8), ("summary", 3), ("genres", 2), ("artwork", 8),
    ]

    /// The chosen members in the order of the table, each once.
    let names: [String]
    /// Whether the source column is shown even if all results have the same source.
    let includesProvider: Bool

    /// No members are chosen.
    static let none = ChosenColumns(nil)

    /// - Parameter fields: the option's value: names separated by commas, in any letter case.
    init(_ fields: String?) {
        let words = (fields ?? "").split(separator: ",").map { String(ASCII.trimmed($0)) }
        func isChosen(_ name: String) -> Bool { words.contains { ASCII.equalFolded($0, name) } }
        names = Self.table.map(\.name).filter(isChosen)
        includesProvider = isChosen("provider")
    }

    var columns: [TableLayout.Column] {
        Self.table.filter { names.contains($0.name) }.map { .init($0.name.uppercased(), weight: $0.weight) }
    }

    /// The cells of one result, one for each chosen member.
    func cells(_ members: [String: String]) -> [String] { names.map { members[$0] ?? "" } }

    /// The values of these members in a result, as texts. Members that the result lacks are left out.
    static func members(of result: JSONValue) -> [String: String] {
        var members: [String: String] = [:]
        for (name, _) in table {
            guard let value = result[name] else { continue }
            let text =
                switch name {
                case "genres": value.elements.compactMap(\.string).joined(separator: ", ")
                case "artwork": value["small"]?.string ?? value["original"]?.string ?? ""
                default: value.string ?? ""
                }
            members[name] = Console.printable(text)
        }
        return members
    }
}
