// Finds secrets in a text and replaces them, in whatever form the text spells them: plain, percent-encoded (once or
// twice), escaped as in JSON or JavaScript (once, or as JSON inside JSON), as HTML character references (once or
// twice), in hexadecimal, and in Base64 of either alphabet, alone or as part of something longer ("user:secret"). An
// upstream that repeats a key uses one of these forms.
//
// Secrets shorter than `leastLength` are not replaced: a text contains them by chance, and the gaps would reveal more
// about such a secret than they hide.

/// Replaces a fixed set of secrets in texts. Immutable: another set of secrets needs another redactor.
public struct SecretRedactor: Sendable {
    /// The length in bytes from which secrets are searched for.
    public static let leastLength = 8
    /// The text that replaces a secret.
    public static let replacement = "(hidden)"

    /// The secrets, their hexadecimal forms, and the parts of their Base64 forms that do not depend on the surrounding
    /// bytes.
    private let patterns: [Bytes]
    /// The indexes of the patterns by their first byte.
    private let starts: [[Int]]
    /// One bit for each pair of bytes with which an occurrence can begin. This test alone dismisses most positions.
    private let pairs: [UInt64]
    private let secrets: Set<String>

    public init(_ secrets: some Sequence<String>) {
        let secrets = Set(secrets).filter { $0.utf8.count >= Self.leastLength }
        self.secrets = secrets
        guard !secrets.isEmpty else {
            (patterns, starts, pairs) = ([], [], [])
            return
        }
        var seen: Set<Bytes> = []
        let patterns = secrets.sorted().flatMap(Self.forms).filter { seen.insert($0).inserted }
        var starts = [[Int]](repeating: [], count: 256)
        var pairs = [UInt64](repeating: 0, count: 1024)
        func mark(_ first: UInt8, _ second: UInt8) {
            let pair = Int(first) << 8 | Int(second)
            pairs[pair >> 6] |= 1 << UInt64(pair & 63)
        }
        for (index, pattern) in patterns.enumerated() {
            starts[Int(pattern[0])].append(index)
            for second in [pattern[1], 0x25, 0x26, 0x5C] { mark(pattern[0], second) }
        }
        // Any pattern may begin with an escape: some encoders escape every character.
        for (escape, seconds) in Self.escapes {
            for second in seconds { mark(escape, second) }
        }
        self.patterns = patterns
        self.starts = starts
        self.pairs = pairs
    }

    /// How escapes begin: "%XX", "&name;" and "&#", and a backslash before "u", "x" or a punctuation character.
    private static let escapes: [(UInt8, [UInt8])] = [
        (0x25, Array("0123456789ABCDEFabcdef".utf8)), (0x26, Array("#".utf8) + (0x41...0x5A) + (0x61...0x7A)),
        (0x5C, (0x21...0x7E).filter { !ASCII.isAlphanumeric($0) } + Array("ux".utf8)),
    ]

    /// Whether there is nothing to search for.
    public var isEmpty: Bool { patterns.isEmpty }

    /// Whether the redactor already covers a secret. True for secrets that are too short.
    public func covers(_ secret: String) -> Bool {
        secret.utf8.count < Self.leastLength || secrets.contains(secret)
    }

    /// Returns a redactor that also covers more secrets.
    public func adding(_ more: [String]) -> SecretRedactor {
        more.allSatisfy(covers) ? self : SecretRedactor(secrets.union(more))
    }

    /// Returns the text with secrets replaced.
    public func redacted(_ text: String) -> String {
        guard !isEmpty else { return text }
        let found =
            text.utf8.withContiguousStorageIfAvailable { redacted(buffer: $0) } ?? redacted(Bytes(text.utf8))
        return found.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Returns the bytes with secrets replaced; nil if they contain none.
    public func redacted(_ bytes: Bytes) -> Bytes? {
        bytes.withUnsafeBufferPointer { redacted(buffer: $0) }
    }

    /// Returns the fields with secrets in their values replaced.
    public func redacted(_ fields: HeaderFields) -> HeaderFields {
        guard !isEmpty else { return fields }
        var isFound = false
        fields.visit { line in
            isFound = redacted(buffer: line.value) != nil
            return !isFound
        }
        // Nearly no response repeats a secret.
        guard isFound else { return fields }
        return fields.changed { line in
            let value = line.withLine { redacted(buffer: $0.value) }
            return value.map { line.with(value: HeaderField.text($0)) } ?? line
        }
    }

    private func redacted(buffer text: UnsafeBufferPointer<UInt8>) -> Bytes? {
        guard !isEmpty, text.count >= Self.leastLength else { return nil }
        var out = Bytes()
        var kept = 0
        var place = 0
        while place + 1 < text.count {
            let pair = Int(text[place]) << 8 | Int(text[place + 1])
            guard pairs[pair >> 6] & 1 << UInt64(pair & 63) != 0, let end = end(in: text, from: place) else {
                place += 1
                continue
            }
            out += text[kept..<place]
            out += Self.replacement.utf8
            (place, kept) = (end, end)
        }
        guard kept > 0 else { return nil }
        out += text[kept...]
        return out
    }

    /// The end of the longest occurrence that begins at `place`; nil if there is none.
    private func end(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
        var longest: Int?
        func look(_ candidates: [Int]) {
            for index in candidates {
                guard let end = Spelling.end(of: patterns[index], in: text, from: place) else { continue }
                longest = max(longest ?? end, end)
            }
        }
        look(starts[Int(text[place])])
        let (one, other) = Spelling.meanings(in: text, at: place)
        if let one { look(starts[Int(one)]) }
        if let other, other != one { look(starts[Int(other)]) }
        return longest
    }

    /// The spellings of a secret: itself, its hexadecimal forms, and the part of its Base64 forms that is the same
    /// whatever surrounds it. Three bytes become four characters, so each alphabet has three such forms (RFC 4648 §4
    /// and §5).
    private static func forms(_ secret: String) -> [Bytes] {
        // A field holds a text of other letters than ASCII as ISO 8859-1, a body nearly always as UTF-8.
        var single = Bytes()
        HeaderField.append(secret, to: &single)
        let utf8 = Bytes(text: secret)
        return single == utf8 || !secret.unicodeScalars.allSatisfy({ $0.value < 0x100 })
            ? forms(utf8) : forms(utf8) + forms(single)
    }

    private static func forms(_ bytes: Bytes) -> [Bytes] {
        let hex = Hex.encode(bytes)
        var forms = [bytes, Bytes(text: hex.lowercased()), Bytes(text: hex.uppercased())]
        for before in 0..<3 {
            let text = Base64URL.encode(Bytes(repeating: 0, count: before) + bytes)
            let first = (8 * before + 5) / 6
            let last = 8 * (before + bytes.count) / 6
            let core = Bytes(text.utf8)[first..<last]
            forms.append(Bytes(core))
            forms.append(Bytes(core.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }))
        }
        return forms
    }
}

/// Matches a pattern against the escaped spellings of it in a text.
enum Spelling {
    /// The end of the occurrence of a pattern that begins at `place`, with each byte plain or escaped. Nil if there is
    /// none.
    static func end(of pattern: Bytes, in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
        if isPlain(pattern, in: text, at: place) { return place + pattern.count }
        // A percent sign of the secret that is encoded twice begins like one that is encoded once. So the whole pattern
        // is tried as encoded once, then as encoded twice.
        return end(of: pattern, in: text, from: place, percentTwice: false)
            ?? end(of: pattern, in: text, from: place, percentTwice: true)
    }

    private static func end(
        of pattern: Bytes, in text: UnsafeBufferPointer<UInt8>, from place: Int, percentTwice: Bool
    ) -> Int? {
        var place = place
        for byte in pattern {
            guard place < text.count else { return nil }
            // Escapes are tried first: a backslash or percent sign of the secret may be written as two of them.
            if let next = escaped(byte, in: text, at: place, percentTwice) {
                place = next
            } else if text[place] == byte {
                place += 1
            } else {
                return nil
            }
        }
        return place
    }

    private static func isPlain(_ pattern: Bytes, in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        guard place + pattern.count <= text.count else { return false }
        for index in pattern.indices where text[place + index] != pattern[index] { return false }
        return true
    }

    /// The bytes that an escape beginning at `place` may stand for. Only patterns that begin with one of them are then
    /// searched for, since a text may consist of escapes.
    static func meanings(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> (UInt8?, UInt8?) {
        guard place + 1 < text.count else { return (nil, nil) }
        func byte(_ value: UInt32?) -> UInt8? { value.flatMap { UInt8(exactly: $0) } }
        switch text[place] {
        case 0x25:
            let once = byte(code(text, place + 1, 2))
            return (once, once == 0x25 ? byte(code(text, place + 3, 2)) : nil)
        case 0x5C:
            let last = lastBackslash(in: text, from: place)
            guard last + 1 < text.count else { return (0x5C, nil) }
            let next = text[last + 1]
            let value =
                next == 0x75 ? byte(code(text, last + 2, 4)) : next == 0x78 ? byte(code(text, last + 2, 2)) : next
            return (value, text[place + 1] == 0x5C ? 0x5C : nil)
        case 0x26:
            let isNested = text[place...].dropFirst().starts(with: "amp;".utf8)
            return (
                byte(value(in: text, named: place + 1)?.value),
                isNested ? byte(value(in: text, named: place + 5)?.value) : nil
            )
        default: return (nil, nil)
        }
    }

    /// The last of the consecutive backslashes, at most three, that JSON inside JSON makes of one.
    private static func lastBackslash(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int {
        var last = place
        while last < place + 2, last + 1 < text.count, text[last + 1] == 0x5C { last += 1 }
        return last
    }

    /// The number written by hexadecimal digits; nil if they are not all digits.
    private static func code(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ digits: Int) -> UInt32? {
        guard start + digits <= text.count else { return nil }
        var value: UInt32 = 0
        for index in start..<start + digits {
            guard let digit = ASCII.hexValue(text[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The end of an escape of `byte` at `place`; nil if there is none.
    private static func escaped(
        _ byte: UInt8, in text: UnsafeBufferPointer<UInt8>, at place: Int, _ percentTwice: Bool
    ) -> Int? {
        func code(_ start: Int, _ digits: Int) -> UInt32? { Self.code(text, start, digits) }
        guard place + 1 < text.count else { return nil }
        switch text[place] {
        case 0x25:  // %XX, or that encoded once more: %25XX
            guard percentTwice else { return code(place + 1, 2) == UInt32(byte) ? place + 3 : nil }
            return code(place + 1, 2) == 0x25 && code(place + 3, 2) == UInt32(byte) ? place + 5 : nil
        case 0x5C:  // \/ \" \\ \u0000 \x00, and the same in a JSON text inside another: \\/ \\\" \\u0000
            let last = byte == 0x5C ? place : lastBackslash(in: text, from: place)
            guard last + 1 < text.count else { return nil }
            let next = text[last + 1]
            if next == byte, !ASCII.isAlphanumeric(byte) { return last + 2 }
            if next == 0x75, code(last + 2, 4) == UInt32(byte) { return last + 6 }
            return next == 0x78 && code(last + 2, 2) == UInt32(byte) ? last + 4 : nil
        case 0x26: return reference(byte, in: text, at: place)
        default: return nil
        }
    }

    /// The end of an HTML character reference to `byte`: by name, or in decimal or hexadecimal digits. "&amp;quot;" is
    /// "&quot;", escaped once more.
    private static func reference(_ byte: UInt8, in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
        if text[place...].dropFirst().starts(with: "amp;".utf8), let inner = value(in: text, named: place + 5),
            inner.value == UInt32(byte)
        {
            return inner.end
        }
        guard let plain = value(in: text, named: place + 1), plain.value == UInt32(byte) else { return nil }
        return plain.end
    }

    /// The value of the character reference whose name begins at `start`, and where the reference ends.
    private static func value(in text: UnsafeBufferPointer<UInt8>, named start: Int) -> (value: UInt32, end: Int)? {
        guard let end = text[start...].prefix(9).firstIndex(of: 0x3B) else { return nil }
        let name = String(decoding: text[start..<end], as: UTF8.self).lowercased()
        let value: UInt32? =
            if name.hasPrefix("#x") {
                UInt32(name.dropFirst(2), radix: 16)
            } else if name.hasPrefix("#") {
                UInt32(name.dropFirst())
            } else {
                names[name]
            }
        return value.map { ($0, end + 1) }
    }

    private static let names: [String: UInt32] = [
        "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27, "sol": 0x2F, "plus": 0x2B, "equals": 0x3D,
    ]
}
