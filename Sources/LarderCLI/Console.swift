// The outputs of a command: answers go to standard output, messages to standard error. Colour and tables are for a
// terminal only; a pipe gets plain data.
import Glibc
import LarderCore
import LarderIO

/// The two outputs of a command and their properties.
public struct Console: Sendable {
    /// Writes to standard output. Returns false if writing failed, for example because the reader has closed it.
    public var write: @Sendable (Bytes) -> Bool
    /// Writes to standard error.
    public var complain: @Sendable (Bytes) -> Void
    /// Why standard output could not be written (a full disk, say); nil if the reader only closed its end.
    public var failure: @Sendable () -> String? = { nil }
    /// Whether standard output is a terminal.
    public var isTerminal: Bool
    public var hasColour: Bool
    /// Whether standard output is a terminal on which a line can be overwritten.
    public var rewrites = false
    /// The terminal's width in columns; a large number if there is no terminal.
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

    /// The process's own outputs. `NO_COLOR` (no-color.org) and `TERM=dumb` turn colour off.
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
            // A reader that has read enough closes its pipe. That is not a failure.
            failure.withLock { $0 }.flatMap { $0 == EPIPE ? nil : String(cString: strerror($0)) }
        }
        console.rewrites = isTerminal && environment["TERM"] != "dumb"
        return console
    }

    /// Writes a line to standard output.
    public func line(_ text: String = "") { _ = write(Bytes(text: text + "\n")) }

    /// Writes the bytes of a response: unchanged to a pipe. On a terminal, control characters are replaced, and so is
    /// invalid UTF-8, because a terminal may read such a byte as a C1 control.
    public func show(_ bytes: Bytes) -> Bool {
        guard isTerminal else { return write(bytes) }
        return write(Bytes(text: bytes.lossyText.replacingControls(with: "\u{FFFD}", keeping: "\n\r\t".unicodeScalars)))
    }

    /// Writes the body of a response, which is JSON, and ends its line.
    func showLine(_ response: DaemonResponse) {
        _ = show(response.body + (response.body.last == 0x0A ? [] : [0x0A]))
    }

    /// Writes a line to standard error.
    public func note(_ text: String) { complain(Bytes(text: text + "\n")) }

    /// The text in a style, if colour is on.
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

    /// - Returns: the error of write(2), or nil if everything was written.
    private static func writeAll(_ bytes: Bytes, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ Syscall.write(descriptor, $0) }) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                // Another program left the terminal in non-blocking mode.
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
    /// Makes a text from an API safe for a terminal: control characters, and so escape sequences, become spaces.
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

    /// The same for a text of several lines.
    static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }
}
