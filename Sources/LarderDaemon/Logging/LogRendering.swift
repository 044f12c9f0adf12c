// Renders one log line in three forms. A line stays one line whatever its values contain: a name received over the
// network must not be able to forge log lines.
import LarderCore
import LarderSettings

/// Renders a line as text that ends in a newline.
public enum LogRendering {
    /// Longer values are cut, because bodies do not belong in the log.
    static let maxValueBytes = 2048

    /// For a terminal or a file: "2026-11-20T12:00:00.123Z warning store: the disk is full free=0". With `colour` the
    /// level is coloured and the date left out, because a person is watching.
    public static func text(_ line: LogLine, colour: Bool) -> Bytes {
        var out = ""
        let time = stamp(line.time)
        if colour {
            out += "\u{1B}[2m\(time.dropFirst(11).dropLast())\u{1B}[0m \(code(line.level))\(line.level.word)\u{1B}[0m "
        } else {
            out += "\(time) \(line.level.word) "
        }
        out += pairs(line)
        return Bytes(text: out + "\n")
    }

    /// For the journal: the priority in angle brackets (sd-daemon(3)). The journal records the time itself.
    public static func journal(_ line: LogLine) -> Bytes {
        Bytes(text: "<\(line.level.rawValue)>\(pairs(line))\n")
    }

    /// One JSON object per line.
    public static func json(_ line: LogLine) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", stamp(line.time))
            writer.member("level", line.level.word)
            if !line.label.isEmpty { writer.member("label", line.label) }
            writer.member("message", line.message)
            if !line.values.isEmpty {
                writer.name("values")
                writer.object { writer in
                    for (name, value) in line.values { writer.member(name, cut(value)) }
                }
            }
        }
        return writer.bytes + [0x0A]
    }

    private static func pairs(_ line: LogLine) -> String {
        var out = line.label.isEmpty ? "" : "\(line.label): "
        out += escaped(line.message)
        for (name, value) in line.values { out += " \(name)=\(quoted(cut(value)))" }
        return out
    }

    /// RFC 3339 with milliseconds.
    private static func stamp(_ time: WallTime) -> String {
        let rest = time.milliseconds - time.seconds * 1000
        let digits = String(1000 + rest).dropFirst()
        return "\(time.rfc3339.dropLast()).\(digits)Z"
    }

    private static func code(_ level: LogLevel) -> String {
        switch level {
        case .error: "\u{1B}[31m"
        case .warning: "\u{1B}[33m"
        case .notice: "\u{1B}[36m"
        case .info: "\u{1B}[32m"
        case .debug: "\u{1B}[2m"
        }
    }

    private static func cut(_ value: String) -> String {
        value.utf8.count <= maxValueBytes ? value : String(Substring(value.utf8.prefix(maxValueBytes))) + "…"
    }

    /// Puts a value in quotation marks if it is empty or has a space, quotation mark, equals sign or control character.
    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
        return isPlain ? escaped(value) : "\"\(escaped(value.replacing("\"", with: "\\\"")))\""
    }

    /// Escapes all control characters, including line breaks and the C1 characters of terminal escapes.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": out += "\\n"
            case "\t": out += "\\t"
            case "\r": out += "\\r"
            case _ where isControl(scalar): out += "\\u{\(String(scalar.value, radix: 16))}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isControl || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}

extension LogFormat {
    /// Resolves `auto`: `journal` if the descriptor is the journal's stream (systemd.exec(5), "JOURNAL_STREAM").
    public func decided(environment: [String: String], descriptor: Int32) -> LogFormat {
        guard self == .auto else { return self }
        guard let stream = environment["JOURNAL_STREAM"], let identity = LogFileIdentity(descriptor) else {
            return .text
        }
        return stream == "\(identity.device):\(identity.inode)" ? .journal : .text
    }
}
