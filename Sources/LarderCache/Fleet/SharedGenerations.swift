// Implements removal without a list of keys. A generation is a random number. The engine keeps one for the whole fleet
// and one for each provider. A value is written only under the generations that were read before its response was
// fetched, and is used only while they are unchanged. A removal replaces them. If the engine loses a generation, it is
// created anew at random. It is never zero and never the earlier number, so no earlier value becomes usable again.
import LarderCore

/// One generation: 128 random bits.
public struct SharedGeneration: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    /// Makes a new random generation. It takes no generator: the system's is an empty struct without an address, and the
    /// thread sanitizer reads at the address of every `inout` argument of a generic function.
    public static func random() -> SharedGeneration {
        SharedGeneration(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the text of a generation; nil if the text is not one.
    public init?(text: Bytes) {
        guard text.count == 32 else { return nil }
        let digits = String(decoding: text, as: UTF8.self)
        guard digits.utf8.allSatisfy({ ASCII.isDigit($0) || (0x61...0x66).contains($0) }),
            let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// 32 hexadecimal digits, as the engine stores them.
    public var text: Bytes { Bytes(text: Self.digits(high) + Self.digits(low)) }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The generations that a value depends on.
public struct SharedGenerations: Sendable, Hashable {
    /// The generation of all values of the prefix.
    public var global: SharedGeneration
    /// The generation of all values of the provider.
    public var provider: SharedGeneration

    public init(global: SharedGeneration, provider: SharedGeneration) {
        self.global = global
        self.provider = provider
    }
}
