// The sending of one upload to its provider: the type of the content, the form around it, one request and its answer.
// The task that runs this belongs to no connection. Once everything is handed on, it waits for the answer even if no
// client listens.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings
import LarderStore

/// The sending of one upload.
public struct UploadWork: Sendable {
    let engine: Engine
    let uploads: UploadCoordinator
    let id: String
    let taker: UploadTaker
    let settings: Settings
    let source: UploadSource
    let fields: UploadFields

    /// The sending of the upload `id` of `uploads`.
    public init(
        engine: Engine, uploads: UploadCoordinator, id: String, taker: UploadTaker, settings: Settings,
        source: UploadSource, fields: UploadFields
    ) {
        self.engine = engine
        self.uploads = uploads
        self.id = id
        self.taker = taker
        self.settings = settings
        self.source = source
        self.fields = fields
    }

    private var provider: ConfiguredProvider { taker.provider }
    private var format: any UploadFormat { taker.format }

    /// The least deadline of the exchange. An API works on a film for a while before it answers.
    private static let patience = Duration.seconds(60)
    /// The exchange is given up if the answer stalls for this long.
    private static let stall = Duration.seconds(30)
    /// A body of at least this many bytes is sent only after the upstream asks for it (100 Continue), as in libcurl.
    private static let heldBack: Int64 = 1 << 20

    private struct Ending: Error {
        let failure: UploadFailure
        let problem: ClientFacingError

        init(_ failure: UploadFailure, _ problem: ClientFacingError) {
            self.failure = failure
            self.problem = problem
        }
    }

    /// Sends the content and waits for the answer. Reports the end to the coordinator in every case.
    public func run() async {
        do throws(Ending) {
            let image = try await send()
            // The account's lists lack the new picture.
            await engine.forgetUploaded(to: provider.name, format.outdatedPaths)
            await uploads.finish(id, image)
        } catch {
            await uploads.fail(id, error.failure, error.problem)
        }
        source.reader.abandon()
    }

    private func send() async throws(Ending) -> UploadedImage {
        var form: FormFile?
        var base = source.reader
        var length: Int64?
        switch source {
        case .file(_, let known): length = known
        case .form(let reader, let boundary):
            let file = try await open(reader, boundary)
            (form, base) = (file, file)
        }
        let (type, held) = try await look(at: base, form)
        let limit = UploadTaker.isFilm(type) ? settings.uploads.maxFilm : settings.uploads.maxSize
        if let length, length > limit { throw tooLarge(limit) }
        let content = metered(base, held, limit: limit, form)
        let writer = MultipartFormWriter(random: LarderCore.Secrets.random(16))
        var given = fields
        if let early = form?.fields {
            do throws(ClientFacingError) {
                for (name, value) in early.added(to: fields) { try given.set(name, value) }
            } catch {
                throw Ending(.malformed, error)
            }
        }
        let before =
            given.form.reduce(into: Bytes()) { $0 += writer.field($1.name, $1.value) }
            + writer.fileHead(
                format.fileField(of: type), filename: UploadTaker.filename(of: type), contentType: type)
        let shortest = MultipartFormWriter.fileEnd + writer.end
        // Fields behind the file are known only at the end of the form, so the length is not known before.
        let whole = form == nil ? length.map { $0 + Int64(before.count + shortest.count) } : nil
        let (said, around) = (given, form)
        let body: @Sendable (LentReader) -> any BodyReader = { lent in
            ChainedBodyReader([
                WholeBodyReader(before), lent,
                LateBytesReader {
                    let late = around?.fields.added(to: said) ?? []
                    return MultipartFormWriter.fileEnd
                        + late.reduce(into: Bytes()) { $0 += writer.field($1.name, $1.value) } + writer.end
                },
            ])
        }
        return try await exchange(body, length: whole, content, writer.contentType)
    }

    // MARK: The content

    private func open(_ reader: any BodyReader, _ boundary: String) async throws(Ending) -> FormFile {
        let file: FormFile
        do throws(MultipartFault) {
            file = try FormFile(reader, boundary: boundary, of: format)
        } catch {
            throw malformed("The form cannot be read: \(error.rawValue).")
        }
        let isFound: Bool
        do throws(BodyFailure) {
            isFound = try await file.findFile()
        } catch {
            throw file.fault.map { Ending(.malformed, $0) } ?? lost()
        }
        guard isFound else { throw malformed("The form has no file.") }
        return file
    }

    /// Returns the media type that the first bytes show, and the pieces read so far.
    private func look(at base: any BodyReader, _ form: FormFile?) async throws(Ending) -> (String, [Bytes]) {
        var held: [Bytes] = []
        var start = Bytes()
        do throws(BodyFailure) {
            while start.count < MediaType.sniffedPrefix, let piece = try await base.next() {
                start += piece.prefix(MediaType.sniffedPrefix)
                held.append(piece)
            }
        } catch {
            if let fault = form?.fault { throw Ending(.malformed, fault) }
            throw lost()
        }
        guard let type = MediaType.sniffMedia(prefix: start) else {
            throw Ending(
                .notMedia,
                ClientFacingError(
                    status: 415, code: UploadFailure.notMedia.rawValue,
                    detail:
                        "The file's first bytes are not those of a picture or film that \(provider.about.title) takes.")
            )
        }
        return (type, held)
    }

    private func metered(
        _ base: any BodyReader, _ held: [Bytes], limit: Int64, _ form: FormFile?
    ) -> MeteredContent {
        let (coordinator, id) = (uploads, id)
        let (tooLarge, lost) = (tooLarge(limit), lost())
        return MeteredContent(
            base, held: held, limit: limit,
            pass: { count throws(BodyFailure) in try await coordinator.pass(id, count) },
            ended: { result in
                switch result {
                case .success: await coordinator.contentEnded(id)
                case .failure(.tooLarge): await coordinator.fail(id, tooLarge.failure, tooLarge.problem)
                case .failure(.lost):
                    if let fault = form?.fault {
                        await coordinator.fail(id, .malformed, fault)
                    } else {
                        await coordinator.fail(id, lost.failure, lost.problem)
                    }
                }
            })
    }

    // MARK: The request

    /// Sends the upload for the signed-in account, or with the application's own id if nobody is signed in. If the API
    /// refuses the tokens before it asked for any of the file, they are renewed and the file is sent with the new ones.
    private func exchange(
        _ body: (LentReader) -> any BodyReader, length: Int64?, _ content: MeteredContent, _ contentType: String
    ) async throws(Ending) -> UploadedImage {
        var pass: AccountPass?
        if let claim = provider.claimForChanges {
            pass = try await signed { () async throws(UpstreamFailure) in
                try await engine.accounts.authorization(for: provider.name, claim)
            }
        }
        // Without tokens there is no second attempt. Then only the length is a reason to wait for 100 Continue.
        let holds = pass != nil || length.map { $0 >= Self.heldBack } ?? true
        let lent = LentReader(content)
        let answer = try await attempt(
            Upload(reader: body(lent), length: length, expectsContinue: holds), contentType, pass?.fields)
        let isUntouched = lent.takeBack()
        guard let refused = pass, failure(in: answer)?.isAccountRefusal == true else { return try image(in: answer) }
        guard isUntouched else {
            // The file is not sent twice. The tokens are renewed all the same, so that the next upload has valid ones.
            _ = try? await engine.accounts.rejected(refused)
            return try image(in: answer, ofAccount: true)
        }
        pass = try await signed { () async throws(UpstreamFailure) in
            try await engine.accounts.rejected(refused)
        }
        guard let renewed = pass else { return try image(in: answer, ofAccount: true) }
        let second = try await attempt(
            Upload(reader: body(LentReader(content)), length: length, expectsContinue: holds), contentType,
            renewed.fields)
        return try image(in: second, ofAccount: true)
    }

    private func signed(
        _ ask: () async throws(UpstreamFailure) -> AccountPass?
    ) async throws(Ending) -> AccountPass? {
        do throws(UpstreamFailure) {
            return try await ask()
        } catch {
            throw Ending(.notSent, error.clientFacing(now: engine.time.wall()))
        }
    }

    private func attempt(
        _ upload: Upload, _ contentType: String, _ account: HeaderFields?
    ) async throws(Ending) -> UpstreamResponse {
        var order = provider.order(
            UpstreamRequest(
                method: .post, path: format.path, fields: ["Content-Type": contentType]), settings: settings)
        order.fields.set(.acceptEncoding, "identity")
        order.maxRedirects = 0
        order.mayRetry = false
        order.maxBody = UploadTaker.maxAnswer
        order.deadline = max(order.deadline, Self.patience)
        if let account { order.secretFields = account }
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true, classify: format.classifyHead)
        switch await engine.upstream.open(call, upload: upload, stall: Self.stall) {
        case .failure(let failure): throw ending(failure)
        case .success((let stream, _)): return try await read(stream)
        }
    }

    private func failure(in answer: UpstreamResponse) -> UpstreamFailure? {
        UpstreamFailure(format.classify(answer), response: answer, provider: provider.name)
    }

    private func image(in answer: UpstreamResponse, ofAccount: Bool = false) throws(Ending) -> UploadedImage {
        if format.classify(answer) == .notFound {
            throw Ending(.refused, problem(.broken, "\(provider.about.title) answered 404 at the upload's address."))
        }
        if let failure = failure(in: answer) {
            let shown = ofAccount && failure.isAccountRefusal ? failure.ofAccount : failure
            throw Ending(.refused, shown.clientFacing(now: engine.time.wall()))
        }
        guard let image = format.image(in: answer.body) else {
            throw Ending(
                .refused, problem(.broken, "\(provider.about.title) took the file, but did not tell its address."))
        }
        return image
    }

    private func read(_ stream: UpstreamStream) async throws(Ending) -> UpstreamResponse {
        var body = Bytes()
        do throws(BodyFailure) {
            guard let reader = stream.body.reader() else { throw BodyFailure("it is gone") }
            while let piece = try await reader.next() { body += piece }
        } catch {
            throw Ending(
                .upstreamLost,
                problem(.unreachable, "The answer of \(provider.about.title) did not arrive whole: \(error.reason)"))
        }
        let head = stream.head
        return UpstreamResponse(
            status: head.status, reason: head.reason, fields: head.fields, body: body, requestTime: head.requestTime,
            responseTime: head.responseTime)
    }

    private func ending(_ failure: UpstreamFailure) -> Ending {
        var failure = failure
        failure.provider = provider.name
        let wasSent = failure.wasSent
        var problem = failure.clientFacing(now: engine.time.wall())
        // A client that reads "retryable" would send the file again, and it might then exist twice.
        if wasSent { problem.retryable = false }
        return Ending(wasSent ? .upstreamLost : .notSent, problem)
    }

    private func problem(_ failure: FailureClass, _ detail: String) -> ClientFacingError {
        var problem = UpstreamFailure(provider: provider.name, failure: failure, detail: detail)
            .clientFacing(now: engine.time.wall())
        problem.retryable = false
        return problem
    }

    private func malformed(_ detail: String) -> Ending {
        Ending(.malformed, ClientFacingError(status: 400, code: UploadFailure.malformed.rawValue, detail: detail))
    }

    private func tooLarge(_ limit: Int64) -> Ending {
        Ending(
            .tooLarge,
            ClientFacingError(
                status: 413, code: UploadFailure.tooLarge.rawValue,
                detail: "The file is larger than \(Units.format(size: limit)), the limit for its kind."))
    }

    private func lost() -> Ending { Ending(.clientLost, UploadCoordinator.lost) }
}

extension Engine {
    /// Purges a provider's stored entries whose request contains one of the terms.
    public func forgetUploaded(to provider: String, _ terms: [String]) async {
        let purged = await cache.purge(terms.map { .term($0, provider: provider) }, soft: false)
        if let error = purged.failure {
            log.warning("cached copies could not be purged", ["provider": provider, "error": "\(error)"])
        }
    }
}
