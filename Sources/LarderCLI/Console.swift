// Where a command writes: answers to standard output, talk to standard error. Colour and tables are for a terminal only;
// a pipe gets the bytes a program wants.
import Glibc
import LarderCore
import LarderIO

/// The two outputs of a command and what is known about them.
public struct Console: Sendable {
    /// Writes to standard output; false where nobody reads it any more.
    public var write: @Sendable (Bytes) -> Bool
    /// Writes to standard error.
    public var complain: @Sendable (Bytes) -> Void
    /// Why standard output could not be written to, where the reader did not simply go: a full disk, say.
    public var failure: @Sendable () -> String? = { nil }
    /// Standard output is a terminal.
    public var isTerminal: Bool
    public var hasColour: Bool
    /// Standard output is a terminal on which a line can be written over.
    public var rewrites = false
    /// Columns of the terminal; wide enough for anything where there is none.
    public var width: Int

    public init(
        isTerminal: Bool, hasColour: Bool, width: Int, write: @escaping @Sendable (Bytes) -> Bool,
        complain: @escaping @Sendable (Bytes) -> Void
    ) {
        self.isTerminal = isTerminal
        self.hasColour = hasColour
        self.width = width
        self.write = write
        self.complain = complain
    }

    /// The process's own outputs. `NO_COLOR` (no-color.org) and `TERM=dumb` switch colour off.
    public static func standard(environment: [String: String]) -> Console {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let noColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let failure = Lock<Int32?>(nil)
        var console = Console(
            isTerminal: isTerminal, hasColour: isTerminal && !noColour && environment["TERM"] != "dumb",
            width: isTerminal ? terminalWidth(environment) : 1000,
            write: { bytes in
                guard let code = writeAll(bytes, to: STDOUT_FILENO) else { return true }
                failure.withLock { $0 = $0 ?? code }
                return false
            },
            complain: { _ = writeAll($0, to: STDERR_FILENO) })
        console.failure = {
            // A reader that has seen enough closes its pipe; that is no failure of ours.
            failure.withLock { $0 }.flatMap { $0 == EPIPE ? nil : String(cString: strerror($0)) }
        }
        console.rewrites = isTerminal && environment["TERM"] != "dumb"
        return console
    }

    /// A line on standard output.
    public func line(_ text: String = "") { _ = write(Bytes(text: text + "\n")) }

    /// Bytes of an answer: as they are in a pipe. On a terminal control characters are replaced, and so is what is no
    /// UTF-8, since a terminal may take such a byte for one of C1.
    public func show(_ bytes: Bytes) -> Bool {
        guard isTerminal else { return write(bytes) }
        return write(Bytes(text: bytes.lossyText.replacingControls(with: "\u{FFFD}", keeping: "\n\r\t".unicodeScalars)))
    }

    /// A line on standard error.
    public func note(_ text: String) { complain(Bytes(text: text + "\n")) }

    /// The text in a style where there is colour.
    public func styled(_ text: String, _ style: Style) -> String {
        hasColour && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    public enum Style: String, Sendable {
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
    }

    private static func terminalWidth(_ environment: [String: String]) -> Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 { return Int(size.ws_col) }
        return environment["COLUMNS"].flatMap { Int($0) }.map { max(20, $0) } ?? 80
    }

    /// - Returns: the error of write(2); nil when all was written.
    private static func writeAll(_ bytes: Bytes, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ Syscall.write(descriptor, $0) }) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                // Somebody else's terminal left non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            case .end: return EIO
            case .failed(let code): return code
            }
        }
        return nil
    }
}

extension Console {
    /// What came from an API, made safe for a terminal: no control character and so no escape sequence survives.
    public static func printable(_ text: String) -> String {
        func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0x2028...0x202E, 0x2066...0x2069: false
            default: !scalar.isControl
            }
        }
        guard !text.unicodeScalars.allSatisfy(isPlain) else { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { out.append(isPlain(scalar) ? scalar : " ") }
        return String(out)
    }

    /// The same of a text of several lines.
    static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }
}
