// Samples that are stored in files (`EmbeddedFile`): how they are read and written into a response.
import LarderCore

/// A file of samples.
struct SampleFile: Sendable {
    let root: JSONValue?

    /// - Parameter name: the provider's folder and the file: "ITunes/items". Tests check that it is there and valid.
    init(_ name: String) {
        let path = "LarderProviders/\(name.replacing("/", with: "/Samples/")).json"
        root = try? JSON.parse(Bytes(EmbeddedFile.bytes(path)))
    }

    /// The elements of the root list, or of the list in a member.
    func records(_ member: String? = nil) -> [JSONValue] {
        let list = member.map { root?[$0] } ?? root
        return list.map { Array($0.elements) } ?? []
    }
}

extension SampleAPI {
    /// A response whose body is a value from a file.
    func sample(_ value: JSONValue) -> SampleAnswer {
        var writer = JSONWriter()
        writer.sample(value)
        return SampleAnswer(fields: fields, body: writer.bytes)
    }
}

extension JSONWriter {
    /// Writes a value from a file without white space between its parts.
    mutating func sample(_ value: JSONValue) {
        switch value.kind {
        case .object: object { $0.members(of: value) }
        case .array: samples(value.elements)
        case .null, .bool, .number, .string: raw(value.raw)
        }
    }

    /// Writes a member with its name.
    mutating func sample(_ member: JSONValue.Member) {
        name(member.name)
        sample(member.value)
    }

    /// Writes an array of values.
    mutating func samples(_ values: some Sequence<JSONValue>) {
        array { writer in
            for value in values { writer.sample(value) }
        }
    }

    /// Writes the members of a record in their order.
    /// - Parameters:
    ///   - texts: replacements for the values of some members, by name.
    ///   - isWanted: whether to write the member of that name.
    mutating func members(
        of record: JSONValue, replacing texts: [String: String] = [:], where isWanted: (String) -> Bool = { _ in true }
    ) {
        for member in record.members where isWanted(member.name) {
            name(member.name)
            if let text = texts[member.name] { string(text) } else { sample(member.value) }
        }
    }
}
