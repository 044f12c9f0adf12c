// The members of results that --fields names and that the table has no column for by itself. Pure.
import LarderCore

struct ChosenColumns {
    /// Members with a column of their own, which is shown only where they are chosen. An address is cut last: half of it
    /// leads nowhere.
    private static let table: [(name: String, weight: Int)] = [
        ("id", 0), ("url", 8), ("summary", 3), ("genres", 2), ("artwork", 8),
    ]

    /// In the table's order, each once.
    let names: [String]
    /// The source is wanted, also where all results are of one.
    let includesProvider: Bool

    /// None is chosen.
    static let none = ChosenColumns(nil)

    /// - Parameter fields: the option's value: names with commas, in upper or lower case.
    init(_ fields: String?) {
        let words = (fields ?? "").split(separator: ",").map { String(ASCII.trimmed($0)) }
        func isChosen(_ name: String) -> Bool { words.contains { ASCII.equalFolded($0, name) } }
        names = Self.table.map(\.name).filter(isChosen)
        includesProvider = isChosen("provider")
    }

    var columns: [TableLayout.Column] {
        Self.table.filter { names.contains($0.name) }.map { .init($0.name.uppercased(), weight: $0.weight) }
    }

    /// What one result has of them.
    func cells(_ members: [String: String]) -> [String] { names.map { members[$0] ?? "" } }

    /// Those of one result that it has, as texts.
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
