// The grammar of chunk extensions (RFC 9112 §7.1.1), one byte per step:
//
//     chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
//
// Larder ignores the content of extensions, but checks their form. "5 xyz" is the size 5 to a reader that stops at the
// space, and an error to a reader that does not.
import LarderCore

/// The position of a reader within the extensions of one chunk.
enum ChunkExtension: Sendable, Hashable {
    /// After the size or a complete extension: ";" or the end of the line follows.
    case end
    /// Like `end`, but white space was read, so ";" must follow.
    case endBlank
    /// After ";": a name follows.
    case name
    case inName
    /// White space after a name: "=" or ";" must follow.
    case nameBlank
    /// After "=": a token or a quoted string follows.
    case value
    case inToken
    case inQuotes
    /// After a backslash inside quotes.
    case escaped

    /// Whether the line may end here.
    var mayEnd: Bool {
        switch self {
        case .end, .inName, .inToken: true
        default: false
        }
    }

    /// The position after `byte`; nil if the byte is not allowed here.
    func after(_ byte: UInt8) -> ChunkExtension? {
        let isBlank = byte == 0x20 || byte == 0x09
        switch self {
        case .end, .endBlank:
            if isBlank { return .endBlank }
            return byte == 0x3B ? .name : nil
        case .name:
            if isBlank { return .name }
            return Octet.isToken(byte) ? .inName : nil
        case .inName where Octet.isToken(byte): return .inName
        case .inName, .nameBlank:
            if isBlank { return .nameBlank }
            return byte == 0x3D ? .value : byte == 0x3B ? .name : nil
        case .value:
            if isBlank { return .value }
            return byte == 0x22 ? .inQuotes : Octet.isToken(byte) ? .inToken : nil
        case .inToken where Octet.isToken(byte): return .inToken
        case .inToken: return ChunkExtension.end.after(byte)
        case .inQuotes:
            if byte == 0x22 { return .end }
            if byte == 0x5C { return .escaped }
            return Octet.isValue(byte) ? .inQuotes : nil
        case .escaped: return Octet.isValue(byte) ? .inQuotes : nil
        }
    }
}
