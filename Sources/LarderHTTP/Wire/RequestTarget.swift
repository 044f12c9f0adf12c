// Decides which bytes a request target may contain. A parser that meets a fragment, a quote or a bracket in a target
// may cut or repair it, and two programs then see two URLs. Characters that RFC 3986 does not permit must therefore be
// percent-encoded. Bytes above ASCII, "[" and "]" are not permitted either, but existing clients send them unencoded
// and all programs read them alike, so they pass.

/// The syntax of a request target, apart from where it ends (RFC 9112 §3.2).
public enum RequestTarget {
    /// The bytes that RFC 3986 §2 permits nowhere, and "#", which would begin a fragment. A fragment is never sent (RFC
    /// 9110 §7.1). One bit per byte, in two sets: below 64, and from 64 to 127. They hold controls, space, `"`, `#`,
    /// `<`, `>`; `\`, `^`, `` ` ``, `{`, `|`, `}`, DEL.
    private static let refusedLow: UInt64 = 0x5000_000D_FFFF_FFFF
    private static let refusedHigh: UInt64 = 0xB800_0001_5000_0000

    /// Whether a target contains no byte that must be percent-encoded.
    public static func isWellFormed(_ target: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt64 = 0
        for byte in target {
            let set = byte < 64 ? refusedLow : byte < 128 ? refusedHigh : 0
            found |= set >> UInt64(byte & 63) & 1
        }
        return found == 0
    }
}
