// How files reach an API that takes them: what stands around a file on the wire, what its answers say, and which request takes
// one down again. Pure functions, as of a provider; the daemon sends what these values describe, each once, since an upload is
// not idempotent.
import LarderCore

/// The wire format of one API's uploads. A file goes as a part of a form (`multipart/form-data`, RFC 7578).
public protocol UploadFormat: Sendable {
    /// What is told of it, and what may be said of a file.
    var about: UploadAbout { get }

    /// Where files go.
    var path: String { get }

    /// Fields of the form by which clients of the API send a file, the usual one first.
    var fileFields: [String] { get }

    /// The one of them for a type of media.
    func fileField(of type: String) -> String

    /// What the form says of every file.
    var constants: [(name: String, value: String)] { get }

    /// Whether a client says only what `constants` say.
    /// - Throws: where it says something else of the same name.
    func isConstant(_ name: String, _ value: String) throws(ClientFacingError) -> Bool

    /// A value of one of `about.fields` as the API is sent it.
    /// - Parameter value: not empty, and within `UploadFields.maxValue`.
    func value(_ value: String, of name: String) throws(ClientFacingError) -> String

    /// The target that takes a file down; nil where that can name none.
    func removalPath(of name: String) -> String?

    /// What stored answers have in their requests that a new or a removed file makes out of date.
    var outdatedPaths: [String] { get }

    /// What a whole answer to an upload or a removal is, told by its content.
    func classify(_ response: UpstreamResponse) -> Classification

    /// The same by the head alone, whose body has not come.
    func classifyHead(_ response: UpstreamResponse) -> Classification

    /// The file that an answer tells of; nil where it tells of none.
    func image(in body: Bytes) -> UploadedImage?
}

/// What is said of one file, beside its bytes.
public struct UploadFields: Sendable {
    /// Bytes of one value.
    public static let maxValue = 16 * 1024

    /// Whose fields they are.
    public let format: any UploadFormat
    private var values: [String: String] = [:]

    public init(_ format: any UploadFormat) {
        self.format = format
    }

    /// The fields that a query gives.
    public init(_ format: any UploadFormat, _ query: QueryParameters) throws(ClientFacingError) {
        self.init(format)
        for item in query.items { try set(item.name, item.value ?? "") }
    }

    private var names: [String] { format.about.fields.map(\.name) }

    /// Takes one field; an empty value says nothing.
    public mutating func set(_ name: String, _ value: String) throws(ClientFacingError) {
        if try format.isConstant(name, value) { return }
        guard names.contains(name) else { throw .unknown(name, allowed: names) }
        guard values[name] == nil else { throw .repeated(name) }
        guard value.utf8.count <= Self.maxValue else {
            throw .invalid(name, "\"\(name)\" is longer than \(Self.maxValue) bytes.")
        }
        guard !value.isEmpty else { return }
        values[name] = try format.value(value, of: name)
    }

    /// Names and values as the API's form has them, in a fixed order.
    public var form: [(name: String, value: String)] {
        format.constants + names.compactMap { name in values[name].map { (name, $0) } }
    }

    /// Those of the values that are not in the other ones.
    public func added(to other: UploadFields) -> [(name: String, value: String)] {
        names.compactMap { name in other.values[name] == nil ? values[name].map { (name, $0) } : nil }
    }
}

/// A picture or film that an API has taken.
public struct UploadedImage: Sendable, Hashable {
    public var id: String
    /// Its address there.
    public var link: String
    /// What names it for its removal (`UploadAbout.removalName`): the only way to take down a picture that belongs to no
    /// account. Never logged.
    public var removal: String?
    public var type: String?
    public var title: String?
    public var description: String?
    public var name: String?
    public var width: Int?
    public var height: Int?
    public var size: Int?
    public var isAnimated: Bool?

    /// As an object of its own, in the words of who took it.
    public func write(to writer: inout JSONWriter, of about: UploadAbout) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("link", link)
            writer.member(ifPresent: about.removalName, removal)
            writer.member(ifPresent: "type", type)
            writer.member(ifPresent: "title", title)
            writer.member(ifPresent: "description", description)
            writer.member(ifPresent: "name", name)
            for (name, value) in [("width", width), ("height", height), ("size", size)] {
                if let value { writer.member(name, value) }
            }
            if let isAnimated { writer.member("animated", isAnimated) }
        }
    }
}
