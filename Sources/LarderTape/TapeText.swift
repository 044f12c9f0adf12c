// The text form of an exchange. Lines that begin with ":" are the tape's own: no field name does (RFC 9110 §5.1).
//
//     GET https://api.example.test/search?q=a     then chosen fields, the same with `:content N`
//     HTTP 200                                    then fields, `:body N`, an empty line, N bytes, a line end
//     :end
//
// Lengths keep each byte and tell a file that was cut. A body that is no short text lies in a file of its own, which
// the line names with the beginning of its digest.
import LarderCore
import LarderHTTP

/// Writes the text of an exchange.
enum TapeText {
    /// The longest body that stands in the text. Reviewers read short ones; a longer one would hide the next line.
    static let longest = 64 << 10

    /// The files of an exchange: what lies beside its text, then the text.
    static func write(_ exchange: TapeExchange, name: TapeName) -> [(file: String, bytes: Bytes)] {
        var text = Bytes(text: "\(exchange.request.method) \(exchange.request.url.text)\n")
        var files: [(String, Bytes)] = []
        func add(_ fields: HeaderFields, _ part: TapePart, _ bytes: Bytes) {
            // A field value is written as UTF-8 of its scalars, each of which is one byte (HeaderFields).
            for line in fields { text += "\(line.name): \(line.value)\n".utf8 }
            if bytes.isEmpty {
                text.append(0x0A)
            } else if isText(bytes) {
                text += ":\(part) \(bytes.count)\n\n".utf8 + bytes + [0x0A]
            } else {
                text += ":\(part) \(bytes.count) in \(name.file(part)) sha256 \(mark(of: bytes))\n\n".utf8
                files.append((name.file(part), bytes))
            }
        }
        add(exchange.request.fields, .content, exchange.request.content)
        text += "HTTP \(exchange.answer.status)\n".utf8
        add(exchange.answer.fields, .body, exchange.answer.body)
        return files + [(name.file, text + Bytes(text: ":end\n"))]
    }

    /// Whether a body can stand in the text: a terminal or an editor shows it as it is.
    static func isText(_ bytes: Bytes) -> Bool {
        guard bytes.count <= longest, let text = bytes.strictText else { return false }
        return text.unicodeScalars.allSatisfy { !$0.isControl || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    }

    /// What tells bytes from others.
    static func mark(of bytes: Bytes) -> String { String(Digest(of: bytes).hex.prefix(16)) }
}

extension TapeRecording {
    /// The text of the exchange, as its file has it.
    public var text: Bytes { TapeText.write(exchange, name: name).last?.bytes ?? [] }
}

/// Reads one text. A text that is not exactly as it was written is refused, with the line where that shows.
struct TapeTextReader {
    private let name: TapeName
    private let text: Bytes
    private var place = 0
    private var line = 0

    /// The bytes of a file beside the text; nil if there is none.
    typealias Beside = (TapePart) throws(TapeFault) -> Bytes?

    static func read(_ text: Bytes, name: TapeName, beside: Beside) throws(TapeFault) -> TapeExchange {
        var reader = TapeTextReader(name: name, text: text)
        let request = try reader.request(beside)
        let status = try reader.status()
        let (fields, length) = try reader.fields(.body)
        let answer = TapeAnswer(status: status, fields: fields, body: try reader.bytes(.body, length, beside))
        guard try reader.next() == ":end", reader.place == text.count else {
            throw reader.fault("the end is not where the lengths put it")
        }
        return TapeExchange(request, answer)
    }

    private init(name: TapeName, text: Bytes) {
        self.name = name
        self.text = text
    }

    private func fault(_ message: String) -> TapeFault { TapeFault(.torn, name.file, line: line, message) }

    private mutating func next() throws(TapeFault) -> String {
        line += 1
        guard let end = text[place...].firstIndex(of: 0x0A) else { throw fault("the file ends within this line") }
        guard let text = String(validating: text[place..<end], as: UTF8.self) else { throw fault("is not UTF-8") }
        place = end + 1
        return text
    }

    private mutating func request(_ beside: Beside) throws(TapeFault) -> TapeRequest {
        let words = try next().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, !words[0].isEmpty, words[0].utf8.allSatisfy(ASCII.isToken),
            let url = HTTPURL(String(words[1])), url.text == words[1]
        else { throw fault("is not a method and an http or https URL") }
        let (fields, length) = try fields(.content)
        let content = try bytes(.content, length, beside)
        return TapeRequest(Method(String(words[0])), url, fields: fields, content: content)
    }

    private mutating func status() throws(TapeFault) -> Int {
        let text = try next()
        guard let digits = text.dropping(prefix: "HTTP "), digits.utf8.count == 3, let status = Int(digits),
            (100...999).contains(status)
        else { throw fault("is not \"HTTP\" and a status, as stands before the answer") }
        return status
    }

    /// What a line tells of the bytes that follow the head.
    private struct Length {
        var count: Int
        /// The beginning of the digest if the bytes lie in a file beside the text.
        var mark: String?
    }

    private mutating func fields(_ part: TapePart) throws(TapeFault) -> (HeaderFields, Length?) {
        var fields = HeaderFields()
        while true {
            let text = try next()
            if text.isEmpty { return (fields, nil) }
            if let rest = text.dropping(prefix: ":\(part) ") {
                let length = try length(rest, part)
                guard try next().isEmpty else { throw fault("an empty line must follow the length") }
                return (fields, length)
            }
            guard let colon = text.utf8.firstIndex(of: 0x3A) else { throw fault("is not a field") }
            let value = ASCII.trimmed(text[text.utf8.index(after: colon)...])
            fields.add(String(text[..<colon]), String(value))
            guard fields.isSendable, value.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else {
                throw fault("is not a field")
            }
        }
    }

    private func length(_ text: Substring, _ part: TapePart) throws(TapeFault) -> Length {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = words.first, let count = Int(first), count > 0, String(count) == first else {
            throw fault("does not tell a length")
        }
        if words.count == 1 { return Length(count: count) }
        // The name is known. A text cannot make another file part of the exchange.
        guard words.count == 5, words[1...3].elementsEqual(["in", name.file(part)[...], "sha256"]) else {
            throw fault("does not name \(name.file(part)), the file that may belong to this exchange")
        }
        return Length(count: count, mark: String(words[4]))
    }

    private mutating func bytes(_ part: TapePart, _ length: Length?, _ beside: Beside) throws(TapeFault) -> Bytes {
        guard let length else { return [] }
        if let mark = length.mark {
            guard let bytes = try beside(part) else { throw fault("there is no \(name.file(part))") }
            guard bytes.count == length.count, TapeText.mark(of: bytes) == mark else {
                throw fault("\(name.file(part)) is not the file that this text was written with")
            }
            return bytes
        }
        let room = text.count - place
        guard length.count < room, text[place + length.count] == 0x0A else {
            let tail = Bytes(text: "\n:end\n")
            let isWhole = part == .body && room >= tail.count && text.suffix(tail.count).elementsEqual(tail)
            let found = isWhole ? ", but \(room - tail.count) stand here" : ": the file was cut or edited"
            throw fault("\(length.count) bytes must follow, as line \(line - 1) says\(found)")
        }
        let bytes = Bytes(text[place..<place + length.count])
        place += length.count + 1
        line += 1 + bytes.count { $0 == 0x0A }
        return bytes
    }
}
