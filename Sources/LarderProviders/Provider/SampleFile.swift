// Samples that lie in files (`scripts/embed-samples`): how they are read, and how a record is written into an answer.
import LarderCore

/// A file of samples.
struct SampleFile: Sendable {
    let root: JSONValue?

    /// - Parameter text: JSON; tests hold that it is.
    init(_ text: StaticString) {
        root = try? JSON.parse(Bytes(text: "\(text)"))
    }

    /// The elements of its list, or of a member's.
    func records(_ member: String? = nil) -> [JSONValue] {
        let list = member.map { root?[$0] } ?? root
        return list.map { Array($0.elements) } ?? []
    }
}

extension SampleAPI {
    /// A value of a file as the answer.
    func sample(_ value: JSONValue) -> SampleAnswer {
        var writer = JSONWriter()
        writer.sample(value)
        return SampleAnswer(fields: fields, body: writer.bytes)
    }
}

extension JSONWriter {
    /// A value of a file, without the white space between its parts.
    mutating func sample(_ value: JSONValue) {
        switch value.kind {
        case .object: object { $0.members(of: value) }
        case .array: samples(value.elements)
        case .null, .bool, .number, .string: raw(value.raw)
        }
    }

    /// A member of one, with its name.
    mutating func sample(_ member: JSONValue.Member) {
        name(member.name)
        sample(member.value)
    }

    /// A list of them.
    mutating func samples(_ values: some Sequence<JSONValue>) {
        array { writer in
            for value in values { writer.sample(value) }
        }
    }

    /// The members of a record, in their order.
    /// - Parameters:
    ///   - texts: what stands in the place of some of them, by their names.
    ///   - isWanted: whether one of that name is written.
    mutating func members(
        of record: JSONValue, replacing texts: [String: String] = [:], where isWanted: (String) -> Bool = { _ in true }
    ) {
        for member in record.members where isWanted(member.name) {
            name(member.name)
            if let text = texts[member.name] { string(text) } else { sample(member.value) }
        }
    }
}
