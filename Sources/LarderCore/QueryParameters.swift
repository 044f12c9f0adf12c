// Percent-encoding and query strings (RFC 3986 §2.1, §3.4). "+" means a space, as in HTML forms.

/// Reading and writing percent-encoded text.
public enum PercentCoding {
    /// Why a text was refused.
    public enum Failure: Error, Sendable, Equatable {
        /// "%" without two hexadecimal digits.
        case malformed
        /// The decoded bytes are not valid UTF-8, or contain NUL.
        case notText
    }

    /// Decodes "%XX" and, if `plusIsSpace` is true, "+" as a space. The result is valid UTF-8 without NUL.
    public static func decode(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) throws(Failure) -> String {
        let out = try decodeBytes(bytes, plusIsSpace: plusIsSpace)
        guard !out.contains(0), let text = out.strictText else { throw .notText }
        return text
    }

    /// Decodes "%XX" and, if `plusIsSpace` is true, "+" as a space. The resulting bytes need not be text.
    @inlinable
    public static func decodeBytes(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) throws(Failure) -> Bytes {
        var out = Bytes()
        out.reserveCapacity(bytes.underestimatedCount)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case 0x25:
                guard let high = iterator.next().flatMap(ASCII.hexValue),
                    let low = iterator.next().flatMap(ASCII.hexValue)
                else { throw .malformed }
                out.append(high << 4 | low)
            case 0x2B where plusIsSpace: out.append(0x20)
            default: out.append(byte)
            }
        }
        return out
    }

    /// Whether a byte stands for itself everywhere (unreserved, RFC 3986 §2.3).
    @inlinable
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Encodes everything except unreserved characters and those in `kept`. A space becomes "%20", which every server
    /// reads the same way.
    public static func encode(_ text: String, keeping kept: StaticString = "") -> String {
        let kept = UnsafeBufferPointer(start: kept.utf8Start, count: kept.utf8CodeUnitCount)
        // Most texts need no encoding.
        if text.utf8.allSatisfy({ isUnreserved($0) || kept.contains($0) }) { return text }
        var out = Bytes()
        let digits = Bytes(text: "0123456789ABCDEF")
        for byte in text.utf8 {
            if isUnreserved(byte) || kept.contains(byte) {
                out.append(byte)
            } else {
                out.append(0x25)
                out.append(digits[Int(byte >> 4)])
                out.append(digits[Int(byte & 15)])
            }
        }
        return out.lossyText
    }
}

/// The decoded parameters of a query string, in their order.
public struct QueryParameters: Sendable, Hashable {
    /// Name and value. The value is nil for a parameter without "=".
    public struct Item: Sendable, Hashable {
        public var name: String
        public var value: String?

        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    public var items: [Item]

    public init(_ items: [Item] = []) {
        self.items = items
    }

    /// Parses the bytes after "?". Empty pieces ("a=1&&b=2") are skipped.
    public init(parsing text: some StringProtocol) throws(PercentCoding.Failure) {
        items = []
        for piece in text.utf8.split(separator: 0x26) {
            if let equals = piece.firstIndex(of: 0x3D) {
                let name = try PercentCoding.decode(piece[..<equals], plusIsSpace: true)
                let value = try PercentCoding.decode(piece[piece.index(after: equals)...], plusIsSpace: true)
                items.append(Item(name, value))
            } else {
                items.append(Item(try PercentCoding.decode(piece, plusIsSpace: true), nil))
            }
        }
    }

    /// The first value of that name, "" if it has no "="; nil if the name is absent.
    public subscript(_ name: String) -> String? {
        items.first { $0.name == name }.map { $0.value ?? "" }
    }

    /// The parameters as a query string in their order, with every reserved character encoded.
    public var encoded: String {
        items.map { item in
            let name = PercentCoding.encode(item.name)
            return item.value.map { "\(name)=\(PercentCoding.encode($0))" } ?? name
        }.joined(separator: "&")
    }
}
