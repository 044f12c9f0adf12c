// Shows progress: on a terminal as one line that is redrawn, elsewhere as a few plain lines.
import LarderCore
import LarderIO

/// The progress of one transfer of known size.
struct ProgressLine {
    private let console: Console
    private let total: Int64
    private let clock = SystemTime()
    private let began: MonotonicTime
    private var drawn: MonotonicTime?
    private var step = 0
    private var isOpen = false

    /// The shortest time between two drawings.
    private static let pause = Duration.milliseconds(100)

    init(_ console: Console, total: Int64) {
        self.console = console
        self.total = max(1, total)
        began = clock.monotonic()
    }

    /// Shows that `done` bytes have been transferred.
    mutating func show(_ done: Int64) {
        let now = clock.monotonic()
        guard console.isTerminal else {
            // A log gets one line for each quarter.
            let quarter = Int(done * 4 / total)
            guard quarter > step else { return }
            step = quarter
            return console.note("sent \(quarter * 25) % of \(Units.format(size: total))")
        }
        if let drawn, now - drawn < Self.pause, done < total { return }
        drawn = now
        isOpen = true
        console.complain(
            Bytes(text: "\r" + Self.text(done, of: total, in: now - began, width: console.width) + "\u{1B}[K"))
    }

    /// Ends the line, so that other output can follow.
    mutating func end() {
        if isOpen { console.note("") }
        isOpen = false
    }

    /// "[#####     ] 50 %  10 MiB of 20 MiB, 2.0 MiB/s".
    static func text(_ done: Int64, of total: Int64, in time: Duration, width: Int) -> String {
        let done = min(max(0, done), max(1, total))
        let total = max(1, total)
        let speed = done * 1000 / max(1, time.milliseconds)
        let words = " \(done * 100 / total) %  \(size(done)) of \(size(total)), \(size(speed))/s"
        let room = min(40, width - words.count - 3)
        guard room >= 8 else { return String(words.dropFirst()) }
        let filled = Int(done * Int64(room) / total)
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: room - filled) + "]" + words
    }

    /// One decimal digit, because more would change too fast to read.
    private static func size(_ bytes: Int64) -> String {
        let units: [(name: String, scale: Int64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { bytes >= $0.scale }) else { return "\(bytes) B" }
        let tenths = bytes * 10 / unit.scale
        return "\(tenths / 10).\(tenths % 10) \(unit.name)"
    }
}
