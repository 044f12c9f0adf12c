// What Imgur is sent with a picture, and what it says to it (apidocs.imgur.com, "Image Upload"). Nothing here is repeated:
// an upload is not idempotent.
import LarderCore

/// What may be said about a picture beside its bytes.
public struct ImgurUploadFields: Sendable, Hashable {
    /// What the interface tells of uploads.
    static let about = UploadAbout(
        collection: "images",
        fields: [
            .init("title", "The picture's title."), .init("description", "What is said below it."),
            .init("album", "The album that it goes to, by its id, or by its delete hash where it is nobody's."),
            .init("name", "The file's name."), .init("disable_audio", "1 takes the sound out of a film."),
        ], removalName: "deletehash")
    /// The names that a form or a query may give.
    public static let names = about.fields.map(\.name)
    /// Bytes of one value.
    public static let maxValue = 16 * 1024

    private var values: [String: String] = [:]

    public init() {}

    /// The fields that a query gives.
    public init(_ query: QueryParameters) throws(ClientFacingError) {
        for item in query.items { try set(item.name, item.value ?? "") }
    }

    /// Takes one field; an empty value says nothing.
    public mutating func set(_ name: String, _ value: String) throws(ClientFacingError) {
        if name == "type" { return try Self.check(type: value) }
        guard Self.names.contains(name) else { throw .unknown(name, allowed: Self.names) }
        guard values[name] == nil else { throw .repeated(name) }
        guard value.utf8.count <= Self.maxValue else {
            throw .invalid(name, "\"\(name)\" is longer than \(Self.maxValue) bytes.")
        }
        guard !value.isEmpty else { return }
        switch name {
        case "album":
            guard value.utf8.count <= 64, value.utf8.allSatisfy(Self.isLetterOrDigit) else {
                throw .invalid(name, "An album is named by its id, or by its delete hash where it is nobody's.")
            }
            values[name] = value
        case "disable_audio":
            let flags = ["1": "1", "true": "1", "0": "0", "false": "0"]
            guard let flag = flags[value] else {
                throw .invalid(name, "\"\(name)\" is 1 or 0.", allowed: ["1", "0"])
            }
            values[name] = flag
        default: values[name] = value
        }
    }

    /// Imgur also takes base64, which costs a third more and must be held whole, and URLs, which it fetches itself: here
    /// neither, since both would have to be in memory to be passed on.
    private static func check(type: String) throws(ClientFacingError) {
        guard type.isEmpty || type == "file" else {
            throw ClientFacingError(
                status: 415, code: "unsupportedKind",
                detail: "Only the bytes of a file are passed on: \"type\" is \"file\", not base64 and not a URL.",
                parameter: "type", allowed: ["file"])
        }
    }

    /// Names and values as Imgur's form has them, in a fixed order.
    public var form: [(name: String, value: String)] {
        [("type", "file")] + Self.names.compactMap { name in values[name].map { (name, $0) } }
    }

    /// Those of the values that are not in the other ones.
    public func added(to other: ImgurUploadFields) -> [(name: String, value: String)] {
        Self.names.compactMap { name in other.values[name] == nil ? values[name].map { (name, $0) } : nil }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

/// A picture that Imgur has taken.
public struct UploadedImage: Sendable, Hashable {
    public var id: String
    /// Its address at Imgur.
    public var link: String
    /// The only way to take down a picture that belongs to no account. Never logged.
    public var deletehash: String?
    public var type: String?
    public var title: String?
    public var description: String?
    public var name: String?
    public var width: Int?
    public var height: Int?
    public var size: Int?
    public var isAnimated: Bool?

    /// As an object of its own.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("link", link)
            writer.member(ifPresent: "deletehash", deletehash)
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

/// Imgur's routes that change something, as requests and answers.
public enum ImgurUploads {
    /// Where pictures and films go.
    public static let path = "/3/image"
    /// An answer larger than this is none of its.
    public static let maxAnswer = 1 << 20

    /// The form's part for a type.
    public static func part(of type: String) -> String { type.hasPrefix("video/") ? "video" : "image" }

    /// Whether the larger limit holds: films, and pictures that may move.
    public static func isFilm(_ type: String) -> Bool { type.hasPrefix("video/") || type == "image/gif" }

    /// A name for the file, so that nobody's own path goes out.
    public static func filename(of type: String) -> String {
        let endings = [
            "image/jpeg": "jpg", "video/quicktime": "mov", "video/x-matroska": "mkv", "video/x-msvideo": "avi",
        ]
        return "upload." + (endings[type] ?? type.split(separator: "/").last.map(String.init) ?? "bin")
    }

    /// The target that takes a picture down; nil where that can be no id or delete hash.
    public static func deletionPath(of hash: String) -> String? {
        guard (1...64).contains(hash.utf8.count),
            hash.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != 0x2E && $0 != 0x7E })
        else { return nil }
        return "/3/image/\(hash)"
    }

    /// What a whole answer to an upload or a deletion is, told by its content.
    public static func classify(_ response: UpstreamResponse) -> Classification {
        Imgur().classify(response, endpoint: "other")
    }

    /// The same by the status alone, for a head whose body has not come.
    public static func classifyHead(_ response: UpstreamResponse) -> Classification {
        switch response.status {
        case 200..<300: .data
        case 429: .limited(until: Imgur.limitedUntil(response, wait: nil))
        // What a refused client id, a wrong file and a busy service have in common is that the body tells them apart.
        case 400..<500: .invalidRequest("Imgur answered \(response.status).")
        default: .broken("Imgur answered \(response.status).")
        }
    }

    /// The picture that an answer tells of; nil where it tells of none.
    public static func image(in body: Bytes) -> UploadedImage? {
        guard let data = (try? JSON.parse(body))?["data"], let id = data["id"]?.string, !id.isEmpty,
            let link = data["link"]?.string, link.hasPrefix("https://") || link.hasPrefix("http://")
        else { return nil }
        func text(_ name: String) -> String? { data[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        return UploadedImage(
            id: id, link: link.hasPrefix("http://") ? "https://" + link.dropFirst(7) : link,
            deletehash: text("deletehash"), type: text("type"), title: text("title"),
            description: text("description"), name: text("name"), width: data["width"]?.integer,
            height: data["height"]?.integer, size: data["size"]?.integer, isAnimated: data["animated"]?.bool)
    }
}
