// Control characters: one definition for every text that a person reads. A terminal takes C1 characters (U+0080 to U+009F)
// for commands just as it takes ESC: U+009B is "ESC [" in one character (ECMA-48 §5.3, §5.4 "CSI"). In UTF-8 each of them
// is 0xC2 and a byte from 0x80 to 0x9F.

extension Unicode.Scalar {
    /// C0, DEL or C1: Unicode's general category Cc.
    public var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension String {
    /// Whether the text holds a control character.
    public var holdsControls: Bool {
        var last: UInt8 = 0
        for byte in utf8 {
            if byte < 0x20 || byte == 0x7F || (last == 0xC2 && byte < 0xA0) { return true }
            last = byte
        }
        return false
    }

    /// The text with every control character but those in `kept` replaced.
    public func replacingControls(with sign: Unicode.Scalar, keeping kept: String.UnicodeScalarView = "".unicodeScalars)
        -> String
    {
        guard holdsControls else { return self }
        var out = String.UnicodeScalarView()
        for scalar in unicodeScalars { out.append(scalar.isControl && !kept.contains(scalar) ? sign : scalar) }
        return String(out)
    }
}
