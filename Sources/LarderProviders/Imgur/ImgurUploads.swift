// The requests and responses of Imgur's uploads (apidocs.imgur.com, "Image Upload").
import LarderCore

/// The wire format of Imgur's uploads.
struct ImgurUploads: UploadFormat {
    let about = Self.facts
    let path = "/3/image"
    let fileFields = ["image", "video"]
    let constants = [(name: "type", value: "file")]
    /// The lists of the account.
    let outdatedPaths = ["/account/"]

    static let facts: UploadAbout = {
        var facts = UploadAbout(
            collection: "images",
            fields: [
                .init("title", "The picture's title.", option: .init("--title", "the picture's title")),
                .init(
                    "description", "The description, shown below it.", option: .init("--description", "its description")
                ),
                .init(
                    "album", "The album to add it to, by id; an anonymous album by its delete hash.",
                    .pattern("^[A-Za-z0-9]{1,64}$"),
                    option: .init(
                        "--album", "the album to add it to; an anonymous one by its delete hash", "ID")),
                .init(
                    "name", "The file's name.",
                    option: .init("--name", "a name for the file; the local name is not sent")),
                .init(
                    "disable_audio", "1 removes the sound of a film.", .choice(["1", "0"]),
                    option: .init("--mute", "without the film's sound", nil)),
            ], removalName: "deletehash", removalWord: "hash")
        facts.removalForm = .pattern("^[A-Za-z0-9_-]{1,64}$")
        facts.sizeNote = "Imgur's own limit is about 20 MB"
        facts.uploadExamples = [
            .init("cat.jpg --title 'A cat'", "one picture"),
            .init("cat.mp4 --mute --json | jq -r .image.link", "a film, for a script"),
        ]
        return facts
    }()

    func fileField(of type: String) -> String { type.hasPrefix("video/") ? "video" : "image" }

    /// Imgur also accepts base64, which is a third larger, and URLs, which it fetches itself. Larder accepts neither,
    /// because it would have to hold both in memory to pass them on.
    func isConstant(_ name: String, _ value: String) throws(ClientFacingError) -> Bool {
        guard name == "type" else { return false }
        guard value.isEmpty || value == "file" else {
            throw ClientFacingError(
                status: 415, code: "unsupportedKind",
                detail: "Only the bytes of a file are passed on: \"type\" must be \"file\", not base64 or a URL.",
                parameter: "type", allowed: ["file"])
        }
        return true
    }

    func value(_ value: String, of name: String) throws(ClientFacingError) -> String {
        switch name {
        case "album":
            guard value.utf8.count <= 64, value.utf8.allSatisfy(Self.isLetterOrDigit) else {
                throw .invalid(name, "Name an album by its id, or an anonymous album by its delete hash.")
            }
            return value
        case "disable_audio":
            let flags = ["1": "1", "true": "1", "0": "0", "false": "0"]
            guard let flag = flags[value] else {
                throw .invalid(name, "\"\(name)\" is 1 or 0.", allowed: ["1", "0"])
            }
            return flag
        default: return value
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// The target with the delete hash, or with the id if the picture belongs to the account.
    func removalPath(of name: String) -> String? {
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != 0x2E && $0 != 0x7E })
        else { return nil }
        return "\(path)/\(name)"
    }

    func classify(_ response: UpstreamResponse) -> Classification {
        ImgurFailure.classification.classify(response, nil, title: "Imgur")
    }

    func classifyHead(_ response: UpstreamResponse) -> Classification {
        switch response.status {
        case 200..<300: .data
        case 429: .limited(until: ImgurCredits.limitedUntil(response, wait: nil))
        // Only the body distinguishes a refused client id, a wrong file and a busy service.
        case 400..<500: .invalidRequest("Imgur answered \(response.status).")
        default: .broken("Imgur answered \(response.status).")
        }
    }

    func image(in body: Bytes) -> UploadedImage? {
        guard let data = (try? JSON.parse(body))?["data"], let id = data["id"]?.string, !id.isEmpty,
            let link = data["link"]?.string, link.hasPrefix("https://") || link.hasPrefix("http://")
        else { return nil }
        func text(_ name: String) -> String? { data[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        return UploadedImage(
            id: id, link: link.hasPrefix("http://") ? "https://" + link.dropFirst(7) : link,
            removal: text("deletehash"), type: text("type"), title: text("title"),
            description: text("description"), name: text("name"), width: data["width"]?.integer,
            height: data["height"]?.integer, size: data["size"]?.integer, isAnimated: data["animated"]?.bool)
    }
}
