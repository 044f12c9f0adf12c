// A removal that one host sends to another: what to remove, and how it is encoded.
import LarderCore

/// What another host must remove.
public struct RemovalOrder: Sendable {
    public var selector: PurgeSelector
    /// Whether to expire instead of remove.
    public var isSoft: Bool
    /// The provider of a single key's entry, if it is known.
    public var provider: String?

    public init(selector: PurgeSelector, isSoft: Bool, provider: String? = nil) {
        self.selector = selector
        self.isSoft = isSoft
        self.provider = provider
    }

    /// Kind, softness, whether a provider follows, eight bytes without a meaning, then provider and text, the first with
    /// its length.
    public var encoded: Bytes {
        let kind: UInt8
        let text: Bytes
        var provider = provider
        switch selector {
        case .all: (kind, text) = (0, [])
        case .digest(let digest): (kind, text) = (1, digest.bytes)
        case .provider(let name): (kind, text) = (2, Bytes(text: name))
        case .term(let term, let of): (kind, text, provider) = (3, Bytes(text: term), of)
        case .url(let url, let of): (kind, text, provider) = (4, Bytes(text: url), of)
        case .matching(let condition): (kind, text, provider) = (5, condition.encoded, condition.provider)
        }
        var out: Bytes = [kind, isSoft ? 1 : 0, provider == nil ? 0 : 1]
        out += Bytes(repeating: 0, count: 8)
        let name = Bytes(text: provider ?? "")
        out += withUnsafeBytes(of: UInt32(name.count).littleEndian) { Bytes($0) }
        return out + name + text
    }

    /// Nil if the bytes are no valid order.
    public init?(encoded bytes: Bytes) {
        guard bytes.count >= 15 else { return nil }
        let length = bytes.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 11, as: UInt32.self))
        }
        guard Int(length) <= bytes.count - 15 else { return nil }
        let name = bytes[15..<(15 + Int(length))]
        let rest = Bytes(bytes[(15 + Int(length))...])
        let provider = bytes[2] == 1 ? Bytes(name).lossyText : nil
        let selector: PurgeSelector
        switch bytes[0] {
        case 0: selector = .all
        case 1:
            guard let digest = Digest(bytes: rest) else { return nil }
            selector = .digest(digest)
        case 2: selector = .provider(rest.lossyText)
        case 3: selector = .term(rest.lossyText, provider: provider)
        case 4: selector = .url(rest.lossyText, provider: provider)
        case 5:
            guard let condition = PurgeCondition(encoded: rest, provider: provider) else { return nil }
            selector = .matching(condition)
        default: return nil
        }
        self.init(selector: selector, isSoft: bytes[1] == 1, provider: provider)
    }
}

extension PurgeCondition {
    /// The layer, 0 for any; whether there is an instant and a prefix; the instant; the prefix.
    fileprivate var encoded: Bytes {
        var out: Bytes = [layer?.rawValue ?? 0, receivedBefore == nil ? 0 : 1, prefix == nil ? 0 : 1]
        out += withUnsafeBytes(of: (receivedBefore?.milliseconds ?? 0).littleEndian) { Bytes($0) }
        return out + Bytes(text: prefix ?? "")
    }

    fileprivate init?(encoded bytes: Bytes, provider: String?) {
        guard bytes.count >= 11, bytes[1] <= 1, bytes[2] <= 1 else { return nil }
        let at = bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 3, as: Int64.self)) }
        let layer = CacheKey.Layer(rawValue: bytes[0])
        // An unknown layer would silently widen the removal.
        guard layer != nil || bytes[0] == 0 else { return nil }
        self.init(
            provider: provider, layer: layer, prefix: bytes[2] == 1 ? Bytes(bytes[11...]).lossyText : nil,
            receivedBefore: bytes[1] == 1 ? WallTime(milliseconds: at) : nil)
    }
}
