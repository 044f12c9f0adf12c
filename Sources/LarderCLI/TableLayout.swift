// Lays out rows in columns that fit a terminal. Pure: widths in, lines out.

/// A table of texts.
struct TableLayout {
    struct Column {
        var title: String
        /// Whether the column is right-aligned, as numbers are.
        var isRight = false
        /// A column of weight 0 keeps the width that it needs. The others share the remaining width by weight.
        var weight = 0
        /// A narrow terminal leaves out the column with the greatest rank first. Rank 0 is always shown.
        var rank = 0

        init(_ title: String, isRight: Bool = false, weight: Int = 0, rank: Int = 0) {
            self.title = title
            self.isRight = isRight
            self.weight = weight
            self.rank = rank
        }
    }

    var columns: [Column]
    var rows: [[String]] = []

    /// Lines of at most `width` columns. The first one is the header. Columns that are empty in every row are left out.
    /// - Parameter link: the URL of a cell, which does not change its width.
    func lines(width: Int, link: (_ row: Int, _ column: Int) -> String? = { _, _ in nil }) -> [String] {
        let shown = shown(width: width)
        guard !shown.isEmpty else { return [] }
        let widths = fit(shown, width: width)
        func line(_ cells: [String], row: Int? = nil) -> String {
            var out = ""
            for (place, column) in shown.enumerated() {
                if place > 0 { out += "  " }
                let cell = DisplayWidth.cut(cells[column], to: widths[place])
                let padding = String(repeating: " ", count: widths[place] - DisplayWidth.of(cell))
                let text = row.flatMap { link($0, column) }.map { Hyperlink.text(cell, $0) } ?? cell
                out += columns[column].isRight ? padding + text : text + padding
            }
            while out.hasSuffix(" ") { out.removeLast() }
            return out
        }
        return [line(columns.map(\.title))] + rows.enumerated().map { line($1, row: $0) }
    }

    /// The width below which a weighted column of rank 0 makes others give way.
    private static let readable = 24

    /// The columns that are shown at a width.
    private func shown(width: Int) -> [Int] {
        var shown = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        while let least = shown.filter({ columns[$0].rank > 0 }).max(by: { columns[$0].rank < columns[$1].rank }) {
            let widths = zip(shown, needed(shown)).map { column, needed in
                columns[column].weight == 0 ? needed : min(needed, columns[column].rank == 0 ? Self.readable : 8)
            }
            guard widths.reduce(2 * (shown.count - 1), +) > width else { break }
            shown.removeAll { $0 == least }
        }
        return shown
    }

    /// Removes the columns with these titles.
    mutating func leaveOut(_ titles: [String]) {
        let kept = columns.indices.filter { !titles.contains(columns[$0].title) }
        rows = rows.map { row in kept.map { row[$0] } }
        columns = kept.map { columns[$0] }
    }

    /// The terminal width, in columns, at which no cell is shortened.
    var wholeWidth: Int {
        let shown = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        return needed(shown).reduce(2 * max(0, shown.count - 1), +)
    }

    private func needed(_ shown: [Int]) -> [Int] {
        shown.map { column in
            max(DisplayWidth.of(columns[column].title), rows.map { DisplayWidth.of($0[column]) }.max() ?? 0)
        }
    }

    /// The width of each shown column, which is the width of its widest cell. If the sum is too large, the weighted
    /// columns shrink, none below eight.
    private func fit(_ shown: [Int], width: Int) -> [Int] {
        let needed = needed(shown)
        let gaps = 2 * (shown.count - 1)
        var excess = needed.reduce(gaps, +) - width
        var widths = needed
        // Repeatedly shrinks the weighted column that is widest in relation to its weight.
        while excess > 0 {
            let candidates = shown.indices.filter { columns[shown[$0]].weight > 0 && widths[$0] > 8 }
            let widest = candidates.max { left, right in
                widths[left] * columns[shown[right]].weight < widths[right] * columns[shown[left]].weight
            }
            guard let widest else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}

/// A link in a terminal (OSC 8, which terminals without it ignore).
enum Hyperlink {
    /// Whether a URL of an answer may be a link: http or https, of printable ASCII.
    static func isSafe(_ url: String) -> Bool {
        url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && (url.hasPrefix("https://") || url.hasPrefix("http://"))
    }

    static func text(_ text: String, _ url: String) -> String {
        guard isSafe(url) else { return text }
        return "\u{1B}]8;;\(url)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
    }
}

/// The number of terminal columns that a text takes (Unicode Standard Annex #11: wide and full-width ones take two).
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: break
        }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return 1
        }
    }

    /// The text cut to at most `width` columns. A cut is marked by "…".
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var out = ""
        var taken = 0
        for character in text {
            let next = of(character)
            guard taken + next <= width - 1 else { break }
            out.append(character)
            taken += next
        }
        return out + "…"
    }
}
