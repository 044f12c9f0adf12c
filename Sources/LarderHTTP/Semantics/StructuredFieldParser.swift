// Parses structured fields by the algorithms of RFC 8941 §4.2. Every step advances one position in the bytes. The
// result is nil at the first byte that the grammar does not allow.
import LarderCore

struct StructuredFieldParser {
    private let bytes: Bytes
    private var place = 0

    /// Parses all lines of a field, joined as RFC 9110 §5.2 says.
    static func whole<T>(_ values: [String], _ read: (inout StructuredFieldParser) -> T?) -> T? {
        var parser = StructuredFieldParser(bytes: Bytes(text: values.joined(separator: ", ")))
        parser.skip { $0 == 0x20 }
        guard let value = read(&parser) else { return nil }
        parser.skip { $0 == 0x20 }
        return parser.place == parser.bytes.count ? value : nil
    }

    private init(bytes: Bytes) {
        self.bytes = bytes
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while let byte = next, isSkipped(byte) { place += 1 }
    }

    private mutating func run(while belongs: (UInt8) -> Bool) -> String {
        let start = place
        skip(while: belongs)
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    // MARK: Containers

    mutating func dictionary() -> StructuredField.Dictionary? {
        var out = StructuredField.Dictionary()
        while next != nil {
            guard let key = key() else { return nil }
            if take(0x3D) {
                guard let member = member() else { return nil }
                out.set(key, member)
            } else {
                guard let parameters = parameters() else { return nil }
                out.set(key, .item(StructuredField.Item(value: .boolean(true), parameters: parameters)))
            }
            guard let goesOn = separator() else { return nil }
            if !goesOn { break }
        }
        return out
    }

    mutating func list() -> [StructuredField.Member]? {
        var out: [StructuredField.Member] = []
        while next != nil {
            guard let member = member() else { return nil }
            out.append(member)
            guard let goesOn = separator() else { return nil }
            if !goesOn { break }
        }
        return out
    }

    /// Whether another member follows; nil on a grammar error. A comma at the end is an error.
    private mutating func separator() -> Bool? {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let end = place
        skip(while: isSpace)
        guard next != nil else {
            // Spaces may end a field, but tabs must not (§4.2).
            place = end
            return false
        }
        guard take(0x2C) else { return nil }
        skip(while: isSpace)
        return next != nil ? true : nil
    }

    private mutating func member() -> StructuredField.Member? {
        if next == 0x28 { return innerList() }
        return item().map { .item($0) }
    }

    private mutating func innerList() -> StructuredField.Member? {
        guard take(0x28) else { return nil }
        var items: [StructuredField.Item] = []
        while next != nil {
            skip { $0 == 0x20 }
            if take(0x29) { return parameters().map { .innerList(items, $0) } }
            guard let item = item() else { return nil }
            items.append(item)
            guard next == 0x20 || next == 0x29 else { return nil }
        }
        return nil
    }

    mutating func item() -> StructuredField.Item? {
        guard let value = bareItem(), let parameters = parameters() else { return nil }
        return StructuredField.Item(value: value, parameters: parameters)
    }

    private mutating func parameters() -> StructuredField.Parameters? {
        var out = StructuredField.Parameters()
        while take(0x3B) {
            skip { $0 == 0x20 }
            guard let key = key() else { return nil }
            var value = StructuredField.BareItem.boolean(true)
            if take(0x3D) {
                guard let given = bareItem() else { return nil }
                value = given
            }
            out.set(key, value)
        }
        return out
    }

    /// `( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )`
    private mutating func key() -> String? {
        guard let first = next, ASCII.isLowercaseLetter(first) || first == 0x2A else { return nil }
        return run {
            ASCII.isLowercaseLetter($0) || ASCII.isDigit($0) || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E || $0 == 0x2A
        }
    }

    // MARK: Bare items

    private mutating func bareItem() -> StructuredField.BareItem? {
        guard let first = next else { return nil }
        return switch first {
        case 0x2D, 0x30...0x39: number()
        case 0x22: string().map { .string($0) }
        case 0x2A, 0x41...0x5A, 0x61...0x7A: .token(run { ASCII.isToken($0) || $0 == 0x3A || $0 == 0x2F })
        case 0x3A: byteSequence().map { .bytes($0) }
        case 0x3F: boolean().map { .boolean($0) }
        default: nil
        }
    }

    private mutating func number() -> StructuredField.BareItem? {
        let sign: Int64 = take(0x2D) ? -1 : 1
        let whole = run(while: ASCII.isDigit)
        guard (1...15).contains(whole.utf8.count), let integer = Int64(whole) else { return nil }
        guard take(0x2E) else { return .integer(sign * integer) }
        let part = run(while: ASCII.isDigit)
        guard whole.utf8.count <= 12, (1...3).contains(part.utf8.count), let digits = Int64(part) else { return nil }
        let thousandths = digits * (part.utf8.count == 1 ? 100 : part.utf8.count == 2 ? 10 : 1)
        return .decimal(thousandths: sign * (integer * 1000 + thousandths))
    }

    private mutating func string() -> String? {
        guard take(0x22) else { return nil }
        var out = Bytes()
        while let byte = next {
            place += 1
            switch byte {
            case 0x22: return String(decoding: out, as: UTF8.self)
            case 0x5C:
                guard let escaped = next, escaped == 0x22 || escaped == 0x5C else { return nil }
                place += 1
                out.append(escaped)
            case 0x20...0x7E: out.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func boolean() -> Bool? {
        guard take(0x3F) else { return nil }
        if take(0x31) { return true }
        return take(0x30) ? false : nil
    }

    /// Base64 between colons (RFC 8941 §4.2.7). Padding may be missing, as the RFC advises readers to accept.
    private mutating func byteSequence() -> Bytes? {
        guard take(0x3A) else { return nil }
        let text = run { $0 != 0x3A }
        guard take(0x3A) else { return nil }
        var out = Bytes()
        var buffer: UInt32 = 0
        var bits = 0
        var padding = 0
        for byte in text.utf8 {
            if byte == 0x3D {
                padding += 1
                continue
            }
            guard padding == 0, let value = Self.base64Value(byte) else { return nil }
            buffer = (buffer << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        // One character alone holds no byte, and padding only fills up to four characters.
        guard bits < 6, padding == 0 || text.utf8.count % 4 == 0 && padding <= 2 else { return nil }
        return out
    }

    private static func base64Value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
