// Secrets in bodies. JSON is scanned and not parsed: so a text that was cut off, several texts in lines, and a stream
// of events lose their secrets too, and everything else keeps its bytes. URLs within a text lose their secret
// parameters.
import LarderCore
import LarderHTTP

extension TapeSecrets {
    /// The body without its secrets.
    func cut(_ body: Bytes, type: String?) -> Bytes {
        guard !body.isEmpty else { return body }
        var cut = body
        switch BodyKind(body, type: type) {
        case .json: cut = self.cut(links: self.cut(json: body))
        case .form: cut = self.cut(pairs: body, isSecret: isSecret)
        case .multipart(let boundary): cut = self.cut(multipart: body, boundary: boundary)
        case .other: cut = self.cut(links: body)
        }
        guard let redacted = redactor.redacted(cut) else { return cut }
        // A literal that begins within an escape, or is more than a value, leaves no JSON behind. Then nothing is kept.
        if (try? JSON.parse(cut, maxDepth: 512)) != nil, (try? JSON.parse(redacted, maxDepth: 512)) == nil {
            return Self.quotedWord
        }
        return redacted
    }

    /// A text with the values of secret parameters replaced in the URLs that stand in it. "&" may be written as "&amp;"
    /// (HTML) or as an escape of JSON.
    func cut(links text: Bytes) -> Bytes {
        var out = Bytes()
        var kept = 0
        var place = 0
        while let equals = text[place...].firstIndex(of: 0x3D) {
            place = equals + 1
            let run = text[max(0, equals - 64)..<equals].reversed().prefix { Self.isOfName($0) }.count
            var start = equals - run
            guard start > 0 else { continue }
            let isEscape = text[start - 1] == 0x5C && text[start..<equals].starts(with: "u0026".utf8)
            if isEscape { start += 5 }
            guard isEscape || [0x3F, 0x26, 0x3B].contains(text[start - 1]),
                isSecret(TapeFacts.decoded(Bytes(text[start..<equals])))
            else { continue }
            let end = text[place...].firstIndex(where: Self.endsParameter) ?? text.count
            guard end > place else { continue }
            out += text[kept..<place] + Self.word.utf8
            (kept, place) = (end, end)
        }
        return kept == 0 ? text : out + text[kept...]
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == 0x2D || byte == 0x5F || byte == 0x25
    }

    /// What no value in a URL contains, or what ends it.
    private static func endsParameter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "&#\"'<>\\,;]}`".utf8.contains(byte)
    }

    private static var quotedWord: Bytes { Bytes(text: "\"\(word)\"") }

    private func cut(json text: Bytes) -> Bytes {
        var out = Bytes()
        var kept = 0
        var place = 0
        func replace(_ range: Range<Int>) {
            out += text[kept..<range.lowerBound]
            out += Self.quotedWord
            (kept, place) = (range.upperBound, range.upperBound)
        }
        while place < text.count {
            let byte = text[place]
            if byte == 0x2D || ASCII.isDigit(byte) {
                // A literal within a number cannot be replaced by a word without quotation marks.
                let end = text[place...].firstIndex { !Self.isOfNumber($0) } ?? text.count
                if redactor.redacted(Bytes(text[place..<end])) == nil { place = end } else { replace(place..<end) }
                continue
            }
            guard byte == 0x22 else {
                place += 1
                continue
            }
            let end = Self.endOfString(in: text, from: place)
            let colon = Self.afterSpace(in: text, from: end)
            let name = place..<end
            place = end
            guard colon < text.count, text[colon] == 0x3A, isSecret(Self.name(text[name])) else { continue }
            let start = Self.afterSpace(in: text, from: colon + 1)
            guard start < text.count, Self.canBeSecret(text[start...]) else { continue }
            replace(start..<Self.endOfValue(in: text, from: start))
        }
        return out + text[kept...]
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte | 0x20 == 0x65
    }

    /// null, true, false and "" tell nothing, and a client may decide by them.
    private static func canBeSecret(_ value: ArraySlice<UInt8>) -> Bool {
        switch value.first {
        case 0x6E, 0x74, 0x66: false
        default: !value.starts(with: [0x22, 0x22])
        }
    }

    /// The text of a member's name, which may have escapes.
    private static func name(_ token: ArraySlice<UInt8>) -> String {
        if !token.contains(0x5C) { return String(decoding: token.dropFirst().dropLast(), as: UTF8.self) }
        return (try? JSON.parse(Bytes(token)))?.string ?? ""
    }

    private static func afterSpace(in text: Bytes, from place: Int) -> Int {
        text[place...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? text.count
    }

    /// The place after the closing quotation mark, or the end of a text that was cut off.
    private static func endOfString(in text: Bytes, from start: Int) -> Int {
        var place = start + 1
        while place < text.count {
            if text[place] == 0x22 { return place + 1 }
            place += text[place] == 0x5C ? 2 : 1
        }
        return text.count
    }

    private static func endOfValue(in text: Bytes, from start: Int) -> Int {
        var depth = 0
        var place = start
        while place < text.count {
            switch text[place] {
            case 0x22:
                place = endOfString(in: text, from: place)
                if depth == 0 { return place }
                continue
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D:
                if depth == 0 { return place }
                depth -= 1
                if depth == 0 { return place + 1 }
            case 0x2C, 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return text.count
    }

    private func cut(multipart content: Bytes, boundary: String) -> Bytes {
        guard let parts = MultipartParts(content, boundary: boundary) else {
            // The parts and their names cannot be told. A digest is still found again.
            if content.starts(with: Self.word.utf8) { return content }
            return Bytes(text: "\(Self.word) \(content.count) bytes, sha256 \(TapeText.mark(of: content))")
        }
        var out = Bytes()
        var kept = 0
        for part in parts.parts where !part.range.isEmpty {
            let text = Bytes(content[part.range])
            let new = isSecret(part.head.name) ? Bytes(text: Self.word) : cut(text, type: part.head.contentType)
            out += content[kept..<part.range.lowerBound]
            out += new
            kept = part.range.upperBound
        }
        return out + content[kept...]
    }
}

/// How a body is read, by its type and its beginning.
enum BodyKind {
    case json, form, other
    /// With its boundary.
    case multipart(String)

    init(_ body: Bytes, type: String?) {
        let essence = MediaType.essence(type)
        switch essence {
        case "application/x-www-form-urlencoded": self = .form
        case "application/x-ndjson", "application/jsonl", "text/event-stream", "application/json": self = .json
        case "multipart/form-data": self = MultipartFormReader.boundary(of: type).map(BodyKind.multipart) ?? .other
        case nil, "text/plain", "application/octet-stream", "text/javascript", "application/javascript":
            // Many APIs send JSON under these names.
            let first = body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
            self = first == 0x7B || first == 0x5B ? .json : .other
        case let essence?: self = essence.hasSuffix("+json") || essence.hasSuffix("/json") ? .json : .other
        }
    }
}

/// The parts of a form with the places of their contents.
struct MultipartParts {
    var parts: [(head: MultipartPart, range: Range<Int>)] = []

    /// Nil if the content is not such a form.
    init?(_ content: Bytes, boundary: String) {
        guard var reader = try? MultipartFormReader(boundary: boundary), let events = try? reader.feed(content),
            reader.isComplete
        else { return nil }
        // The reader does not tell places. It reports the contents in order, so each is found behind the one before it:
        // behind the first empty line, which ends the head of its part (RFC 2046 §5.1).
        var place = 0
        let delimiter = Bytes(text: "--\(boundary)")
        for event in events {
            switch event {
            case .part(let head):
                guard let start = content[place...].firstRange(of: delimiter)?.upperBound,
                    let end = content[start...].firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A] as Bytes)?.upperBound
                else { return nil }
                parts.append((head, end..<end))
                place = end
            case .content(let bytes):
                guard let last = parts.last else { return nil }
                place += bytes.count
                parts[parts.count - 1].range = last.range.lowerBound..<place
            case .partEnd, .end: break
            }
        }
    }
}
