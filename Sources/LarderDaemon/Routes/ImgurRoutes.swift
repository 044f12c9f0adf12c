// `/v1/imgur/images` and `/v1/uploads/…`: pictures and films that go to Imgur, in one step or in two, and those that are
// taken down again. All of it concerns a person's own account or address there, so all of it needs authority.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings

/// What can be done with an upload.
enum UploadAct: Sendable {
    case content
    case status
    case events
    case pause
    case resume
    case cancel
}

struct ImgurRoutes: Sendable {
    static let provider = UploadWork.provider
    static let images = "/v1/imgur/images"

    let engine: Engine
    let uploads: UploadDesk

    /// The path as it may be logged, nil where it may be as it is: a delete hash is as good as a key. One that leads
    /// nowhere for a slash too many, or to a route that deletes nothing, holds it all the same.
    static func loggedPath(_ method: Method, _ path: String, listenerProvider: String?) -> String? {
        if method == .delete, listenerProvider == provider { return "/…" }
        guard mayNameImgur(path) else { return nil }
        // As the router reads it: an encoded letter must not make another path of it.
        let plain = (try? PercentCoding.decode(path.utf8, plusIsSpace: false)) ?? path
        let parts = plain.utf8.split(whereSeparator: DotSegment.isSeparator).filter { !DotSegment.matches($0) }
            .map { Substring($0) }
        if method == .delete, parts.starts(with: ["raw", "imgur"]) { return "/raw/imgur/…" }
        let isOfOne = parts.indices.dropFirst().dropLast().contains {
            parts[$0 - 1] == "imgur" && parts[$0] == "images"
        }
        return isOfOne ? images + "/…" : nil
    }

    /// Whether a path has to be taken apart: every request comes by here, and few of them name Imgur or hide letters.
    private static func mayNameImgur(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            bytes.indices.contains { index in
                switch bytes[index] {
                case UInt8(ascii: "%"): true
                case UInt8(ascii: "i"): bytes[index...].starts(with: "imgur".utf8)
                default: false
                }
            }
        }
    }

    // MARK: POST /v1/imgur/images

    /// With a body the upload itself, without one the beginning of one in two steps.
    func create(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        let provider = try configured(snapshot)
        let fields = try Self.fields(request)
        guard request.upload != nil || !request.body.isEmpty else {
            let id = try await uploads.create(fields, snapshot.settings.uploads)
            return await response(201, id, route, location: id)
        }
        let source = try Self.source(request, mayBeForm: true, snapshot.settings.uploads)
        let id = try await uploads.create(fields, snapshot.settings.uploads)
        do {
            return try await pass(source, to: id, fields, provider, snapshot, route, status: 201)
        } catch {
            // One that could not begin waits for nothing: nobody knows its id.
            try? await uploads.command(id, .cancel, snapshot.settings.uploads)
            throw error
        }
    }

    // MARK: /v1/uploads/{id}

    func act(
        _ act: UploadAct, on id: String, _ request: ServerRequest, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        guard await uploads.report(id) != nil else { throw UploadDesk.unknown }
        let settings = snapshot.settings.uploads
        switch act {
        case .content: return try await content(request, id, snapshot, route)
        case .status:
            // A listener of the page says it wants events by this type (WHATWG HTML §9.2.3).
            let accepted = request.fields.combined("Accept") ?? ""
            guard accepted.lowercased().contains("text/event-stream") else { return await response(200, id, route) }
            return try await events(request, id, route)
        case .events: return try await events(request, id, route)
        case .pause: try await uploads.command(id, .pause, settings)
        case .resume: try await uploads.command(id, .resume, settings)
        case .cancel: try await uploads.command(id, .cancel, settings)
        }
        return await response(200, id, route)
    }

    private func content(
        _ request: ServerRequest, _ id: String, _ snapshot: Snapshot, _ route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        guard request.query == nil else {
            throw .invalid("query", "What is said about the file is said when the upload is made.")
        }
        let provider = try configured(snapshot)
        let fields = await uploads.fields(id) ?? ImgurUploadFields()
        // Before the content is looked at: it would be in vain.
        if let report = await uploads.report(id), report.machine.state != .waiting {
            throw UploadDesk.conflict(report.machine.state, "take content")
        }
        let source = try Self.source(request, mayBeForm: false, snapshot.settings.uploads)
        return try await pass(source, to: id, fields, provider, snapshot, route, status: 200)
    }

    private func events(
        _ request: ServerRequest, _ id: String, _ route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        guard let feed = await uploads.feed(id), let report = await uploads.report(id) else {
            throw UploadDesk.unknown
        }
        return try feed.response(
            to: request, otherwise: .next,
            greeting: EventText.event("state", data: UploadDocument.bytes(report)), route: route)
    }

    /// Hands the content on, and answers when Imgur has.
    private func pass(
        _ source: UploadSource, to id: String, _ fields: ImgurUploadFields, _ provider: ConfiguredProvider,
        _ snapshot: Snapshot, _ route: RouteName, status: Int
    ) async throws(ClientFacingError) -> ServerResponse {
        let work = UploadWork(
            engine: engine, uploads: uploads, id: id, provider: provider, settings: snapshot.settings, source: source,
            fields: fields)
        var total: Int64?
        if case .file(_, let length) = source { total = length }
        let desk = uploads
        try await desk.begin(id, content: source.reader, total: total, snapshot.settings.uploads) { await work.run() }
        let report = await withTaskCancellationHandler {
            await desk.end(id)
        } onCancel: {
            desk.clientLost(id)
        }
        guard let report else { throw UploadDesk.unknown }
        switch report.machine.state {
        case .finished: return await response(status, id, route, location: status == 201 ? id : nil)
        case .cancelled:
            throw ClientFacingError(status: 409, code: "cancelled", detail: "The upload was cancelled.")
        case .waiting, .running, .paused, .failed:
            engine.countFailure(provider.name)
            throw report.problem
                ?? ClientFacingError(status: 502, code: "failed", detail: "The upload failed.")
        }
    }

    // MARK: DELETE /v1/imgur/images/{deletehash}

    func delete(hash: String, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        let provider = try configured(snapshot)
        guard let path = ImgurUploads.deletionPath(of: hash) else {
            throw ClientFacingError(
                status: 400, code: "invalidParameter", detail: "That is no delete hash, and no id of a picture.",
                parameter: "deletehash")
        }
        var order = provider.order(UpstreamRequest(method: .delete, path: path), settings: snapshot.settings)
        order.fields.set("Accept-Encoding", "identity")
        order.maxRedirects = 0
        order.mayRetry = false
        order.maxBody = ImgurUploads.maxAnswer
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true, claim: provider.claimForChanges,
            classify: ImgurUploads.classify)
        switch await engine.upstream.perform(call) {
        case .failure(let failure):
            engine.countFailure(provider.name)
            var failure = failure
            failure.provider = provider.name
            throw failure.clientFacing(now: engine.time.wall())
        case .success((_, .notFound)):
            throw ClientFacingError(
                status: 404, code: FailureClass.notFound.rawValue,
                detail: "Imgur knows no picture by that delete hash.", provider: provider.name, failure: .notFound,
                retryable: false)
        case .success: break
        }
        // The hash is no part of any key: what is stored goes by the picture's id, where that is known.
        let known = await uploads.imageID(deletehash: hash)
        await engine.purgeImgur(["/\(known ?? hash)", "/account/"])
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("deleted", true)
            writer.member(ifPresent: "id", known)
        }
        return Self.json(200, writer.bytes, route)
    }

    // MARK: Pieces

    private func configured(_ snapshot: Snapshot) throws(ClientFacingError) -> ConfiguredProvider {
        guard let provider = snapshot.providers.named(Self.provider) else {
            throw ClientFacingError(
                status: 404, code: "unknownProvider", detail: "There is no provider \"\(Self.provider)\".")
        }
        guard provider.isConfigured else { throw provider.notConfigured.clientFacing(now: engine.time.wall()) }
        return provider
    }

    private static func fields(_ request: ServerRequest) throws(ClientFacingError) -> ImgurUploadFields {
        try ImgurUploadFields(request.parameters())
    }

    /// The body as the request brings it, by its declared type; what it is in truth its first bytes tell.
    private static func source(
        _ request: ServerRequest, mayBeForm: Bool, _ settings: UploadSettings
    ) throws(ClientFacingError) -> UploadSource {
        let reader: any BodyReader = request.upload?.reader ?? WholeBodyReader(request.body)
        let length = request.upload.map(\.length) ?? Int64(request.body.count)
        guard length != 0 else {
            throw ClientFacingError(status: 400, code: "emptyBody", detail: "There is no content.")
        }
        if let length, length > max(settings.maxSize, settings.maxFilm) + 64 * 1024 {
            throw ClientFacingError(
                status: 413, code: UploadFailure.tooLarge.rawValue,
                detail: "No picture or film may be that large: see uploads.maxSize and uploads.maxFilm.")
        }
        guard !request.fields.contains("Content-Encoding") else {
            throw ClientFacingError(
                status: 415, code: "unsupportedCoding", detail: "The content is passed on as it is, without a coding.",
                fields: ["Accept-Encoding": "identity"])
        }
        let given = request.fields.first("Content-Type")
        let essence = MediaType.essence(given)
        if mayBeForm, essence == "multipart/form-data" {
            guard let boundary = MultipartFormReader.boundary(of: given) else {
                throw ClientFacingError(
                    status: 400, code: UploadFailure.malformed.rawValue,
                    detail: "The form's Content-Type names no boundary (RFC 7578 §4.1).")
            }
            return .form(reader, boundary: boundary)
        }
        let isMedia = essence.map { $0.hasPrefix("image/") || $0.hasPrefix("video/") } ?? (given == nil)
        guard isMedia || essence == "application/octet-stream" else {
            let form = mayBeForm ? ", or a form (multipart/form-data) with one" : ""
            throw ClientFacingError(
                status: 415, code: "unsupportedType",
                detail: "The content is an image/… or video/…\(form); base64 and URLs are not passed on.",
                parameter: "Content-Type")
        }
        return .file(reader, length: length)
    }

    private func response(
        _ status: Int, _ id: String, _ route: RouteName, location: String? = nil
    ) async -> ServerResponse {
        guard let report = await uploads.report(id) else {
            return Self.json(status, Bytes(text: "{}"), route)
        }
        var response = Self.json(status, UploadDocument.bytes(report), route)
        if let location { response.fields.set("Location", UploadDocument.path(location)) }
        return response
    }

    private static func json(_ status: Int, _ bytes: Bytes, _ route: RouteName) -> ServerResponse {
        ServerResponse(
            status: status, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(bytes), provider: provider, route: route)
    }
}
