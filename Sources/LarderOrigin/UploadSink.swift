// Receives uploads to the stand-in. The file in a form is counted and digested as it arrives, and is not kept, so a
// body of any length can be sent. The sink does not check whether the file is a valid picture. The daemon under test
// must do that.
import LarderCore
import LarderHTTP

/// What the stand-in received of one upload.
public struct SeenUpload: Sendable, Hashable {
    /// The request without its body.
    public var request: OriginRequest
    /// The text fields of the form.
    public var form: [String: String] = [:]
    /// The part that holds the file.
    public var file: MultipartPart?
    /// The number of received bytes of the file.
    public var count: Int64 = 0
    /// The digest of the file, once all of it has arrived.
    public var digest: Digest?
    /// Whether the request arrived completely.
    public var isWhole = false
    /// Whether the connection ended before the request was complete.
    public var wasCutOff = false

    init(request: OriginRequest) {
        self.request = request
    }
}

/// Parses the body of one upload. Pure.
struct UploadSink {
    private(set) var seen: SeenUpload
    private(set) var isDone = false
    private(set) var isMalformed = false
    /// The number of received bytes of the request's body.
    private(set) var received = 0
    private var left: Int?
    private var decoder = ChunkedDecoder()
    private var form: MultipartFormReader?
    private var digest = RunningDigest()
    private var field: (name: String, value: Bytes)?
    private var isInFile = false

    /// - Parameter length: the length of the body in bytes; nil for a body in chunks.
    init(_ request: OriginRequest, length: Int?) {
        seen = SeenUpload(request: request)
        left = length
        form = MultipartFormReader.boundary(of: request.fields.first(.contentType))
            .flatMap { try? MultipartFormReader(boundary: $0) }
        isMalformed = form == nil
        if length == 0 { end() }
    }

    /// Consumes the part of the input that belongs to the body. Returns the number of bytes used.
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

/// The received uploads, for tests.
final class SeenUploads: Sendable {
    /// The number of uploads that are recorded. Later uploads are not recorded.
    private static let kept = 1000

    private struct Pages {
        var uploads: [SeenUpload] = []
        /// The existing pictures by their delete hashes.
        var pictures: [String: String] = [:]
    }
    private let pages = Lock(Pages())

    var all: [SeenUpload] { pages.withLock { $0.uploads } }

    /// Records a new upload and returns its index; nil beyond the bound.
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

    /// The API's answer to a complete upload.
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

    /// The API's answer to the deletion of the picture with this delete hash.
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
    /// Whether the body is an upload, which goes to the sink.
    var isUpload: Bool { method == .post && (path.hasSuffix("/3/image") || path.hasSuffix("/3/upload")) }

    /// The delete hash if the request is a deletion; otherwise nil.
    var deletes: String? {
        let parts = path.split(separator: "/").map(String.init)
        guard method == .delete, parts.count >= 3, parts.suffix(3).prefix(2) == ["3", "image"] else { return nil }
        return parts.last
    }

    /// Whether the request carries a Client-ID or a bearer token.
    var isSigned: Bool {
        guard let word = fields.first(.authorization) else { return false }
        return word.hasPrefix("Client-ID ") || word.hasPrefix("Bearer ")
    }
}
