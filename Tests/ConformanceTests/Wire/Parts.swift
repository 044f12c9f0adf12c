// A parser for multipart/byteranges (RFC 9110 §14.6, RFC 2046 §5.1.1) and an origin that serves ranges itself.
import LarderCore
import LarderTestSupport
import Testing

extension WireMessage {
    /// The parts of a multipart response, each with its own fields.
    func parts() throws -> [WireMessage] {
        let type = self["Content-Type"] ?? ""
        let mark = "multipart/byteranges; boundary="
        guard type.lowercased().hasPrefix(mark) else { throw WireError("no multipart answer: \(type)") }
        let boundary = String(type.dropFirst(mark.count).filter { $0 != "\"" })
        var pieces: [WireMessage] = []
        var rest = ("\r\n" + text).unicodeScalars[...]
        let delimiter = Array("\r\n--\(boundary)".unicodeScalars)
        while let place = Self.find(delimiter, in: rest) {
            let piece = rest[..<place]
            rest = rest[place...].dropFirst(delimiter.count)
            // Text before the first delimiter is not a part.
            if let part = Self.part(String(piece)) { pieces.append(part) }
        }
        guard String(rest).hasPrefix("--") else { throw WireError("the parts have no end") }
        return pieces
    }

    private static func part(_ text: String) -> WireMessage? {
        let scalars = text.unicodeScalars[...]
        guard let place = find(Array("\r\n\r\n".unicodeScalars), in: scalars) else { return nil }
        // The rest of the delimiter line takes the place of the start line.
        var part = WireMessage(head: wireBytes(String(scalars[..<place]) + "\r\n"))
        part.body = wireBytes(String(scalars[place...].dropFirst(4)))
        part.isWhole = true
        return part
    }

    private static func find(
        _ wanted: [Unicode.Scalar], in text: Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView.Index? {
        var place = text.startIndex
        while place < text.endIndex {
            if text[place...].starts(with: wanted) { return place }
            place = text.index(after: place)
        }
        return nil
    }
}

/// An origin that serves a single range as a part.
func ranged(_ body: String, _ fields: String) -> @Sendable (WireMessage) -> String {
    { request in
        let numbers = (request["Range"] ?? "").drop { $0 != "=" }.dropFirst().split(separator: "-").compactMap {
            Int($0)
        }
        guard numbers.count == 2 else { return whole(body, fields) }
        let part = String(body.dropFirst(numbers[0]).prefix(numbers[1] - numbers[0] + 1))
        let place = "bytes \(numbers[0])-\(numbers[1])/\(body.utf8.count)"
        return whole(part, "\(fields)Content-Range: \(place)\r\n", status: "206 Partial Content")
    }
}
