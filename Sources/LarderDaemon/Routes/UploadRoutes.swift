// Uploads of images and films to a provider that accepts them (`UploadAbout`), in one step or in two, and the deletion
// of uploaded files. All of it concerns a person's account or address there, so all records require authority.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings

/// What a request does with an upload.
enum UploadAct: Sendable {
    case content
    case status
    case events
    case pause
    case resume
    case cancel
}

struct UploadRoutes: Sendable {
    let engine: Engine
    let uploads: UploadCoordinator

    // MARK: POST /v1/{routePrefix}/{collection}

    /// With a body, uploads it. Without a body, begins an upload in two steps.
    /// - Parameter name: the provider that accepts the upload.
    func create(
        _ request: ServerRequest, at name: String, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let context = RequestContext(request: request, snapshot: engine.snapshot, route: route)
        let settings = context.snapshot.settings.uploads
        let taker = try taker(name, context.snapshot)
        let fields = try UploadFields(taker.format, request.parameters())
        guard request.upload != nil || !request.body.isEmpty else {
            let id = try await uploads.create(fields, of: name, settings)
            return await response(201, id, route, isMade: true)
        }
        let source = try Self.source(request, mayBeForm: true, settings)
        let id = try await uploads.create(fields, of: name, settings)
        do {
            return try await pass(source, to: id, fields, taker, context, status: 201)
        } catch {
            // The upload could not begin. It must not wait, because nobody knows its id.
            try? await uploads.command(id, .cancel, settings)
            throw error
        }
    }

    // MARK: /v1/uploads/{id}

    func act(
        _ act: UploadAct, on id: String, _ request: ServerRequest, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let context = RequestContext(request: request, snapshot: engine.snapshot, route: route)
        guard await uploads.report(id) != nil else { throw UploadCoordinator.unknown }
        let settings = context.snapshot.settings.uploads
        switch act {
        case .content: return try await content(context, id)
        case .status:
            // EventSource in a page announces that it wants events by this type (WHATWG HTML §9.2.3).
            let accepted = request.fields.combined(.accept) ?? ""
            guard accepted.lowercased().contains("text/event-stream") else { return await response(200, id, route) }
            return try await events(request, id, route)
        case .events: return try await events(request, id, route)
        case .pause: try await uploads.command(id, .pause, settings)
        case .resume: try await uploads.command(id, .resume, settings)
        case .cancel: try await uploads.command(id, .cancel, settings)
        }
        return await response(200, id, route)
    }

    private func content(_ context: RequestContext, _ id: String) async throws(ClientFacingError) -> ServerResponse {
        guard context.request.query == nil else {
            throw .invalid("query", "Give the parameters of the file when the upload is begun, not here.")
        }
        guard let report = await uploads.report(id) else { throw UploadCoordinator.unknown }
        let taker = try taker(report.provider, context.snapshot)
        // Checked before the content is read, which would be in vain.
        guard report.machine.state == .waiting else {
            throw UploadCoordinator.conflict(report.machine.state, "take content")
        }
        let source = try Self.source(context.request, mayBeForm: false, context.snapshot.settings.uploads)
        return try await pass(source, to: id, report.fields, taker, context, status: 200)
    }

    private func events(
        _ request: ServerRequest, _ id: String, _ route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        guard let feed = await uploads.feed(id), let report = await uploads.report(id) else {
            throw UploadCoordinator.unknown
        }
        return try feed.response(
            to: request, otherwise: .next,
            greeting: EventText.event("state", data: UploadDocument.bytes(report)), route: route)
    }

    /// Passes the content to the provider, and answers when the provider has answered.
    private func pass(
        _ source: UploadSource, to id: String, _ fields: UploadFields, _ taker: UploadTaker,
        _ context: RequestContext, status: Int
    ) async throws(ClientFacingError) -> ServerResponse {
        let settings = context.snapshot.settings
        let work = UploadWork(
            engine: engine, uploads: uploads, id: id, taker: taker, settings: settings, source: source,
            fields: fields)
        var total: Int64?
        if case .file(_, let length) = source { total = length }
        let coordinator = uploads
        try await coordinator.begin(id, content: source.reader, total: total, settings.uploads) { await work.run() }
        let report = await withTaskCancellationHandler {
            await coordinator.end(id)
        } onCancel: {
            coordinator.clientLost(id)
        }
        guard let report else { throw UploadCoordinator.unknown }
        switch report.machine.state {
        case .finished: return await response(status, id, context.route, isMade: status == 201)
        case .cancelled:
            throw ClientFacingError(status: 409, code: "cancelled", detail: "The upload was cancelled.")
        case .waiting, .running, .paused, .failed:
            engine.countFailure(taker.provider.name)
            throw report.problem
                ?? ClientFacingError(status: 502, code: "failed", detail: "The upload failed.")
        }
    }

    // MARK: DELETE /v1/{routePrefix}/{collection}/{removalName}

    /// - Parameter name: the provider that has the file.
    func delete(
        _ hash: String, at name: String, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        let taker = try taker(name, snapshot)
        let removal = UploadRemoval(engine: engine, uploads: uploads, taker: taker, settings: snapshot.settings)
        let known = try await removal.run(hash)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("deleted", true)
            writer.member(ifPresent: "id", known)
        }
        return .json(writer.bytes, provider: name, route: route)
    }

    // MARK: Pieces

    private func taker(_ name: String, _ snapshot: Snapshot) throws(ClientFacingError) -> UploadTaker {
        guard let taker = snapshot.providers.named(name).flatMap(UploadTaker.init) else {
            throw ClientFacingError(
                status: 404, code: "unknownProvider", detail: "There is no provider \"\(name)\".")
        }
        let provider = taker.provider
        guard provider.isConfigured else { throw provider.notConfigured.clientFacing(now: engine.time.wall()) }
        return taker
    }

    /// The body by its declared type. Its first bytes decide later what it really is.
    private static func source(
        _ request: ServerRequest, mayBeForm: Bool, _ settings: UploadSettings
    ) throws(ClientFacingError) -> UploadSource {
        let reader: any BodyReader = request.upload?.reader ?? WholeBodyReader(request.body)
        let length = request.upload.map(\.length) ?? Int64(request.body.count)
        guard length != 0 else {
            throw ClientFacingError(
                status: 400, code: "emptyBody", detail: "The body is empty. Send the file as the body.")
        }
        if let length, length > max(settings.maxSize, settings.maxFilm) + 64 * 1024 {
            throw ClientFacingError(
                status: 413, code: UploadFailure.tooLarge.rawValue,
                detail: "The file is too large for a picture or film: see uploads.maxSize and uploads.maxFilm.")
        }
        guard !request.fields.contains(.contentEncoding) else {
            throw ClientFacingError(
                status: 415, code: "unsupportedCoding",
                detail: "Send the content without a Content-Encoding: it is passed on unchanged.",
                fields: ["Accept-Encoding": "identity"])
        }
        let given = request.fields.first(.contentType)
        let essence = MediaType.essence(given)
        if mayBeForm, essence == "multipart/form-data" {
            guard let boundary = MultipartFormReader.boundary(of: given) else {
                throw ClientFacingError(
                    status: 400, code: UploadFailure.malformed.rawValue,
                    detail: "The Content-Type of the form has no boundary (RFC 7578 §4.1).")
            }
            return .form(reader, boundary: boundary)
        }
        let isMedia = essence.map { $0.hasPrefix("image/") || $0.hasPrefix("video/") } ?? (given == nil)
        guard isMedia || essence == "application/octet-stream" else {
            let form = mayBeForm ? ", or a form (multipart/form-data) with one" : ""
            throw ClientFacingError(
                status: 415, code: "unsupportedType",
                detail: "The content must be an image/… or video/…\(form). Base64 and URLs are not passed on.",
                parameter: "Content-Type")
        }
        return .file(reader, length: length)
    }

    private func response(
        _ status: Int, _ id: String, _ route: RouteName, isMade: Bool = false
    ) async -> ServerResponse {
        // The upload has taken place, even if it has been forgotten by now.
        guard let report = await uploads.report(id) else {
            return .json(Bytes(text: "{}"), status: status, route: route)
        }
        var response = ServerResponse.json(
            UploadDocument.bytes(report), status: status, provider: report.provider, route: route)
        if isMade { response.fields.set(.location, UploadDocument.path(id)) }
        return response
    }
}
