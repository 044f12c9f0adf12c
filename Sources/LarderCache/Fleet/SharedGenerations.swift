// Removal without a list of keys: a generation is a random number that the engine keeps for all of a fleet, and one for each
// provider. A value is written only under the generations that were read before its answer was fetched, and is used only while
// they are the same. A removal puts new ones in their place. What the engine has lost is made anew by chance: it is never zero, and
// never what it was, so nothing of before comes back with it.
import LarderCore

/// One generation: 128 bits by chance.
public struct SharedGeneration: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    /// A new one.
    public static func random(_ generator: inout some RandomNumberGenerator) -> SharedGeneration {
        SharedGeneration(high: generator.next(), low: generator.next())
    }

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// From its text; nil where that is none.
    public init?(text: Bytes) {
        guard text.count == 32 else { return nil }
        let digits = String(decoding: text, as: UTF8.self)
        guard digits.utf8.allSatisfy({ ASCII.isDigit($0) || (0x61...0x66).contains($0) }),
            let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// 32 hexadecimal digits, as the engine holds it.
    public var text: Bytes { Bytes(text: Self.digits(high) + Self.digits(low)) }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The generations that a value depends on.
public struct SharedGenerations: Sendable, Hashable {
    /// Of all values of the prefix.
    public var global: SharedGeneration
    /// Of all values of the provider.
    public var provider: SharedGeneration

    public init(global: SharedGeneration, provider: SharedGeneration) {
        self.global = global
        self.provider = provider
    }
}
