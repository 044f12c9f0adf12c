// Brings the request fields that select a variant into one normal form (RFC 9111 §4.1). Lines with the same name are
// combined, and white space around members is removed. `Accept` and similar fields are compared by meaning
// (`PreferenceList`). The form is injective: an absent field, an empty field, one quoted member "a, b" and two members
// all differ.
import LarderCore
import LarderHTTP

extension VariantIndex {
    /// The digest of the selecting fields of a request (RFC 9111 §4.1). Two requests have the same digest exactly if
    /// each of the names is absent in both, or present in both with the same members in the same order. Preferences are
    /// ordered by weight.
    ///
    /// - Parameter names: the names in the response's `Vary`, in any case and order.
    public static func selection(names: [String], requestFields: HeaderFields) -> Digest {
        var bytes = Bytes()
        for name in normalised(names) {
            append(name, to: &bytes)
            guard requestFields.contains(name) else {
                bytes.append(0)
                continue
            }
            bytes.append(1)
            let members = members(requestFields.all(name), of: name)
            VariableLength.append(UInt64(members.count), to: &bytes)
            for member in members { append(member, to: &bytes) }
        }
        return Digest(of: bytes)
    }

    private static func members(_ values: [String], of name: String) -> [String] {
        let isPreference = PreferenceList.names.contains(name)
        if isPreference, let preferences = PreferenceList.members(values, of: name) { return preferences.map(\.text) }
        return FieldList.members(values).map { foldsCase(name) ? FieldList.lowercased($0) : String($0) }
    }

    /// The names in lower case, sorted, without duplicates.
    static func normalised(_ names: [String]) -> [String] {
        names.count < 2 ? names.map { FieldList.lowercased($0) } : Set(names.map { FieldList.lowercased($0) }).sorted()
    }

    private static func foldsCase(_ name: String) -> Bool {
        name == "accept-language" || name == "accept-encoding"
    }

    private static func append(_ text: String, to bytes: inout Bytes) {
        VariableLength.append(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }
}

/// Encodes numbers with seven bits per byte, the lowest first. The highest bit is set on every byte but the last
/// (LEB128).
enum VariableLength {
    static func append(_ value: UInt64, to bytes: inout Bytes) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Reads the number at `place` and advances `place` behind it. Nil if the bytes end early or the number does not
    /// fit 63 bits.
    static func read(_ bytes: Bytes, at place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
