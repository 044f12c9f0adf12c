import LarderCore
import Testing

@testable import LarderCLI

struct ProgressLineTests {
    @Test func aLineTellsPartAmountAndSpeed() {
        let line = ProgressLine.text(10 << 20, of: 20 << 20, in: .seconds(5), width: 80)
        #expect(line.hasSuffix("] 50 %  10.0 MiB of 20.0 MiB, 2.0 MiB/s"))
        let bar = line.prefix { $0 != "]" }.dropFirst()
        #expect(bar.filter { $0 == "#" }.count == bar.count / 2)
        #expect(line.count <= 80)
    }

    @Test func itFitsItsTerminalAndStaysWithinItsBounds() {
        for width in [20, 40, 60, 200] {
            for done in [Int64(-1), 0, 1, 999, 1000, 5000] {
                let line = ProgressLine.text(done, of: 1000, in: .zero, width: width)
                #expect(line.count <= max(width, 40), "\(line)")
                #expect(!line.contains("-"))
            }
        }
        #expect(ProgressLine.text(5, of: 0, in: .seconds(1), width: 20).hasPrefix("100 %"))
    }

    @Test func whereNobodyWatchesThereAreAFewPlainLines() {
        let lines = Lock<[String]>([])
        let console = Console(
            isTerminal: false, hasColour: false, width: 80, write: { _ in true },
            complain: { bytes in lines.withLock { $0.append(bytes.lossyText) } })
        var progress = ProgressLine(console, total: 4 << 20)
        for done in 0...400 { progress.show(Int64(done) * (4 << 20) / 400) }
        progress.end()
        #expect(lines.withLock { $0 } == [25, 50, 75, 100].map { "sent \($0) % of 4 MiB\n" })
    }
}
