// Sizes, durations and rates as people write them: "2 GiB", "15min", "20/min". The file, flags and environment share
// one parser; help and status share one formatter.

/// Why a text is not a quantity of the wanted kind. The message says what would be one.
public struct UnitError: Error, Sendable, Equatable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }
}

public enum Units {
    private static let sizes: [(String, Int64)] = [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
        ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ]

    private static let durations: [(String, Int64)] = [
        ("ms", 1), ("s", 1000), ("sec", 1000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ("day", 86_400_000), ("days", 86_400_000), ("w", 604_800_000), ("week", 604_800_000), ("weeks", 604_800_000),
    ]

    /// The units of durations.
    public static var durationNames: [String] { durations.map(\.0) }

    /// Parses bytes from "512", "64 KiB" or "1.5 GiB". A number without a unit counts bytes.
    public static func size(_ text: String) throws(UnitError) -> Int64 {
        try quantity(text, units: sizes, bare: 1, wanted: "a size such as 512 KiB, 64 MiB or 2 GiB")
    }

    /// Parses a time span from "500ms", "15min", "1 h" or "7d". "0" needs no unit.
    public static func duration(_ text: String) throws(UnitError) -> Duration {
        .milliseconds(
            try quantity(text, units: durations, bare: nil, wanted: "a duration such as 500ms, 30s, 15min, 6h or 7d"))
    }

    /// Splits a number from its unit, scales it, and refuses a product that does not fit into 64 bits.
    private static func quantity(
        _ text: String, units: [(String, Int64)], bare: Int64?, wanted: String
    ) throws(UnitError) -> Int64 {
        let trimmed = ASCII.trimmed(text[...])
        let digits = trimmed.prefix { ("0"..."9").contains($0) || $0 == "." }
        let unit = String(ASCII.trimmed(trimmed.dropFirst(digits.count)))
        guard let number = Double(digits), digits.first != ".", digits.last != "." else {
            throw UnitError("\"\(text)\" is not \(wanted)")
        }
        let scale: Int64
        if unit.isEmpty {
            guard let plain = bare ?? (number == 0 ? 1 : nil) else {
                throw UnitError("\"\(text)\" lacks a unit: write \(wanted)")
            }
            scale = plain
        } else {
            guard let known = units.first(where: { $0.0 == unit }) else {
                throw UnitError("\"\(unit)\" is no unit here: write \(wanted)")
            }
            scale = known.1
        }
        let product = number * Double(scale)
        guard product < Double(Int64.max) else { throw UnitError("\"\(text)\" is too large") }
        return Int64(product.rounded())
    }

    /// "64 MiB": the largest unit that is not larger than the size. One decimal is shown unless the number is whole.
    public static func format(size: Int64) -> String {
        for (name, scale) in [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
            as [(String, Int64)]
        where size >= scale {
            if size % scale == 0 { return "\(size / scale) \(name)" }
            let tenths = Int64((Double(size) / Double(scale) * 10).rounded())
            return "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(size) B"
    }

    /// "15min": the largest unit, up to days, that keeps the number whole.
    public static func format(duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        if milliseconds == 0 { return "0" }
        for (name, scale) in [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)] as [(String, Int64)]
        where milliseconds % scale == 0 {
            return "\(milliseconds / scale)\(name)"
        }
        return "\(milliseconds)ms"
    }
}

/// A limit of calls per window: "20/min", "20/10s", "100/day", or "off".
public struct CallRate: Sendable, Hashable, CustomStringConvertible {
    /// The calls allowed in any window of that length.
    public var calls: Int
    public var window: Duration

    public init(calls: Int, per window: Duration) {
        self.calls = calls
        self.window = window
    }

    private static let windows: [(String, Duration)] = [
        ("s", .seconds(1)), ("min", .seconds(60)), ("h", .seconds(3600)), ("day", .seconds(86_400)),
    ]

    /// The longest window that a limit can have.
    public static let longestWindow = windows.map(\.1).max() ?? .zero

    /// Parses "20/min" and "20/10s". Returns nil for "off".
    public static func parse(_ text: String) throws(UnitError) -> CallRate? {
        if text == "off" { return nil }
        let wanted = "a rate such as 20/min, 20/10s, 500/h, 100/day, or off"
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let calls = Int(ASCII.trimmed(parts[0])), calls > 0, calls <= 1_000_000 else {
            throw UnitError("\"\(text)\" is not \(wanted)")
        }
        let span = String(ASCII.trimmed(parts[1]))
        if let first = span.utf8.first, ASCII.isDigit(first) {
            let window = try Units.duration(span)
            guard window >= .seconds(1), window <= longestWindow else {
                throw UnitError("\"\(span)\" is not a span from 1s to a day: write \(wanted)")
            }
            return CallRate(calls: calls, per: window)
        }
        let aliases = ["sec": "s", "second": "s", "minute": "min", "hour": "h", "d": "day"]
        guard let window = windows.first(where: { $0.0 == aliases[span] ?? span }) else {
            throw UnitError("\"\(span)\" is not a unit of time: write \(wanted)")
        }
        return CallRate(calls: calls, per: window.1)
    }

    public var description: String {
        let name = Self.windows.first { $0.1 == window }?.0 ?? Units.format(duration: window)
        return "\(calls)/\(name)"
    }
}
