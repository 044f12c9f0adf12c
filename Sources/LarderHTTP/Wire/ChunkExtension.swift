// The grammar of chunk extensions (RFC 9112 §7.1.1), one byte a step:
//
//     chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
//
// What they say is of no use here. Their form is: "5 xyz" is the size 5 to a reader that stops at the space, and an error
// to one that does not.
import LarderCore

/// Where in the extensions of one chunk a reader stands.
enum ChunkExtension: Sendable, Hashable {
    /// Behind the size, or behind a whole extension: a ";" or the line's end follows.
    case end
    /// The same with white space read, behind which a ";" must follow.
    case endBlank
    /// Behind ";": a name follows.
    case name
    case inName
    /// White space behind a name: "=" or ";" must follow.
    case nameBlank
    /// Behind "=": a token or a quoted string follows.
    case value
    case inToken
    case inQuotes
    /// Behind a backslash inside quotes.
    case escaped

    /// Whether the line may end here.
    var mayEnd: Bool {
        switch self {
        case .end, .inName, .inToken: true
        default: false
        }
    }

    /// Where the reader stands after the byte; nil where the byte may not stand.
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
