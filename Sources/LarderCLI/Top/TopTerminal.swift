// The terminal of `larder top`: the alternate screen, keys as they are pressed, and all of it put back at the end, whatever
// the end is.
import Glibc
import LarderCore
import LarderIO

/// A terminal that a view has taken over. One owner; `restore` may be called from any thread, and counts once.
final class TopTerminal: Sendable {
    private let console: Console
    /// What the keyboard was set to; nil where standard input is no terminal.
    private let before: Lock<(isTaken: Bool, keyboard: termios?)>

    /// Takes it over.
    init(_ console: Console) {
        self.console = console
        var keyboard = termios()
        let hasKeyboard = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &keyboard) == 0
        before = Lock((true, hasKeyboard ? keyboard : nil))
        if hasKeyboard {
            var raw = keyboard
            // Keys come at once and unseen, Ctrl-C among them; lines on standard output keep their carriage returns.
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
            raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
            tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        }
        // The alternate screen, without a cursor (xterm's control sequences: 1049, 25).
        _ = console.write(Bytes(text: "\u{1B}[?1049h\u{1B}[?25l"))
    }

    /// Puts back what was there.
    func restore() {
        let taken = before.withLock { before in
            defer { before.isTaken = false }
            return before
        }
        guard taken.isTaken else { return }
        _ = console.write(Bytes(text: "\u{1B}[?25h\u{1B}[?1049l"))
        if var keyboard = taken.keyboard { tcsetattr(STDIN_FILENO, TCSANOW, &keyboard) }
    }

    /// Columns and lines now.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (console.width, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes the lines over those that are there, in one piece, so that nothing flickers.
    /// - Returns: false where nobody reads it any more.
    func show(_ lines: [TopLine]) -> Bool {
        let text = lines.map { line in line.style.map { console.styled(line.text, $0) } ?? line.text }
            .joined(separator: "\u{1B}[K\r\n")
        return console.write(Bytes(text: "\u{1B}[H\(text)\u{1B}[K\u{1B}[J"))
    }

    /// Waits for a key, for something on the descriptor, or until the time is over.
    func wait(_ descriptor: Int32?, keyboard: Bool, atMost limit: Duration) -> (key: Bool, data: Bool) {
        var wanted = [
            pollfd(fd: keyboard ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&wanted, 2, Int32(clamping: max(0, limit.milliseconds))) > 0 else { return (false, false) }
        return (wanted[0].revents != 0, wanted[1].revents != 0)
    }

    /// Whether keys can be had.
    var hasKeyboard: Bool { before.withLock { $0.keyboard != nil } }

    /// The keys that were pressed; none where the keyboard is gone.
    func keys() -> Bytes {
        var buffer = Bytes(repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        return Bytes(buffer.prefix(max(0, count)))
    }
}
