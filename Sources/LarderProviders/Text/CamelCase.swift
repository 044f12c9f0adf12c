// Writes an API's own members as attributes of a result: names in camel case, no empty values (null, "", [], {}).
import LarderCore

/// Writes members of upstream records. It has no state. Its two functions rewrite texts and add members.
struct CamelCase {
    /// Replaces texts at any depth; for example, a relative path by its URL.
    var rewritten: (_ name: String, _ text: String) -> String = { _, text in text }
    /// Returns a member to write after a given one; for example, a picture's handles after its path.
    ///
    /// - Parameter list: the name of the list that contains the record, or "" if no list does.
    var companion: (_ member: JSONValue.Member, _ list: String) -> (name: String, json: Bytes)? = { _, _ in nil }

    /// The members as JSON text without braces; empty if every value is empty.
    func members(_ members: some Sequence<JSONValue.Member>) -> Bytes {
        var bytes = Bytes()
        var isFirst = true
        for member in members { append(member, in: "", to: &bytes, isFirst: &isFirst) }
        return bytes
    }

    /// A value as JSON text.
    func value(_ value: JSONValue) -> Bytes {
        var bytes = Bytes()
        append(value, named: "", in: "", to: &bytes)
        return bytes
    }

    /// Appends a member, with a comma before it unless it is the first. A member with an empty value is skipped.
    private func append(_ member: JSONValue.Member, in list: String, to bytes: inout Bytes, isFirst: inout Bool) {
        guard !Self.isVoid(member.value) else { return }
        let name = member.name
        begin(Self.name(name), to: &bytes, isFirst: &isFirst)
        append(member.value, named: name, in: "", to: &bytes)
        guard let further = companion(member, list) else { return }
        begin(further.name, to: &bytes, isFirst: &isFirst)
        bytes.append(contentsOf: further.json)
    }

    private func begin(_ name: String, to bytes: inout Bytes, isFirst: inout Bool) {
        if !isFirst { bytes.append(0x2C) }
        isFirst = false
        JSONText.append(name, to: &bytes)
        bytes.append(0x3A)
    }

    private func append(_ value: JSONValue, named name: String, in list: String, to bytes: inout Bytes) {
        switch value.kind {
        case .object:
            bytes.append(0x7B)
            var isFirst = true
            for member in value.members { append(member, in: list, to: &bytes, isFirst: &isFirst) }
            bytes.append(0x7D)
        case .array:
            bytes.append(0x5B)
            for (position, element) in value.elements.enumerated() {
                if position > 0 { bytes.append(0x2C) }
                append(element, named: name, in: name, to: &bytes)
            }
            bytes.append(0x5D)
        case .string: JSONText.append(rewritten(name, value.string ?? ""), to: &bytes)
        case .number, .bool, .null: bytes.append(contentsOf: value.raw)
        }
    }

    private static func isVoid(_ value: JSONValue) -> Bool {
        switch value.kind {
        case .null: true
        case .string: value.string?.isEmpty ?? true
        case .array, .object: value.count == 0
        case .number, .bool: false
        }
    }

    /// "armor_class" becomes "armorClass"; a name without "_" is unchanged.
    static func name(_ name: String) -> String {
        guard name.utf8.contains(0x5F) else { return name }
        let words = name.split(separator: "_")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// The words of a text as a kind of results: "hologram-show" becomes "hologramShow".
    static func kind(_ text: String) -> String {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        return words.enumerated().map { position, word in
            position == 0 ? word.lowercased() : word.prefix(1).uppercased() + word.dropFirst().lowercased()
        }.joined()
    }
}
