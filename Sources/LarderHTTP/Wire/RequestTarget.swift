// Decides which bytes a request target may contain. A parser that meets a fragment, a quote or a bracket in a target
// may cut or repair it, and two programs then see two URLs. Characters that RFC 3986 does not permit must therefore be
// percent-encoded. Bytes above ASCII, "[" and "]" are not permitted either, but existing clients send them unencoded
// and all programs read them alike, so they pass. In a query so do the signs that browsers send there unencoded.
// `encoded` writes out what must not go further as it came.
import LarderCore

/// The syntax of a request target, apart from where it ends (RFC 9112 §3.2).
public enum RequestTarget {
    /// The bytes that RFC 3986 §2 permits nowhere, and "#", which would begin a fragment. A fragment is never sent (RFC
    /// 9110 §7.1). One bit per byte, in two sets: below 64, and from 64 to 127. They hold controls, space, `"`, `#`,
    /// `<`, `>`; `\`, `^`, `` ` ``, `{`, `|`, `}`, DEL.
    private static let refusedLow: UInt64 = 0x5000_000D_FFFF_FFFF
    private static let refusedHigh: UInt64 = 0xB800_0001_5000_0000
    /// Those of them that may stand in a query: `\`, `^`, `` ` ``, `{`, `|`, `}`. The query percent-encode set of the
    /// URL Standard (§1.3) leaves them as they are.
    private static let permittedInQuery: UInt64 = 0x3800_0001_5000_0000

    /// Whether a target contains no byte that the client should have percent-encoded.
    public static func isWellFormed(_ target: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt64 = 0
        var high = refusedHigh
        for byte in target {
            if byte == 0x3F { high = refusedHigh & ~permittedInQuery }
            let set = byte < 64 ? refusedLow : byte < 128 ? high : 0
            found |= set >> UInt64(byte & 63) & 1
        }
        return found == 0
    }

    /// A well-formed path or query with every byte encoded that no URL contains: bytes above ASCII, and the signs that
    /// only a query may have (RFC 3986 §2.1).
    public static func encoded(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 && !isRefusedHigh($0) }) { return String(decoding: bytes, as: UTF8.self) }
        var out = Bytes()
        for byte in bytes {
            if byte < 0x80, !isRefusedHigh(byte) {
                out.append(byte)
            } else {
                out.append(0x25)
                out.append(contentsOf: Hex.encode([byte]).utf8)
            }
        }
        return out.lossyText
    }

    private static func isRefusedHigh(_ byte: UInt8) -> Bool { byte >= 64 && refusedHigh >> UInt64(byte & 63) & 1 == 1 }
}
