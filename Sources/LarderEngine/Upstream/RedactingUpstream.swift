// The gate between the fetcher and the rest of the daemon. It removes this daemon's secrets from what upstreams say.
// Failures, explanations, log lines, problems and `/v1/status` are made from its output, so they need not redact
// anything. Hits do not pass through it.
//
// Fields and reason phrases are always searched. A whole body is searched if the order carries a secret or the status
// is an error; an API that was told no secret cannot repeat one as data. A streamed body is searched only if the order
// carries a secret and, in addition, the status is an error or the order's limit is at most `collectedSize`; it is then
// collected first. Other streamed data, which comes from the user's own APIs, is passed on unsearched.
import LarderCore
import LarderHTTP
import LarderIO

/// The gate to the fetcher.
public struct RedactingUpstream: Upstream {
    /// The largest streamed body that is collected and searched, in bytes.
    static let collectedSize = 1 << 20

    let upstream: any Upstream
    let secrets: SecretRegistry
    let compute: ComputeGate
    let bodies: BodyMemory
    let time: any TimeSource

    /// - Parameters:
    ///   - upstream: the fetcher behind the gate.
    ///   - secrets: the secrets to remove.
    ///   - compute: runs the search of large bodies.
    ///   - bodies: the memory budget of bodies that are collected.
    public init(
        upstream: any Upstream, secrets: SecretRegistry, compute: ComputeGate, bodies: BodyMemory, time: any TimeSource
    ) {
        self.upstream = upstream
        self.secrets = secrets
        self.compute = compute
        self.bodies = bodies
        self.time = time
    }

    /// See `Upstream`. Neither the answer nor the error contains a secret.
    public func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
        let redactor = secrets.redactor(for: order)
        let response: UpstreamResponse
        do {
            response = try await upstream.fetch(order)
        } catch {
            throw redactor.redacted(error)
        }
        guard !redactor.isEmpty else { return response }
        let isSearched = order.carriesSecrets || response.status >= 400
        let limit = order.maxBody
        guard isSearched, !response.body.isEmpty else { return redactor.redacted(response) }
        let redacted = await compute.run(reading: response.plainSize) { [bodies] in
            redactor.redacted(response, bodyLimit: limit, in: bodies)
        }
        if let redacted { return redacted }
        return try Self.withheld(redactor.redacted(response), order)
    }

    /// See `Upstream`. A body that may contain a secret is collected first.
    public func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream
    {
        let redactor = secrets.redactor(for: order)
        var order = order
        if let tell = order.interim, !redactor.isEmpty { order.interim = { tell(redactor.redacted($0)) } }
        var stream: UpstreamStream
        do {
            stream = try await upstream.open(order, upload: upload, stall: stall)
        } catch {
            throw redactor.redacted(error)
        }
        guard !redactor.isEmpty else { return stream }
        let isSearched =
            order.carriesSecrets && order.method != .head && stream.head.length != 0
            && (stream.head.status >= 400 || order.maxBody <= Self.collectedSize)
        guard isSearched else {
            redactor.redact(&stream.head)
            return stream
        }
        let head = stream.head
        var received = head.response
        var found: UpstreamResponse?
        if let body = try await collect(stream, of: order) {
            received.body = body
            found = await compute.run { [received, bodies] in
                redactor.redacted(received, bodyLimit: Self.collectedSize, in: bodies)
            }
        }
        let response: UpstreamResponse
        if let found { response = found } else { response = try Self.withheld(redactor.redacted(received), order) }
        stream.head.fields = response.fields
        stream.head.reason = response.reason
        stream.head.interim = redactor.redacted(head.interim)
        stream.head.length = Int64(response.body.count)
        stream.body = BodyTape(window: max(1, response.body.count + 1), promised: Int64(response.body.count))
        _ = response.body.withUnsafeBytes { stream.body.append($0) }
        stream.body.finish()
        return stream
    }

    /// See `Upstream`. A task must open an order that carries secrets: the body of its answer may have to be collected.
    public func start(of order: FetchOrder) -> UpstreamStart? {
        guard !order.carriesSecrets, let start = upstream.start(of: order) else { return nil }
        let redactor = secrets.redactor
        if redactor.isEmpty { return start }
        return { order, stall, done in
            var order = order
            if let tell = order.interim { order.interim = { tell(redactor.redacted($0)) } }
            return start(order, stall) { outcome in
                switch outcome {
                case .failure(let error): done(.failure(redactor.redacted(error)))
                case .success(var stream):
                    redactor.redact(&stream.head)
                    done(.success(stream))
                }
            }
        }
    }

    /// Replaces an answer whose body may hold a secret and cannot be searched. An error keeps its status and gets a
    /// note as its body. For other answers this throws, because an empty body would look like the real one.
    private static func withheld(
        _ response: UpstreamResponse, _ order: FetchOrder
    ) throws(FetchError) -> UpstreamResponse {
        guard response.status >= 400 else {
            throw FetchError(
                stage: .malformed, origin: origin(of: order), message: "The body's content coding cannot be decoded.")
        }
        var response = response
        response.fields.describeOtherBytes()
        response.fields.set(.contentType, "text/plain; charset=utf-8")
        response.body = Bytes(text: "Larder cannot search the body of this error for secrets and withholds it.\n")
        return response
    }

    static func origin(of order: FetchOrder) -> String {
        order.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    /// Collects the whole body; returns nil if it is longer than `collectedSize`. As with any reader, cancelling the
    /// task ends the transfer.
    private func collect(_ stream: UpstreamStream, of order: FetchOrder) async throws(FetchError) -> Bytes? {
        var body = Bytes()
        // The head came within the deadline. The body, which is reported with the head, must come within another.
        let latest = time.monotonic() + order.deadline
        do throws(BodyFailure) {
            guard let reader = stream.body.reader() else { throw BodyFailure("The body is gone.") }
            while let piece = try await reader.next() {
                body += piece
                guard body.count <= Self.collectedSize else {
                    reader.abandon()
                    stream.cancel()
                    return nil
                }
                guard time.monotonic() <= latest else {
                    reader.abandon()
                    stream.cancel()
                    throw BodyFailure(Self.late)
                }
            }
        } catch {
            stream.cancel()
            let stage: FetchError.Stage =
                Task.isCancelled ? .cancelled : error.reason == Self.late ? .timedOut : .receive
            throw FetchError(stage: stage, origin: Self.origin(of: order), message: error.reason)
        }
        return body
    }

    private static let late = "The body of the error took too long."
}

extension SecretRedactor {
    func redacted(_ error: FetchError) -> FetchError {
        guard !isEmpty else { return error }
        var error = error
        error.message = redacted(error.message)
        error.origin = redacted(error.origin)
        return error
    }

    func redacted(_ interim: [InterimHead]) -> [InterimHead] { interim.map { redacted($0) } }

    func redacted(_ head: InterimHead) -> InterimHead {
        InterimHead(status: head.status, fields: redacted(head.fields))
    }

    func redact(_ head: inout UpstreamHead) {
        head.fields = redacted(head.fields)
        head.reason = redacted(head.reason)
        head.interim = redacted(head.interim)
    }

    func redacted(_ response: UpstreamResponse) -> UpstreamResponse {
        var response = response
        response.reason = redacted(response.reason)
        response.fields = redacted(response.fields)
        response.url = redacted(response.url)
        return response
    }

    /// Returns the response with fields and body redacted.
    /// - Parameter bodyLimit: the limit of the decoded body, in bytes.
    /// - Returns: nil if the content coding cannot be undone, because the body can then not be searched.
    func redacted(_ response: UpstreamResponse, bodyLimit: Int, in memory: BodyMemory) -> UpstreamResponse? {
        var response = redacted(response)
        guard let plain = response.decoded(limit: bodyLimit, in: memory) else { return nil }
        guard let body = redacted(plain.body) else { return response }
        response = plain
        response.body = body
        response.fields.describeOtherBytes()
        return response
    }
}
