// The terminal of `larder top`: the alternate screen, and keys without waiting for a line end. Everything is restored
// at the end, however the command ends.
import Glibc
import LarderCore
import LarderIO

/// A terminal that a view has taken over. It has one owner. `restore` may be called by any thread; it acts once.
final class TopTerminal: Sendable {
    private let console: Console
    /// Whether the terminal is taken over, and the previous keyboard settings; nil if standard input is not a terminal.
    private let before: Lock<(isTaken: Bool, keyboard: termios?)>

    /// Takes over the terminal.
    init(_ console: Console) {
        self.console = console
        var keyboard = termios()
        let hasKeyboard = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &keyboard) == 0
        before = Lock((true, hasKeyboard ? keyboard : nil))
        if hasKeyboard {
            var raw = keyboard
            // Keys arrive at once and without echo, including Ctrl-C. Output processing stays on, so lines get carriage
            // returns.
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
            raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
            tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        }
        // Switches to the alternate screen and hides the cursor (xterm control sequences 1049 and 25).
        _ = console.write(Bytes(text: "\u{1B}[?1049h\u{1B}[?25l"))
    }

    /// Restores the terminal. Only the first call has an effect.
    func restore() {
        let taken = before.withLock { before in
            defer { before.isTaken = false }
            return before
        }
        guard taken.isTaken else { return }
        _ = console.write(Bytes(text: "\u{1B}[?25h\u{1B}[?1049l"))
        if var keyboard = taken.keyboard { tcsetattr(STDIN_FILENO, TCSANOW, &keyboard) }
    }

    /// The current size in columns and lines.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (console.width, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws the lines over the previous ones with a single write, so that the screen does not flicker.
    /// - Returns: false if standard output cannot be written.
    func show(_ lines: [TopLine]) -> Bool {
        let text = lines.map { line in line.style.map { console.styled(line.text, $0) } ?? line.text }
            .joined(separator: "\u{1B}[K\r\n")
        return console.write(Bytes(text: "\u{1B}[H\(text)\u{1B}[K\u{1B}[J"))
    }

    /// Waits for a key, for data on the descriptor, or until the time is over.
    func wait(_ descriptor: Int32?, keyboard: Bool, atMost limit: Duration) -> (key: Bool, data: Bool) {
        var wanted = [
            pollfd(fd: keyboard ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&wanted, 2, Int32(clamping: max(0, limit.milliseconds))) > 0 else { return (false, false) }
        return (wanted[0].revents != 0, wanted[1].revents != 0)
    }

    /// Whether there is a keyboard.
    var hasKeyboard: Bool { before.withLock { $0.keyboard != nil } }

    /// The keys that were pressed; empty if the keyboard is gone.
    func keys() -> Bytes {
        var buffer = Bytes(repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        return Bytes(buffer.prefix(max(0, count)))
    }
}
