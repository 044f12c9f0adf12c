// How files are sent to an API that accepts them: the form fields around a file, how to read the responses, and which
// request removes a file. All functions are pure, as in a provider. The daemon sends each upload only once, because an
// upload is not idempotent.
import LarderCore

/// The wire format of one API's uploads. A file is sent as a part of a form (`multipart/form-data`, RFC 7578).
public protocol UploadFormat: Sendable {
    /// The facts of these uploads, including the fields that may describe a file.
    var about: UploadAbout { get }

    /// The path to which files are sent.
    var path: String { get }

    /// The form fields in which clients of the API send a file, the usual one first.
    var fileFields: [String] { get }

    /// The form field for a media type; one of `fileFields`.
    func fileField(of type: String) -> String

    /// Form fields that are the same for every file.
    var constants: [(name: String, value: String)] { get }

    /// Whether a field that a client sent repeats one of `constants`.
    /// - Throws: if the field has the name of a constant but another value.
    func isConstant(_ name: String, _ value: String) throws(ClientFacingError) -> Bool

    /// The value of one of `about.fields` in the form in which it is sent to the API.
    /// - Parameter value: not empty, and at most `UploadFields.maxValue` bytes.
    func value(_ value: String, of name: String) throws(ClientFacingError) -> String

    /// The target of the request that removes a file; nil if `name` cannot name a file.
    func removalPath(of name: String) -> String?

    /// Texts of upstream requests whose stored responses become outdated when a file is added or removed.
    var outdatedPaths: [String] { get }

    /// Classifies a complete response to an upload or a removal by its content.
    func classify(_ response: UpstreamResponse) -> Classification

    /// Classifies a response by its head alone, before its body has arrived.
    func classifyHead(_ response: UpstreamResponse) -> Classification

    /// The uploaded file that a response describes; nil if it describes none.
    func image(in body: Bytes) -> UploadedImage?
}

/// The fields that describe one file.
public struct UploadFields: Sendable {
    /// The largest length of one value, in bytes.
    public static let maxValue = 16 * 1024

    /// The format whose fields these are.
    public let format: any UploadFormat
    private var values: [String: String] = [:]

    public init(_ format: any UploadFormat) {
        self.format = format
    }

    /// Takes the fields from a query.
    public init(_ format: any UploadFormat, _ query: QueryParameters) throws(ClientFacingError) {
        self.init(format)
        for item in query.items { try set(item.name, item.value ?? "") }
    }

    private var names: [String] { format.about.fields.map(\.record.name) }

    /// Sets one field. An empty value is ignored.
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

    /// The names and values of the API's form, in a fixed order.
    public var form: [(name: String, value: String)] {
        format.constants + names.compactMap { name in values[name].map { (name, $0) } }
    }

    /// The values whose names `other` does not set.
    public func added(to other: UploadFields) -> [(name: String, value: String)] {
        names.compactMap { name in other.values[name] == nil ? values[name].map { (name, $0) } : nil }
    }
}

/// A picture or film that an API has accepted.
public struct UploadedImage: Sendable, Hashable {
    public var id: String
    /// The URL of the file at the API.
    public var link: String
    /// The name that the removal request needs (`UploadAbout.removalName`). It is the only way to remove a picture that
    /// belongs to no account. Never logged.
    public var removal: String?
    public var type: String?
    public var title: String?
    public var description: String?
    public var name: String?
    public var width: Int?
    public var height: Int?
    public var size: Int?
    public var isAnimated: Bool?

    /// Writes the file as a JSON object, with the API's own word for the removal name.
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
