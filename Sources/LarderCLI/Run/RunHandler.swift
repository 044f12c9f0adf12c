// The proxy of a run, in its own process. It ends TLS for the hosts that the run is for, and passes their requests on to
// the daemon's Unix socket, which answers from the shared cache. All other hosts are tunnels of its own.
import LarderCore
import LarderFetch
import LarderHTTP
import LarderIO
import LarderServer
import LarderTLS
import LarderTape

final class RunHandler: RequestHandler {
    /// What the run is for.
    struct Plan: Sendable {
        /// Hosts whose requests the daemon answers: the APIs that it knows, and what `--host` names.
        var hosts: Set<String>
        /// What `--host` names: their requests go through the cache over plain http too, and with any port.
        var named: Set<String>
        var isOffline = false
        /// The longest that a response may take to begin.
        var deadline = Duration.seconds(300)
    }

    private let plan: Plan
    private let contexts: HostContexts
    /// Speaks to the daemon's Unix socket.
    private let daemon: CurlUpstream
    /// Makes the connections of tunnels.
    private let network: CurlUpstream
    private let gate: ComputeGate
    private let tape: RunTape?
    /// Tells the user something at once.
    private let tell: @Sendable (String) -> Void
    private let time: any TimeSource
    let summary = RunSummary()
    /// The addresses of which the user has been told that no CA vouches for them.
    private let told = Lock<Set<String>>([])

    // More than six parameters: the parts of a run's proxy.
    init(
        _ plan: Plan, contexts: HostContexts, daemon: CurlUpstream, network: CurlUpstream, gate: ComputeGate,
        tape: RunTape? = nil, tell: @escaping @Sendable (String) -> Void = { _ in },
        time: any TimeSource = SystemTime()
    ) {
        self.plan = plan
        self.contexts = contexts
        self.daemon = daemon
        self.network = network
        self.gate = gate
        self.tape = tape
        self.tell = tell
        self.time = time
    }

    func verdict(on target: ProxyTarget, path: String, run: ProxyRun?) -> ProxyVerdict {
        let isCached = target.form == .http || plan.hosts.contains(target.host)
        if target.isOnThisMachine, !plan.named.contains(target.host) {
            return refuse(target, 403, "An address of this machine needs --host \(target.host).")
        }
        if target.form != .connect, isCached {
            let end = path.utf8.firstIndex(of: 0x3F) ?? path.endIndex
            let folder = String(path[..<end])
            return .answer(
                ProxiedOrigin(target: target, number: 0, provider: "run"), provider: "run",
                path: folder.isEmpty ? "/" : folder)
        }
        // Some clients, such as `fetch` of Node, ask for plain http by CONNECT too.
        if target.form == .connect, target.port == 80 { return .readPlain }
        if target.form == .connect, isCached, contexts.authority.covers(target.host) {
            return .endTLS(contexts.made(for: target.host, at: time.wall()))
        }
        if plan.isOffline {
            return refuse(target, 504, "The run is offline, and requests to this host are not stored.")
        }
        guard target.form == .connect else { return refuse(target, 403, "Use CONNECT for https to this host.") }
        guard target.port == 443 || plan.named.contains(target.host) else {
            return refuse(target, 403, "Port \(target.port) of this host needs --host \(target.host).")
        }
        if plan.named.contains(target.host), !Self.isName(target.host),
            told.withLock({ $0.insert(target.host).inserted })
        {
            tell("larder: https to \(target.host) passes unread: no CA can vouch for an address")
        }
        return .tunnel
    }

    private func refuse(_ target: ProxyTarget, _ status: Int, _ why: String) -> ProxyVerdict {
        summary.refused("\(target.host):\(target.port)", why)
        return .refuse(
            ClientFacingError(
                status: status, code: "notInRun", detail: "\(target.host): \(why)", closesConnection: true))
    }

    func certify(_ target: ProxyTarget) async throws(ClientFacingError) -> HostContext {
        let (contexts, now) = (contexts, time.wall())
        do {
            return try await gate.run { () throws(CertificateFailure) in try contexts.make(for: target.host, at: now) }
        } catch {
            throw .noTunnel(to: target, "\(error).")
        }
    }

    func connect(to target: ProxyTarget) async throws(ClientFacingError) -> Int32 {
        do {
            return try await network.connect(
                host: target.host, port: target.port,
                addresses: target.isOnThisMachine && plan.named.contains(target.host) ? .configured : .publicOnly,
                within: .seconds(30))
        } catch {
            throw .noTunnel(to: target, error.message)
        }
    }

    func ended(_ tunnel: TunnelRecord) {
        if tunnel.status < 400 { summary.tunnelled(tunnel) }
    }

    func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool { tape == nil }

    /// The one spelling of a host; nil if it is none.
    static func host(_ text: String) -> String? {
        let host = ProxyTarget.host(text)
        return host.flatMap {
            isName($0) && $0.split(separator: ".", omittingEmptySubsequences: false).contains("") ? nil : $0
        }
    }

    /// Whether a host is a name, for which a CA can vouch.
    static func isName(_ host: String) -> Bool {
        !host.hasPrefix("[") && host.split(separator: ".").last?.allSatisfy(\.isNumber) == false
    }

    /// Passes the request on to the daemon.
    func respond(to request: ServerRequest) async -> ServerResponse {
        guard let origin = request.proxied else {
            return ProblemEncoder.response(for: .notAProxy(status: 421), requestID: request.id)
        }
        if plan.isOffline, !request.method.isSafe {
            request.upload?.reader.abandon()
            summary.refused(
                origin.target.host, "The run is offline, and \(request.method.name) would change something.")
            let problem = ClientFacingError(
                status: 504, code: "offline", detail: "The run is offline: nothing is changed, and nothing is asked.",
                closesConnection: true)
            return ProblemEncoder.response(for: problem, requestID: request.id)
        }
        if let upgrade = ProtocolUpgrade(request.fields, isVersion10: request.isVersion10, others: nil) {
            return await respond(to: request, upgrade, origin.target)
        }
        let order = order(request, to: origin.target)
        if let tape, let asked = RunTape.request(request) { return await respond(to: request, asked, tape, order) }
        return await passOn(request, order)
    }

    /// Asks the daemon for a change of protocol, such as to WebSocket. What follows is on no tape.
    private func respond(
        to request: ServerRequest, _ upgrade: ProtocolUpgrade, _ target: ProxyTarget
    ) async -> ServerResponse {
        guard !plan.isOffline, tape?.mode != .replay else {
            summary.refused(target.host, "\(upgrade.protocols[0]) needs the host, and the run asks nobody.")
            let problem = ClientFacingError(
                status: 504, code: "offline", detail: "The run asks no host, and \(upgrade.protocols[0]) needs one.",
                closesConnection: true)
            return ProblemEncoder.response(for: problem, requestID: request.id)
        }
        var fields = HopByHop.endToEnd(request.fields)
        fields.remove(.host)
        fields.set("X-Larder-Run", "1")
        let head = upgrade.head(
            request.method, target.origin + HeaderField.text(request.target), host: "localhost", fields)
        do {
            let socket = try await daemon.connect(
                host: "localhost", port: 80, addresses: .configured, within: .seconds(5))
            var response = ServerResponse(status: 101)
            response.upgrade = UpgradeOffer(upgrade, head, to: target, over: socket)
            return response
        } catch {
            return failed(request, error)
        }
    }

    /// Answers from the tape, or records the daemon's answer.
    private func respond(
        to request: ServerRequest, _ asked: TapeRequest, _ tape: RunTape, _ order: FetchOrder
    ) async -> ServerResponse {
        switch tape.answer(asked) {
        case .recording(let recording):
            summary.change { ($0.requests, $0.saved, $0.replayed) = ($0.requests + 1, $0.saved + 1, $0.replayed + 1) }
            return ServerResponse(recording, toHead: request.method == .head)
        case .miss(let miss):
            summary.change { $0.missing += 1 }
            tell(miss.text)
            return ProblemEncoder.response(
                for: ClientFacingError(status: 504, code: "noRecording", detail: miss.detail), requestID: request.id)
        case nil: break
        }
        var order = order
        // A recording has no conditions of its own, and comes from the host.
        order.fields.remove(Self.conditions)
        order.fields.set(.cacheControl, "no-cache")
        order.maxBody = 64 << 20
        do {
            let answer = try await daemon.fetch(order)
            summary.change { $0.requests += 1 }
            // What this machine's cache says differs in each run.
            var fields = HopByHop.endToEnd(answer.fields)
            fields.remove(Self.ofCache)
            let recorded = TapeAnswer(status: answer.status, fields: fields, body: answer.body)
            if let reason = tape.record(asked, recorded) {
                tell("larder: not recorded: \(asked.url.text): \(reason)")
            } else {
                summary.change { $0.recorded += 1 }
            }
            var response = ServerResponse(
                status: answer.status, reason: answer.reason, fields: HopByHop.endToEnd(answer.fields),
                body: .bytes(answer.body))
            if request.method == .head { response.answerHead(answer.fields) }
            return response
        } catch {
            guard error.stage != .tooLarge else {
                tell("larder: not recorded: \(asked.url.text): its body is too long")
                return await passOn(request, order)
            }
            return failed(request, error)
        }
    }

    private static let ofCache: FieldNameSet = ["Age", "Cache-Status", "Via", "X-Request-Id"]
    private static let conditions: FieldNameSet = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
    ]

    private func failed(_ request: ServerRequest, _ error: FetchError) -> ServerResponse {
        summary.change { $0.failed += 1 }
        let problem = ClientFacingError(
            status: 502, code: "noDaemon", detail: "The daemon gave no answer: \(error.message)", closesConnection: true
        )
        return ProblemEncoder.response(for: problem, requestID: request.id)
    }

    private func passOn(_ request: ServerRequest, _ order: FetchOrder) async -> ServerResponse {
        do {
            let stream = try await daemon.open(order, upload: request.upload, stall: nil)
            return response(stream, toHead: request.method == .head)
        } catch {
            request.upload?.reader.abandon()
            return failed(request, error)
        }
    }

    private func order(_ request: ServerRequest, to target: ProxyTarget) -> FetchOrder {
        var fields = HopByHop.endToEnd(request.fields)
        fields.remove(.contentLength)
        fields.set(.host, "localhost")
        fields.set("X-Larder-Run", "1")
        if plan.isOffline { fields.set(.cacheControl, "only-if-cached, max-stale") }
        var order = FetchOrder(
            url: "http://localhost/", method: request.method, fields: fields,
            body: request.upload == nil && !request.body.isEmpty ? request.body : nil, addresses: .configured,
            maxBody: Int.max >> 8, deadline: plan.deadline, mayRetry: false)
        order.target = target.origin + HeaderField.text(request.target)
        return order
    }

    private func response(_ stream: UpstreamStream, toHead: Bool) -> ServerResponse {
        let head = stream.head
        let isSaved = Self.isSaved(head.fields)
        summary.change { counts in
            counts.requests += 1
            if isSaved { counts.saved += 1 }
            if head.status >= 502, head.fields.first(.contentType) == "application/problem+json" { counts.failed += 1 }
        }
        var response = ServerResponse(status: head.status, reason: head.reason, fields: HopByHop.endToEnd(head.fields))
        if toHead {
            response.answerHead(head.fields)
        } else if let whole = stream.body.whole {
            response.body = .bytes(whole)
        } else if let reader = stream.body.reader() {
            response.body = .stream(reader, length: head.length)
        }
        return response
    }

    /// Whether the daemon made no call for the answer (RFC 9211 §2.1).
    private static func isSaved(_ fields: HeaderFields) -> Bool {
        guard let status = fields.all("Cache-Status").last(where: { $0.hasPrefix("larder") }) else { return false }
        return status.contains("; hit") || status.contains("; collapsed")
    }
}
