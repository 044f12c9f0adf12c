// Control characters: one definition for every text that a person reads. A terminal obeys C1 characters (U+0080 to
// U+009F) just as it obeys ESC: U+009B is "ESC [" in one character (ECMA-48 §5.3, §5.4 "CSI"). In UTF-8 each C1
// character is 0xC2 followed by a byte from 0x80 to 0x9F.

/// Finds control characters in UTF-8 bytes.
public enum ControlCharacters {
    /// The length in bytes of the control character that begins at `place`; 0 if none begins there.
    @inlinable
    public static func length(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
        switch text[place] {
        case 0x00..<0x20, 0x7F: 1
        case 0xC2 where place + 1 < text.count && text[place + 1] < 0xA0: 2
        default: 0
        }
    }
}

extension Unicode.Scalar {
    /// C0, DEL or C1: Unicode's general category Cc.
    public var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension String {
    /// Whether the text contains a control character.
    public var holdsControls: Bool {
        var text = self
        return text.withUTF8 { bytes in
            var place = PlainText.end(in: bytes, from: 0)
            while place < bytes.count {
                if ControlCharacters.length(in: bytes, at: place) > 0 { return true }
                place = PlainText.end(in: bytes, from: place + 1)
            }
            return false
        }
    }

    /// Returns the text with every control character replaced by `sign`, except those in `kept`.
    public func replacingControls(with sign: Unicode.Scalar, keeping kept: String.UnicodeScalarView = "".unicodeScalars)
        -> String
    {
        guard holdsControls else { return self }
        var out = String.UnicodeScalarView()
        for scalar in unicodeScalars { out.append(scalar.isControl && !kept.contains(scalar) ? sign : scalar) }
        return String(out)
    }
}
