// A tape in place of the network: it answers what a daemon would ask of an API. A request without a recording fails, and
// the failure names the nearest one. Nothing is sent, so no call is taken from a budget.
import LarderCore
import LarderHTTP

/// Answers orders from a tape.
public final class TapeUpstream: Upstream {
    private let replay: TapeReplay
    private let state = Lock(TapeReplay.State())
    private let time: any TimeSource

    /// The form in which a daemon asks a known API for a URL; nil if it asks as its client does.
    public typealias Canonical = @Sendable (HTTPURL) -> HTTPURL?

    public init(
        _ recordings: [TapeRecording], rules: TapeRules, secrets: TapeSecrets, time: any TimeSource,
        canonical: Canonical
    ) {
        let known = recordings.map { recording in
            guard let url = canonical(recording.exchange.request.url) else { return recording }
            var known = recording
            known.exchange.request = TapeRequest(
                recording.exchange.request.method, url, content: recording.exchange.request.content)
            // The client's fields selected nothing: such an API is sent none of them.
            known.exchange.answer.fields.remove(.vary)
            return known
        }
        replay = TapeReplay(known, rules: rules, secrets: secrets)
        self.time = time
    }

    public func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
        try answer(order, content: order.body ?? [])
    }

    public func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream
    {
        var content = order.body ?? []
        if let upload { content = try await read(upload, of: order) }
        let response = try answer(order, content: content)
        var head = UpstreamHead(
            status: response.status, fields: response.fields, requestTime: response.requestTime,
            responseTime: response.responseTime)
        head.url = order.url
        head.length = Int64(response.body.count)
        let body = BodyTape(window: response.body.count + 1, promised: head.length)
        _ = response.body.withUnsafeBytes { body.append($0) }
        body.finish()
        return UpstreamStream(head: head, body: body, cancel: {})
    }

    private func answer(_ order: FetchOrder, content: Bytes) throws(FetchError) -> UpstreamResponse {
        guard let url = HTTPURL(order.url) else { throw fault(order, .malformed, "This is no URL.") }
        let asked = TapeRequest(order.method, url, fields: order.fields, content: content)
        switch state.withLock({ replay.answer(asked, &$0) }) {
        case .miss(let miss): throw fault(order, .unrecorded, miss.detail)
        case .recording(let recording):
            let answer = recording.exchange.answer
            guard answer.body.count <= order.maxBody else {
                throw fault(order, .tooLarge, "The recorded body is longer than \(order.maxBody) bytes.")
            }
            let now = time.wall()
            return UpstreamResponse(
                status: answer.status, fields: answer.fields, body: answer.body, requestTime: now, responseTime: now,
                url: order.url)
        }
    }

    /// The whole body, as matching needs it.
    private func read(_ upload: Upload, of order: FetchOrder) async throws(FetchError) -> Bytes {
        let limit = TapeLimits().body
        var content = Bytes()
        do throws(BodyFailure) {
            while let piece = try await upload.reader.next() {
                content += piece
                guard content.count <= limit else { break }
            }
        } catch {
            throw fault(order, .send, error.reason)
        }
        guard content.count <= limit else {
            upload.reader.abandon()
            throw fault(order, .tooLarge, "A tape has no request longer than \(Units.format(size: Int64(limit))).")
        }
        return content
    }

    private func fault(_ order: FetchOrder, _ stage: FetchError.Stage, _ message: String) -> FetchError {
        let origin = order.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        var error = FetchError(stage: stage, origin: origin.joined(separator: "/"), message: message)
        error.isUnsent = true
        return error
    }
}
