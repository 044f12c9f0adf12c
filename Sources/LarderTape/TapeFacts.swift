// What of a request is compared, as a table from places to texts. Two requests match if their tables are equal; what
// differs between two is read off the tables. Secrets are cut before, and what is secret or ignored has no place in it.
// The order of parameters with different names does not count: clients keep them in tables without order.
import LarderCore
import LarderHTTP

/// A place in a request or an answer.
public struct TapePlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    public enum Kind: Int, Sendable, Hashable {
        case method, host, path, parameter, field, json, form, part, content, status, body
    }

    public var kind: Kind
    /// The name of a parameter, field, form field or part; the path of a JSON value. Empty for others.
    public var name: String
    /// Counts places of equal kind and name from 0.
    public var occurrence: Int

    public init(_ kind: Kind, _ name: String = "", occurrence: Int = 0) {
        self.kind = kind
        self.name = name
        self.occurrence = occurrence
    }

    public var description: String {
        let count = occurrence > 0 ? " (\(occurrence + 1))" : ""
        return switch kind {
        case .json: name
        default: name.isEmpty ? "\(kind)" : "\(kind) \(name)\(count)"
        }
    }

    public static func < (left: TapePlace, right: TapePlace) -> Bool {
        (left.kind.rawValue, left.name, left.occurrence) < (right.kind.rawValue, right.name, right.occurrence)
    }
}

/// What is left out of a comparison.
struct TapeOmissions: Sendable {
    var rules: TapeRules
    var secrets: TapeSecrets
    /// Parameters that a recording shows with a value that was cut, as `authority/path?name`. Their values are keys
    /// that this run may not have.
    var cutParameters: Set<String> = []

    mutating func noteCutParameters(_ url: HTTPURL) {
        let parts = url.target.split(separator: "?", maxSplits: 1)
        for (name, value) in TapeFacts.pairs((parts.dropFirst().first ?? "").utf8)
        where value.contains(TapeSecrets.word) {
            cutParameters.insert("\(url.authority)\(parts[0])?\(name)")
        }
    }

    func omitsParameter(_ name: String) -> Bool {
        rules.ignoredParameters.contains(name) || secrets.isSecret(name)
    }

    func omitsField(_ name: String) -> Bool {
        // A tape holds plain bodies, which every client accepts.
        let isCoding = ASCII.equalFolded(name, "Accept-Encoding")
        return isCoding || rules.ignoredFields.contains(name.lowercased()) || secrets.isSecretField(name)
    }
}

/// The compared facts of one request.
struct TapeFacts: Sendable, Hashable {
    private(set) var values: [TapePlace: String] = [:]
    /// How many values a kind and name have, as the occurrence of the next.
    private var counts: [TapePlace: Int] = [:]

    /// The longest JSON that is compared by its values. A longer one is compared by its bytes.
    static let longestJSON = 4 << 20

    init() {}

    /// - Parameter request: without its secrets.
    init(_ request: TapeRequest, _ omissions: TapeOmissions) {
        let url = request.url
        values[TapePlace(.method)] = request.method.name
        values[TapePlace(.host)] = "\(url.scheme)://\(url.authority)"
        let parts = url.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        values[TapePlace(.path)] = EquivalentURL.normalised(String(parts[0]))
        if parts.count > 1 {
            let place = "\(url.authority)\(parts[0])?"
            for (name, value) in Self.pairs(parts[1].utf8)
            where !omissions.omitsParameter(name) && !omissions.cutParameters.contains(place + name) {
                add(.parameter, name, value)
            }
        }
        if let range = request.fields.combined(.range), !omissions.omitsField("range") { add(.field, "range", range) }
        add(content: request, omissions)
    }

    /// Adds the fields of these names. Members may be written in one line or several (RFC 9111 §4.1).
    mutating func add(_ fields: HeaderFields, named names: [String], _ omissions: TapeOmissions) {
        for name in names where !omissions.omitsField(name) && fields.contains(name) {
            add(.field, name, FieldList.members(fields.all(name)).joined(separator: ", "))
        }
    }

    /// A digest of all facts.
    var digest: Digest {
        var text = Bytes()
        for (place, value) in values.sorted(by: { $0.key < $1.key }) {
            // With the lengths no name and value can look like others.
            text += "\(place.kind) \(place.name.utf8.count) \(place.name) \(value.utf8.count) \(value)\n".utf8
        }
        return Digest(of: text)
    }

    mutating func add(_ kind: TapePlace.Kind, _ name: String, _ value: String) {
        let place = TapePlace(kind, name)
        let count = counts[place, default: 0]
        counts[place] = count + 1
        values[TapePlace(kind, name, occurrence: count)] = value
    }

    private mutating func add(content request: TapeRequest, _ omissions: TapeOmissions) {
        let content = request.content
        guard !content.isEmpty else { return }
        switch BodyKind(content, type: request.fields.first(.contentType)) {
        case .json where content.count <= Self.longestJSON:
            if let value = try? JSON.parse(content, maxDepth: 512) { return add(json: value, omissions) }
        case .form:
            for (name, value) in Self.pairs(content) where !omissions.omitsParameter(name) { add(.form, name, value) }
            return
        case .multipart(let boundary):
            guard let form = MultipartParts(content, boundary: boundary) else { break }
            for part in form.parts where !omissions.omitsParameter(part.head.name) {
                let about = [part.head.filename, part.head.contentType].compactMap(\.self) + [""]
                add(.part, part.head.name, about.joined(separator: "; ") + Self.text(of: Bytes(content[part.range])))
            }
            return
        case .json, .other: break
        }
        add(.content, "", Self.text(of: content))
    }

    /// Bytes as a text that is equal for equal bytes only.
    static func text(of bytes: Bytes) -> String {
        if TapeText.isText(bytes) { return bytes.lossyText }
        return "\(bytes.count) bytes, sha256 \(TapeText.mark(of: bytes))"
    }

    /// The pairs of a query or form.
    static func pairs(_ text: some Collection<UInt8>) -> [(name: String, value: String)] {
        text.split(separator: 0x26).map { piece in
            let name = Bytes(piece.prefix { $0 != 0x3D })
            return (decoded(name), decoded(Bytes(piece.dropFirst(name.count + 1))))
        }
    }

    /// The text behind an encoding, where "+" is a space. What is no encoded text is compared as it is written.
    static func decoded(_ bytes: Bytes) -> String {
        (try? PercentCoding.decode(bytes, plusIsSpace: true)) ?? bytes.strictText ?? Hex.encode(bytes)
    }
}

extension TapeFacts {
    /// Adds the values within a JSON value by their paths, without those that are secret or ignored. Members have no
    /// order (RFC 8259 §4), and numbers are equal if they are the same number (§6).
    mutating func add(json value: JSONValue, _ omissions: TapeOmissions) {
        add(json: value, at: TapeJSONPath(), omissions)
    }

    private mutating func add(json value: JSONValue, at path: TapeJSONPath, _ omissions: TapeOmissions) {
        if omissions.rules.ignoredJSON.contains(where: { $0.matches(path.steps) }) { return }
        var deeper = path
        switch value.kind {
        case .object:
            var last: [String: JSONValue] = [:]
            for member in value.members { last[member.name] = member.value }
            if last.isEmpty { set(path, "{}") }
            for (name, value) in last where !omissions.secrets.isSecret(name) {
                deeper.steps = path.steps + [".\(name)"]
                add(json: value, at: deeper, omissions)
            }
        case .array:
            var count = 0
            for element in value.elements {
                deeper.steps = path.steps + ["[\(count)]"]
                add(json: element, at: deeper, omissions)
                count += 1
            }
            if count == 0 { set(path, "[]") }
        case .string:
            var writer = JSONWriter()
            writer.string(value.string ?? "")
            set(path, writer.bytes.lossyText)
        case .number: set(path, Self.number(value))
        case .null, .bool: set(path, value.raw.lossyText)
        }
    }

    private mutating func set(_ path: TapeJSONPath, _ text: String) {
        values[TapePlace(.json, "\(path)")] = text
    }

    /// One spelling for equal numbers. A double is exact for 15 digits (IEEE 754-2019, binary64); a number with more
    /// keeps its own spelling.
    private static func number(_ value: JSONValue) -> String {
        if let integer = value.integer { return "\(integer)" }
        let text = value.numberText ?? ""
        let digits = text.utf8.prefix { $0 | 0x20 != 0x65 }.count(where: ASCII.isDigit)
        guard digits <= 15, let number = value.double else { return text }
        var writer = JSONWriter()
        writer.number(number)
        return writer.bytes.lossyText
    }
}
