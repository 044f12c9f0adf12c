// One client of a soak. It performs a step and compares every byte of the answer with the model. An error is a finding
// unless a fault that the harness caused explains it.
import Glibc
import LarderCore

final class SoakClient {
    static let token = "soak-token-of-this-run"
    /// The seconds that a client waits for the next byte. Nothing in a soak explains a longer wait.
    static let patience = 45

    private let state: SoakState
    private var socket: SoakSocket?
    private var place = SoakState.Place()
    /// The version that this client received last, by resource.
    private var seen: [String: String] = [:]

    init(_ state: SoakState) { self.state = state }

    /// Performs one step. The answer is judged only if the same process of larder runs until it is complete.
    func take(_ step: SoakStep) {
        place = state.place
        guard place.isUp else { return SoakThread.sleep(milliseconds: 20) }
        switch step {
        case .get(let resource, let language, let manner): get(resource, language, manner)
        case .write(let method, let resource, let upload): write(method, resource, upload)
        case .purgeURL(let resource, let isSoft):
            purge([resource], "url=\(resource.target)", isSoft)
        case .purgeGroup(let provider, let group):
            purge(
                SoakResource.all(of: provider).filter { $0.group == group },
                "term=/g\(group)/&provider=\(provider.rawValue)", false)
        case .purgeProvider(let provider):
            purge(SoakResource.all(of: provider), "provider=\(provider.rawValue)", false)
        case .look(let path): look(path)
        }
    }

    /// The result of one exchange.
    struct Exchange {
        var status: Int
        var fields: HeaderFields
        var body: Bytes
        var count: Int
        var isWhole: Bool
    }

    /// Sends a request, on the kept connection if there is one.
    ///
    /// - Parameter take: receives the status, the fields, and the body's bytes with their offset. Returns false to
    ///   leave.
    func ask(
        _ method: String, _ target: String, fields: String = "", body: Bytes = [],
        take: (Int, HeaderFields, UnsafeBufferPointer<UInt8>, Int) -> Bool
    ) throws(SoakSocket.Ending) -> Exchange {
        let socket = try connection()
        self.socket = nil
        let request = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(place.port)\r\n\(fields)\r\n"
        try socket.write(Bytes(text: request) + body)
        var (first, fields) = try socket.head()
        while first.split(separator: " ").dropFirst().first == "100" { (first, fields) = try socket.head() }
        guard let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { throw .reset }
        guard method != "HEAD", status != 304, status != 204 else {
            self.socket = socket
            return Exchange(status: status, fields: fields, body: [], count: 0, isWhole: true)
        }
        var kept = Bytes()
        let (count, isWhole) = try socket.body(fields) { bytes, place in
            if kept.count < 4096 { kept += bytes.prefix(4096 - kept.count) }
            return take(status, fields, bytes, place)
        }
        if isWhole, fields.first(.connection) != "close" { self.socket = socket }
        return Exchange(status: status, fields: fields, body: kept, count: count, isWhole: isWhole)
    }

    private func connection() throws(SoakSocket.Ending) -> SoakSocket {
        if let socket, socketProcess == place.process { return socket }
        socketProcess = place.process
        guard let descriptor = try? ProbeClient.connect(port: place.port, patience: Self.patience) else { throw .reset }
        return SoakSocket(descriptor)
    }
    private var socketProcess = 0

    /// Whether the harness has ended the asked process meanwhile.
    var wasRestarted: Bool { state.place != place }

    func failed(_ ending: SoakSocket.Ending, _ provider: SoakProvider?, _ request: String) {
        socket = nil
        if wasRestarted { return state.count(.cutExplained) }
        if ending != .timeout, let provider, state.isExplained(provider) { return state.count(.cutExplained) }
        state.report(
            .request(request), ending == .timeout ? "no byte in \(Self.patience) s" : "the connection ended: \(ending)")
    }

    /// Judges an answer that is not the resource's own.
    private func refused(_ exchange: Exchange, _ provider: SoakProvider, _ request: String) {
        if exchange.status >= 500, wasRestarted || state.isExplained(provider) { return state.count(.errorsExplained) }
        state.report(.request(request), "status \(exchange.status): \(exchange.body.lossyText.prefix(300))")
    }

    private func write(_ method: String, _ resource: SoakResource, _ size: Int) {
        let nonce = state.nextUpload()
        let size = method == "DELETE" ? 0 : size
        let bytes = SoakBody(upload: nonce).bytes(from: 0, count: size)
        let request = "\(method) \(resource.target)"
        do throws(SoakSocket.Ending) {
            let length = method == "DELETE" ? "" : "Content-Length: \(size)\r\n"
            let exchange = try ask(
                method, resource.target, fields: "\(length)X-Soak-Upload: \(nonce) \(size)\r\n", body: bytes
            ) { _, _, _, _ in true }
            guard exchange.status == 200, let version = exchange.fields.first("X-Soak-Version").flatMap({ Int($0) })
            else {
                return refused(exchange, resource.provider, request)
            }
            state.acknowledge(resource, version: version, by: request)
            state.count(.changes)
        } catch {
            failed(error, resource.provider, request)
        }
    }

    private func purge(_ resources: [SoakResource], _ query: String, _ isSoft: Bool) {
        // A soft purge keeps entries to cover an outage, so it promises nothing about the bytes of later answers.
        let raised = resources.map { ($0, state.raise($0)) }
        let target = "/v1/cache?\(query)\(isSoft ? "&soft=1" : "")"
        let request = "DELETE \(target)"
        do throws(SoakSocket.Ending) {
            let exchange = try ask("DELETE", target, fields: "Authorization: Bearer \(Self.token)\r\n") { _, _, _, _ in
                true
            }
            if exchange.status == 503, state.isDiskShort { return state.count(.refusedPurges) }
            guard exchange.status == 200 else {
                if exchange.status == 503, wasRestarted { return }
                return state.report(
                    .request(request), "status \(exchange.status): \(exchange.body.lossyText.prefix(300))")
            }
            if isSoft { return state.count(.softPurges) }
            for (resource, version) in raised { state.acknowledge(resource, version: version, by: request) }
            state.count(.purges)
        } catch {
            failed(error, nil, request)
        }
    }

    /// Whether the origin's own answer arrives.
    func isAnswered(_ resource: SoakResource) -> Bool {
        place = state.place
        let exchange = try? ask("GET", resource.target) { _, _, _, _ in true }
        return exchange?.fields.first("X-Soak-Version") != nil
    }

    private func look(_ path: String) {
        do throws(SoakSocket.Ending) {
            let exchange = try ask("GET", path) { _, _, _, _ in true }
            state.count(.ownPages)
            if exchange.status != 200, !wasRestarted {
                state.report(
                    .request("GET \(path)"), "status \(exchange.status): \(exchange.body.lossyText.prefix(300))")
            }
        } catch {
            failed(error, nil, "GET \(path)")
        }
    }
}

// Requests to the provider that fails at every other request.
extension SoakClient {
    /// Requests one URL. An answer of 200 must have the whole body; each other status is explained.
    func flap(_ number: Int) {
        place = state.place
        guard place.isUp else { return SoakThread.sleep(milliseconds: 20) }
        let request = "GET /raw/\(SoakFlapper.provider)/\(number)"
        do throws(SoakSocket.Ending) {
            let exchange = try ask("GET", "/raw/\(SoakFlapper.provider)/\(number)") { _, _, _, _ in true }
            state.count(.flaps)
            if exchange.status == 200, exchange.body != SoakFlapper.body {
                state.report(.request(request), "wrong bytes", same: "flap")
            } else if exchange.status != 200, exchange.status < 500 {
                state.report(.request(request), "status \(exchange.status)", same: "flap")
            }
        } catch {
            failed(error, nil, request)
        }
    }
}

// Requests for a resource.
extension SoakClient {
    private func get(_ resource: SoakResource, _ language: String, _ manner: SoakStep.Manner) {
        let least = state.least(resource)
        var fields = "Accept-Language: \(language)\r\n"
        var first = 0
        var wanted = resource.size
        let seenKey = "\(resource.target) \(resource.kind == .vary ? language : "")"
        switch manner {
        case .validated: fields += "Cache-Control: no-cache\r\n"
        case .range(let from, let to):
            fields += "Range: bytes=\(from)-\(to)\r\n"
            (first, wanted) = (from, to - from + 1)
        case .changed: if let tag = seen[seenKey] { fields += "If-None-Match: \(tag)\r\n" }
        default: break
        }
        let method = manner == .head ? "HEAD" : "GET"
        let request = "\(method) \(resource.target) (\(language), \(manner))"
        var wrong: String?
        do throws(SoakSocket.Ending) {
            let exchange = try ask(method, resource.target, fields: fields) { status, fields, bytes, place in
                guard let version = fields.first("X-Soak-Version").flatMap({ Int($0) }) else { return true }
                let offset = status == 206 ? first : 0
                let body = SoakBody(resource, language: language, version: version)
                if let at = body.firstWrong(bytes, at: offset + place) {
                    wrong = "version \(version): byte \(at) is wrong"
                }
                if place + bytes.count > (status == 206 ? wanted : resource.size) {
                    wrong = "more bytes than there are"
                }
                pace(manner, bytes.count, place)
                if case .leave(let after) = manner, place + bytes.count >= after { return false }
                return wrong == nil
            }
            if let wrong { return state.report(.request(request), wrong + "; \(cacheStatus(exchange))") }
            judge(exchange, resource, language, manner, least: least, request)
            if exchange.status == 200, exchange.isWhole { seen[seenKey] = exchange.fields.first(.etag) }
        } catch {
            if let wrong { return state.report(.request(request), wrong) }
            failed(error, resource.provider, request)
        }
    }

    private func cacheStatus(_ exchange: Exchange) -> String {
        exchange.fields.combined(.cacheStatus) ?? "no Cache-Status"
    }

    private func pace(_ manner: SoakStep.Manner, _ count: Int, _ place: Int) {
        guard case .slow(let rate) = manner, place < rate * 3 else { return }
        SoakThread.sleep(milliseconds: min(1000, count * 1000 / rate))
    }

    private func judge(
        _ exchange: Exchange, _ resource: SoakResource, _ language: String, _ manner: SoakStep.Manner, least: Int,
        _ request: String
    ) {
        let how = cacheStatus(exchange)
        guard let version = exchange.fields.first("X-Soak-Version").flatMap({ Int($0) }) else {
            return refused(exchange, resource.provider, request)
        }
        switch state.judge(resource, version: version, least: least) {
        case .allowed: break
        case .stale(let least):
            let cause = state.cause(resource)
            return state.report(
                .request(request), "version \(version) came, though \(least) was acknowledged by \(cause); \(how)",
                same: "stale \(resource.target) \(least)")
        case .unknown(let current):
            return state.report(.request(request), "version \(version), where the origin is at \(current); \(how)")
        }
        let isPartial: Bool = if case .range = manner { true } else { false }
        let told = resource.status(version: version)
        switch exchange.status {
        case told: break
        case 206 where isPartial && told == 200: state.count(.ranges)
        case 304 where manner == .changed: return state.count(.notModified)
        default:
            return state.report(.request(request), "status \(exchange.status), version \(version) has \(told); \(how)")
        }
        tally(exchange, how)
        if manner == .head { return state.count(.heads) }
        if case .leave = manner, !exchange.isWhole {
            return state.count(.left)
        }
        if case .slow = manner { state.count(.slow) }
        let size: Int =
            if case .range(let from, let to) = manner, exchange.status == 206 { to - from + 1 } else { resource.size }
        if exchange.count != size {
            state.report(.request(request), "\(exchange.count) of \(size) bytes in a whole answer; \(how)")
        }
    }

    private func tally(_ exchange: Exchange, _ how: String) {
        state.count(.answers)
        state.count(.bytes, exchange.count)
        if exchange.status == 404 { state.count(.absences) }
        if how.contains("hit") {
            state.count(how.contains("ttl=-") ? .stale : .hits)
        } else {
            state.count(how.contains("fwd-status=304") ? .revalidated : .misses)
        }
    }
}
