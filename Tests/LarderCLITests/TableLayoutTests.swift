// Tables fit the terminal in every script.
import Testing

@testable import LarderCLI

struct TableLayoutTests {
    private let table = {
        var table = TableLayout(columns: [
            .init("", isRight: true), .init("TITLE", weight: 3), .init("BY", weight: 2), .init("NEVER"),
            .init("PRICE", isRight: true),
        ])
        table.rows = [
            ["1", "Banana Pancakes", "Jack Johnson", "", "1.29 USD"],
            [
                "10", "A title that is much longer than any terminal would have room for beside the rest", "宇多田ヒカル", "",
                "",
            ],
        ]
        return table
    }()

    @Test func everyLineFitsAndEmptyColumnsAreLeftOut() {
        for width in [40, 60, 80, 200] {
            let lines = table.lines(width: width)
            #expect(lines.count == 3)
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= width }, "\(width)")
            #expect(!lines[0].contains("NEVER"))
        }
        #expect(table.lines(width: 60)[1].hasSuffix("1.29 USD"))
        #expect(table.lines(width: 60)[2].contains("…"))
        #expect(!table.lines(width: 200)[2].contains("…"))
    }

    @Test func aNarrowTerminalLeavesOutColumnsByRank() {
        var table = table
        for column in [2, 4] { table.columns[column].rank = column }
        #expect(table.lines(width: 80)[0].hasSuffix("PRICE"))
        #expect(table.lines(width: 44)[0].hasSuffix("BY"))
        #expect(table.lines(width: 30)[0].hasSuffix("TITLE"))
    }

    @Test func aLinkDoesNotChangeTheWidth() {
        let lines = table.lines(width: 60) { row, column in row == 0 && column == 1 ? "https://example.org/1" : nil }
        let link = "\u{1B}]8;;https://example.org/1\u{1B}\\Banana Pancakes\u{1B}]8;;\u{1B}\\"
        #expect(lines[1].contains(link))
        #expect(lines[1].replacing(link, with: "Banana Pancakes") == table.lines(width: 60)[1])
    }

    @Test(arguments: ["javascript:alert(1)", "https://x/\u{1B}]8;;", "file:///etc/passwd", "https://x y"])
    func whatIsNoPlainURLIsNoLink(_ url: String) {
        #expect(Hyperlink.text("x", url) == "x")
    }

    @Test func aTableWithoutRowsIsNothing() {
        #expect(TableLayout(columns: [.init("A")]).lines(width: 80).isEmpty)
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("宇多", 4), ("👩‍👩‍👧", 2), ("한글", 4), ("", 0), ("❤️", 2)])
    func widthsAreThoseOfATerminal(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func aCutNeverExceedsItsWidthNorSplitsACharacter() {
        #expect(DisplayWidth.cut("宇多田", to: 4) == "宇…")
        #expect(DisplayWidth.cut("abc", to: 3) == "abc")
        #expect(DisplayWidth.cut("abcd", to: 3) == "ab…")
        #expect(DisplayWidth.cut("abcd", to: 0) == "")
    }

    @Test func whatAnAPISaysCannotDriveTheTerminal() {
        #expect(Console.printable("a\u{1B}[2Jb\u{9B}c\nd\u{202E}e") == "a [2Jb c d e")
    }
}
