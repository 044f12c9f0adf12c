// The explanations of technical words. They are in Files/glossary.js, which the scripts import and this file parses.
import LarderCore

enum Glossary {
    /// The explanations by word.
    static let words: [String: String] = {
        guard let file = ConsoleFile.named("glossary.js")?.body, let start = file.firstIndex(of: 0x7B),
            let end = file.lastIndex(of: 0x7D), let words = try? JSON.parse(Bytes(file[start...end]))
        else { return [:] }
        return Dictionary(words.members.map { ($0.name, $0.value.string ?? "") }) { _, last in last }
    }()
}

extension Markup {
    /// Adds a word with its explanation, which is shown on hover and on keyboard focus.
    /// - Parameter isStop: whether the Tab key stops at the word. It does not in long lists.
    mutating func addTerm(_ name: String, _ label: String? = nil, pill: String? = nil, isStop: Bool = true) {
        let label = label ?? name.spaced
        let style = pill.map { "pill \($0)" }
        guard let told = Glossary.words[name] else { return add("span", ["class": style], text: label) }
        add(
            "abbr",
            ["class": style.map { "term \($0)" } ?? "term", "title": told, "tabindex": isStop ? "0" : nil], text: label)
    }
}

extension String {
    /// "budgetSpent" → "budget spent".
    var spaced: String {
        var out = ""
        for character in self {
            if character.isASCII, character.isUppercase, out.last?.isLowercase == true { out += " " }
            out += character.isASCII ? character.lowercased() : String(character)
        }
        return out
    }
}
