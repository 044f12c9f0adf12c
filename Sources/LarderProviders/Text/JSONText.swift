// Writes JSON strings for results. Control characters other than white space become spaces, so the text of a response
// cannot control the terminal that displays it. Most texts need no change and are copied whole.
import LarderCore

/// Writes texts, member names and lists of texts as JSON.
enum JSONText {
    /// A text as a JSON string.
    static func append(_ text: String, to bytes: inout Bytes) {
        // Strings parsed from JSON are contiguous in memory.
        guard text.utf8.withContiguousStorageIfAvailable({ append($0, to: &bytes) }) == nil else { return }
        Bytes(text.utf8).withUnsafeBufferPointer { append($0, to: &bytes) }
    }

    /// Appends UTF-8 bytes as a JSON string.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout Bytes) {
        let plain = PlainText.end(in: text, from: 0)
        guard plain == text.count, let start = text.baseAddress else {
            return append(text, plainUntil: plain, to: &bytes)
        }
        bytes.append(room: plain + 2) { out in
            out[0] = 0x22
            (out + 1).update(from: start, count: plain)
            out[plain + 1] = 0x22
            return plain + 2
        }
    }

    /// Appends the bytes of a text unchanged.
    static func append(plain text: String, to bytes: inout Bytes) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private static func append(
        _ text: UnsafeBufferPointer<UInt8>, plainUntil plain: Int, to bytes: inout Bytes
    ) {
        bytes.append(0x22)
        var start = 0
        var place = plain
        while place < text.count {
            let length = special(in: text, at: place)
            if length > 0 {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
                append(special: text[place], to: &bytes)
                start = place + length
            }
            place = PlainText.end(in: text, from: place + max(length, 1))
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(0x22)
    }

    static func append(_ texts: [String], to bytes: inout Bytes) {
        bytes.append(0x5B)
        for (position, text) in texts.enumerated() {
            if position > 0 { bytes.append(0x2C) }
            append(text, to: &bytes)
        }
        bytes.append(0x5D)
    }

    /// Appends a member's name and its colon, with a comma before it unless it is the first. The name needs no
    /// escaping.
    static func append(name: StaticString, first: Bool = false, to bytes: inout Bytes) {
        let count = name.utf8CodeUnitCount
        bytes.append(room: count + 4) { out in
            out[0] = 0x2C
            let start = first ? out : out + 1
            start[0] = 0x22
            (start + 1).update(from: name.utf8Start, count: count)
            start[count + 1] = 0x22
            start[count + 2] = 0x3A
            return count + (first ? 3 : 4)
        }
    }

    /// The number of bytes at `place` that must be escaped or replaced; 0 if there are none.
    private static func special(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
        switch text[place] {
        case 0x22, 0x5C: 1
        default: ControlCharacters.length(in: text, at: place)
        }
    }

    private static func append(special byte: UInt8, to bytes: inout Bytes) {
        switch byte {
        case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, byte])
        case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
        case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
        case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
        default: bytes.append(0x20)
        }
    }
}
