// Texts that represent bytes. A byte of 0x80 or more that is not part of valid UTF-8 is written and read as one
// private-use scalar.
import LarderCore

/// The scalar that represents one byte.
func octet(_ byte: UInt8) -> String {
    Unicode.Scalar(0xF700 + UInt32(byte)).map { String(Character($0)) } ?? ""
}

/// The bytes that a text represents.
func wireBytes(_ text: String) -> Bytes {
    var bytes = Bytes()
    for scalar in text.unicodeScalars {
        if (0xF780...0xF7FF).contains(scalar.value) {
            bytes.append(UInt8(scalar.value - 0xF700))
        } else {
            bytes.append(contentsOf: String(Character(scalar)).utf8)
        }
    }
    return bytes
}

/// The text that represents the bytes.
func wireText(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Bytes(bytes)
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : octet($0) }.joined()
}

/// A response with a Content-Length.
func whole(_ body: String, _ fields: String = "", status: String = "200 OK") -> String {
    "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(wireBytes(body).count)\r\n\r\n\(body)"
}

func whole(_ body: Bytes, _ fields: String = "") -> Bytes {
    wireBytes("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n") + body
}

/// The same response in chunks that cycle through these sizes.
func chunkedAnswer(_ body: Bytes, _ fields: String = "", sizes: [Int] = [50_000]) -> Bytes {
    wireBytes("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n") + inChunks(body, sizes)
}

func inChunks(_ body: Bytes, _ sizes: [Int]) -> Bytes {
    var out = Bytes()
    var (place, turn) = (0, 0)
    while place < body.count {
        let count = min(sizes[turn % sizes.count], body.count - place)
        out += wireBytes(String(count, radix: 16) + "\r\n")
        out += body[place..<place + count]
        out += [0x0D, 0x0A]
        place += count
        turn += 1
    }
    return out + wireBytes("0\r\n\r\n")
}

/// This many bytes without repetition, including NUL and line ends.
func pattern(_ count: Int) -> Bytes {
    var state: UInt32 = 0x2545_F491
    return Bytes(room: count) { buffer, filled in
        for index in 0..<count {
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: state))
        }
        filled = count
    }
}
