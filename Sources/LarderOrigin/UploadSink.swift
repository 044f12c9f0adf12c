// Where uploads to the stand-in go: the file in a form is counted and digested as it comes, and not kept, so that a body of
// any length can be sent. What has the right to be a picture is not looked at: the daemon under test has to.
import LarderCore
import LarderHTTP

/// What came of one upload.
public struct SeenUpload: Sendable, Hashable {
    /// The request without its body.
    public var request: OriginRequest
    /// The fields of text beside the file.
    public var form: [String: String] = [:]
    /// The file's part.
    public var file: MultipartPart?
    /// Bytes of the file.
    public var count: Int64 = 0
    /// Of the file, once all of it has come.
    public var digest: Digest?
    /// The request came to its end.
    public var isWhole = false
    /// The connection ended before it.
    public var wasCutOff = false

    init(request: OriginRequest) {
        self.request = request
    }
}

/// The body of one upload. Pure.
struct UploadSink {
    private(set) var seen: SeenUpload
    private(set) var isDone = false
    private(set) var isMalformed = false
    /// Bytes of the request's body so far.
    private(set) var received = 0
    private var left: Int?
    private var decoder = ChunkedDecoder()
    private var form: MultipartFormReader?
    private var digest = RunningDigest()
    private var field: (name: String, value: Bytes)?
    private var isInFile = false

    /// - Parameter length: nil for a body in chunks.
    init(_ request: OriginRequest, length: Int?) {
        seen = SeenUpload(request: request)
        left = length
        form = MultipartFormReader.boundary(of: request.fields.first("Content-Type"))
            .flatMap { try? MultipartFormReader(boundary: $0) }
        isMalformed = form == nil
        if length == 0 { end() }
    }

    /// Takes what belongs to the body; the bytes used.
    mutating func take(_ input: UnsafeBufferPointer<UInt8>) -> Int {
        var piece = Bytes()
        var used = 0
        var isLast = false
        if let rest = left {
            used = min(rest, input.count)
            piece = Bytes(input[..<used])
            left = rest - used
            isLast = left == 0
        } else {
            let (count, progress) = decoder.decode(input, into: &piece, limit: .max)
            used = count
            isLast = progress == .done
            if case .fault = progress { (isMalformed, isLast) = (true, true) }
        }
        received += piece.count
        do {
            for event in try form?.feed(piece) ?? [] { take(event) }
        } catch {
            isMalformed = true
        }
        if isLast { end() }
        return used
    }

    private mutating func take(_ event: MultipartFormReader.Event) {
        switch event {
        case .part(let part):
            isInFile = part.filename != nil
            if isInFile { seen.file = part } else { field = (part.name, []) }
        case .content(let bytes) where isInFile:
            seen.count += Int64(bytes.count)
            digest.add(bytes)
        case .content(let bytes): field?.value += bytes
        case .partEnd:
            if isInFile { seen.digest = digest.digest }
            isInFile = false
            if let field = field.take() { seen.form[field.name] = field.value.lossyText }
        case .end: break
        }
    }

    private mutating func end() {
        isDone = true
        seen.isWhole = form?.isComplete == true
    }
}

/// The uploads that came, for whoever wants to know.
final class SeenUploads: Sendable {
    /// Uploads that are remembered; of later ones none is.
    private static let kept = 1000

    private struct Pages {
        var uploads: [SeenUpload] = []
        /// The pictures there are, by their delete hashes.
        var pictures: [String: String] = [:]
    }
    private let pages = Lock(Pages())

    var all: [SeenUpload] { pages.withLock { $0.uploads } }

    /// A number for a new one; nil beyond the bound.
    func begin(_ seen: SeenUpload) -> Int? {
        pages.withLock { pages in
            guard pages.uploads.count < Self.kept else { return nil }
            pages.uploads.append(seen)
            return pages.uploads.count - 1
        }
    }

    func note(_ seen: SeenUpload, at number: Int) {
        pages.withLock { $0.uploads[number] = seen }
    }

    /// What the API answers to a whole upload.
    func answer(_ seen: SeenUpload) -> OriginAnswer {
        guard let file = seen.file, seen.isWhole, seen.count > 0, ["image", "video"].contains(file.name) else {
            return Self.failure(400, "No image data was sent to the upload api", method: "POST")
        }
        let (id, hash) = pages.withLock { pages -> (String, String) in
            let number = pages.pictures.count + 1
            let id = "up" + String(repeating: "0", count: max(0, 5 - String(number).count)) + String(number)
            let hash = String(Digest(of: Bytes(text: "delete \(id)")).hex.prefix(15))
            pages.pictures[hash] = id
            return (id, hash)
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("data")
            writer.object { writer in
                writer.member("id", id)
                writer.member("deletehash", hash)
                for name in ["title", "description", "name"] {
                    writer.name(name)
                    if let text = seen.form[name] { writer.string(text) } else { writer.null() }
                }
                writer.member("datetime", 1_758_000_000)
                writer.member("type", file.contentType ?? "image/png")
                writer.member("animated", file.name == "video")
                writer.member("width", 640)
                writer.member("height", 480)
                writer.member("size", seen.count)
                writer.member("views", 0)
                writer.member("bandwidth", 0)
                writer.member("in_gallery", false)
                writer.member("link", "https://i.imgur.com/\(id).\(file.name == "video" ? "mp4" : "png")")
            }
            writer.member("success", true)
            writer.member("status", 200)
        }
        return OriginAnswer(fields: ["Content-Type": "application/json"], body: writer.bytes)
    }

    /// What the API answers to the deletion of that picture.
    func delete(_ hash: String) -> OriginAnswer {
        guard pages.withLock({ $0.pictures.removeValue(forKey: hash) }) != nil else {
            return Self.failure(404, "Unable to find an image with the id, \(hash)", method: "DELETE")
        }
        return OriginAnswer(
            fields: ["Content-Type": "application/json"],
            body: Bytes(text: #"{"data":true,"success":true,"status":200}"#))
    }

    static func failure(_ status: Int, _ text: String, method: String) -> OriginAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("data")
            writer.object { writer in
                writer.member("error", text)
                writer.member("request", "/3/image")
                writer.member("method", method)
            }
            writer.member("success", false)
            writer.member("status", status)
        }
        return OriginAnswer(status: status, fields: ["Content-Type": "application/json"], body: writer.bytes)
    }
}

extension OriginRequest {
    /// Whether its body is an upload's, which goes to the sink.
    var isUpload: Bool { method == .post && (path.hasSuffix("/3/image") || path.hasSuffix("/3/upload")) }

    /// What it deletes, where it is a deletion.
    var deletes: String? {
        let parts = path.split(separator: "/").map(String.init)
        guard method == .delete, parts.count >= 3, parts.suffix(3).prefix(2) == ["3", "image"] else { return nil }
        return parts.last
    }

    /// Whether it says who asks.
    var isSigned: Bool {
        guard let word = fields.first("Authorization") else { return false }
        return word.hasPrefix("Client-ID ") || word.hasPrefix("Bearer ")
    }
}
