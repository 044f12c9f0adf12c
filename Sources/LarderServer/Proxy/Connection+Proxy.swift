// Requests of a proxy listener. It takes CONNECT and absolute targets only; an origin form, which is all that a page can
// send, is refused. The handler's verdict says what happens: an answer from the cache, a tunnel, or a refusal. The Host
// field of an absolute target is ignored (RFC 9112 §3.2.2).
import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderTLS

extension Connection {
    /// Takes a request whose head is complete.
    func handToProxy(_ head: RequestHead, _ method: Method, _ bytes: UnsafeBufferPointer<UInt8>) {
        if let inside { return handInside(inside.target, head, method, bytes) }
        guard mayUseProxy(head, bytes) else {
            worker.shared.cells.proxyPasswords.add()
            return refuse(.proxyPassword)
        }
        // Its meaning is ignored, its form is not (RFC 9112 §3.2).
        guard HostPolicy.isWellFormed(head.host.bytes(in: bytes)) else { return refuse(.badHost) }
        let target = head.target.bytes(in: bytes)
        if method.name == "CONNECT" {
            // CONNECT has no content (RFC 9110 §9.3.6).
            guard !head.flags.contains(.body), let host = ProxyTarget(form: .connect, authority: target) else {
                return refuse(.badTarget)
            }
            return judge(host, path: "", head, TargetParts.connect, method, bytes)
        }
        guard let parts = TargetParts(target) else { return refuse(.badTarget) }
        guard let authority = parts.authority else {
            worker.shared.cells.proxyRefusals.add()
            return refuse(.onlyProxied)
        }
        let form: ProxyTarget.Form = parts.isSecure ? .https : .http
        guard let host = authority.withUnsafeBufferPointer({ ProxyTarget(form: form, authority: $0) }) else {
            return refuse(.badHost)
        }
        let rest = target[parts.start...]
        judge(host, path: rest.isEmpty ? "/" : HeaderField.text(rest), head, parts, method, bytes)
    }

    /// Takes a request inside a CONNECT that ends here. It must name the host that the connection was opened to.
    func handInside(
        _ opened: ProxyTarget, _ head: RequestHead, _ method: Method, _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        let target = head.target.bytes(in: bytes)
        guard method.name != "CONNECT", let parts = TargetParts(target) else { return refuse(.badTarget) }
        let isOwn =
            if let authority = parts.authority {
                parts.isSecure == (opened.form == .https)
                    && authority.withUnsafeBufferPointer { opened.isNamed(by: $0) }
            } else {
                head.host.isEmpty
                    ? head.minorVersion == 0 && !head.flags.contains(.host)
                    : opened.isNamed(by: head.host.bytes(in: bytes))
            }
        guard isOwn else {
            worker.shared.cells.foreignHost.add()
            return refuse(.otherHost(than: opened.authority))
        }
        let rest = target[parts.start...]
        judge(opened, path: rest.isEmpty ? "/" : HeaderField.text(rest), head, parts, method, bytes)
    }

    /// Whether a page of another site asks to change something, by its method or by a parameter or field that names one. A
    /// browser that uses the proxy lets every page do that, and the key of a configured provider would be added (Fetch
    /// Metadata §2.1).
    private func isForeignChange(
        _ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, _ method: Method, to target: ProxyTarget
    ) -> Bool {
        guard !head.flags.isDisjoint(with: .browser) else { return false }
        let query = HeaderField.text(head.target.bytes(in: bytes)).split(separator: "?", maxSplits: 1).dropFirst().first
        let other = MethodOverride.method(
            fields: worker.parser.fields(of: head, in: bytes), query: query.map(String.init))
        guard !method.isSafe || other?.isSafe == false || head.flags.contains(.upgrade) else { return false }
        let (origin, site) = (HeaderField.text(head.origin.bytes(in: bytes)), head.fetchSite.bytes(in: bytes))
        return !origin.isEmpty && origin != target.origin || !site.isEmpty && HeaderField.text(site) == "cross-site"
    }

    /// The run that asks; nil if none does.
    private func run(_ target: ProxyTarget) -> ProxyRun? {
        if listener.isProxy { return nil }
        guard case .unix(let uid, let process) = peer else { return ProxyRun() }
        return ProxyRun(isLocal: target.isOnThisMachine && uid == geteuid(), process: process)
    }

    /// Marks a request that `larder run` passes on for its command. It comes in absolute form over a Unix socket, and its
    /// scheme may be https, because TLS has ended in the run.
    static let runField = "X-Larder-Run"

    func isRun(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        listener.provider == nil && worker.parser.fields(of: head, in: bytes).contains(Self.runField)
    }

    func handFromRun(
        _ head: RequestHead, _ parts: TargetParts, _ method: Method, _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        let host = parts.authority?.withUnsafeBufferPointer {
            ProxyTarget(form: parts.isSecure ? .https : .http, authority: $0)
        }
        guard let host else { return refuse(.badHost) }
        let rest = head.target.bytes(in: bytes)[parts.start...]
        judge(host, path: rest.isEmpty ? "/" : HeaderField.text(rest), head, parts, method, bytes)
    }

    /// Carries out what the handler says about a request.
    // More than six parameters: the request as far as it is known.
    private func judge(
        _ target: ProxyTarget, path: String, _ head: RequestHead, _ parts: TargetParts, _ method: Method,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        switch worker.shared.handler.verdict(on: target, path: path, run: run(target)) {
        case .answer(let origin, let provider, let below):
            guard !isForeignChange(head, bytes, method, to: target) else {
                worker.shared.cells.crossSite.add()
                return refuse(.crossSite)
            }
            if isSecure || inside != nil {
                answer(for: origin)
            } else if listener.isProxy {
                worker.origins.note(origin, head.target.bytes(in: bytes).prefix(parts.start))
            }
            var request = request(head, method, parts, bytes)
            request.target = Bytes(text: path)
            (request.proxied, request.listenerProvider, request.path) = (origin, provider, below)
            request.listener = origin.number
            if !listener.isProxy { request.fields.remove(Self.runField) }
            take(head, bytes, request)
        case .tunnel:
            let request = request(head, method, parts, bytes)
            guard !Via.isLoop(request.fields) else { return refuse(.loop) }
            if [.options, .trace].contains(method), MaxForwards.left(request.fields) == 0 {
                return refuse(.lastRecipient)
            }
            settleOutput()
            guard pending.isEmpty,
                worker.shared.cells.tunnels.current + worker.shared.dialling.current < worker.settings.tunnels.count
            else {
                return refuse(.tooManyTunnels)
            }
            machine.tunnelAsked()
            keep(request, head)
            connect(to: target)
        case .endTLS(let context):
            settleOutput()
            guard secure == nil, target.form == .connect, pending.isEmpty else { return refuse(.badTarget) }
            machine.tunnelAsked()
            keep(request(head, method, parts, bytes), head)
            certify(target, context)
        case .readPlain:
            settleOutput()
            guard secure == nil, inside == nil, target.form == .connect, pending.isEmpty else {
                return refuse(.badTarget)
            }
            machine.tunnelAsked()
            let request = request(head, method, parts, bytes)
            keep(request, head)
            // When what the client has sent after its request has been put aside.
            worker.loop.soon { [box] in box.value?.beginInside(target, request.id) }
        case .refuse(let error):
            worker.shared.cells.proxyRefusals.add()
            refuse(error, host: target)
        }
    }

    /// Whether the client has shown the proxy's password, if there is one. A client of a Unix socket needs none.
    private func mayUseProxy(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let password = worker.settings.proxyPassword, !isUnix else { return true }
        let given = worker.parser.fields(of: head, in: bytes).all(.proxyAuthorization)
        guard given.count == 1, let shown = Self.password(in: given[0]) else { return false }
        return Secrets.equal(shown, Bytes(text: password))
    }

    /// The password in a value of the scheme Basic, whatever the user (RFC 7617 §2).
    private static func password(in value: String) -> Bytes? {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, ASCII.equalFolded(String(words[0]), "basic") else { return nil }
        let text = words[1].replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard let login = Base64URL.decode(String(text)), let colon = login.firstIndex(of: 0x3A) else { return nil }
        return Bytes(login[(colon + 1)...])
    }

    /// Begins TLS, when what the client has sent after its request has been put aside.
    private func certify(_ target: ProxyTarget, _ known: HostContext?) {
        guard let id = inHand?.request.id else { return }
        let (handler, loop, box) = (worker.shared.handler, worker.loop, box)
        if let known { return loop.soon { box.value?.beginTLS(known, target, id) } }
        let task = Task(executorPreference: loop) {
            do throws(ClientFacingError) {
                let made = try await handler.certify(target)
                box.value?.beginTLS(made, target, id)
            } catch {
                box.value?.notConnected(error, to: target, id)
            }
        }
        inHand?.cancel = { task.cancel() }
    }

    // MARK: Tunnels

    func connect(to target: ProxyTarget) {
        guard let id = inHand?.request.id else { return }
        let (handler, loop, box, dialling) = (worker.shared.handler, worker.loop, box, worker.shared.dialling)
        dialling.add()
        let task = Task(executorPreference: loop) {
            defer { dialling.add(-1) }
            do throws(ClientFacingError) {
                let host = try await handler.connect(to: target)
                guard let connection = box.value else { return Syscall.close(host) }
                connection.connected(host, to: target, id)
            } catch {
                box.value?.notConnected(error, to: target, id)
            }
        }
        inHand?.cancel = { task.cancel() }
    }

    /// Begins the tunnel over a connected socket.
    private func connected(_ host: Int32, to target: ProxyTarget, _ id: RequestID) {
        guard let asked = inHand, asked.request.id == id, machine.phase == .answering else {
            return Syscall.close(host)
        }
        let isConnect = target.form == .connect
        if !isConnect, [.none, .length(0)].contains(asked.framing),
            let upgrade = ProtocolUpgrade(asked.request.fields, isVersion10: asked.request.isVersion10)
        {
            let request = ForwardedHead.upgrade(asked.request, upgrade, to: target)
            return begin(UpgradeOffer(upgrade, request, to: target, over: host), nil, id)
        }
        let early = stash.bytes
        stash = .none
        var toHost = TunnelFlow(
            first: isConnect ? Bytes() : ForwardedHead.bytes(asked.request, framing: asked.framing, to: target),
            input: input, carrying: isConnect ? .everything : TunnelFlow.Load(asked.framing))
        toHost.take(early)
        let toClient = TunnelFlow(
            first: isConnect ? Bytes(text: "HTTP/1.1 200 Connection established\r\n\r\n") : Bytes(),
            otherwise: isConnect ? Bytes() : ForwardedHead.noAnswer(of: target, id))
        let tunnel = Tunnel(
            asked.request, to: target, (SocketSide(descriptor), SocketSide(host)), host, toHost, toClient, of: self)
        do {
            try tunnel.open()
        } catch {
            Syscall.close(host)
            return notConnected(.noTunnel(to: target, "The connection cannot be watched."), to: target, id)
        }
        inHand = nil
        machine.tunnelBegan()
        self.tunnel = tunnel
        tunnel.move()
    }

    func notConnected(_ error: ClientFacingError, to target: ProxyTarget, _ id: RequestID) {
        guard inHand?.request.id == id, machine.phase == .answering else { return }
        inHand?.cancel = nil
        refuse(error, host: target)
        run()
    }

    /// Ends the connection because its tunnel has ended.
    func endTunnel(_ ending: TunnelEnding) {
        if let tunnel, tunnel.negotiation != nil {
            tunnel.negotiation?.offer.answered(nil, [:])
            var error = ClientFacingError.notSwitched(by: tunnel.target, "It did not answer in time.")
            error.status = 504
            return notSwitched(error)
        }
        tunnel?.close(ending)
        tunnel = nil
        leave()
    }
}

extension ClientFacingError {
    /// The error for a request that goes in a circle (RFC 9110 §7.6.3).
    static let loop = ClientFacingError(
        status: 508, code: "loop", detail: "The request has passed through Larder too many times.",
        closesConnection: true)

    /// The error for a request whose last recipient is this proxy (RFC 9110 §7.6.2).
    static let lastRecipient = ClientFacingError(
        status: 501, code: "lastRecipient", detail: "Max-Forwards is 0, and this proxy answers no such request itself.",
        closesConnection: true)

    /// The error if `proxy.maxTunnels` is reached.
    public static let tooManyTunnels = ClientFacingError(
        status: 503, code: "tooManyTunnels",
        detail: "As many tunnels are open as the setting proxy.maxTunnels permits.", retryable: true, retryAfter: 5,
        closesConnection: true)

    /// The error for a tunnel whose host was not reached (RFC 9110 §15.6.3).
    public static func noTunnel(to target: ProxyTarget, _ why: String) -> ClientFacingError {
        ClientFacingError(
            status: 502, code: "noTunnel", detail: "There is no connection to \(target.host):\(target.port). \(why)",
            closesConnection: true)
    }
}
