// The slow path: a request that memory does not answer becomes a `ServerRequest` for the handler. The response is written
// when the handler has made it. Each connection has one request in hand at a time.
import LarderCore
import LarderHTTP
import LarderIO

/// A request from its complete head to the end of its response.
struct RequestInHand {
    var request: ServerRequest
    var framing: BodyFraming
    var decoder = ChunkedDecoder()
    /// How fast the client sends a body that is read whole before the handler starts.
    var pace = TransferPace()
    /// Cancels the work for the response: the handler's, or the reading of a streamed body.
    var cancel: (@Sendable () -> Void)?
    /// The number of interim responses already sent.
    var interimSent = 0
    var began: MonotonicTime
    /// Whether the response must say `Connection: keep-alive`, because an HTTP/1.0 client does not assume it.
    var persistsBySaying: Bool
}

extension Connection {
    /// Takes a request whose head is complete. Refuses it, starts its handler, or begins to read its body.
    func hand(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) {
        let target = head.target.bytes(in: bytes)
        guard RequestTarget.isWellFormed(target) else { return refuse(.badTarget) }
        let method = method(head, bytes)
        if isSecure, let secure { return handInside(secure.target, head, method, bytes) }
        if listener.isProxy { return handToProxy(head, method, bytes) }
        // CONNECT asks for a tunnel to another host, and its target has no path (RFC 9112 §3.2.3).
        if method.name == "CONNECT" {
            worker.shared.cells.forwardProxy.add()
            return refuse(.notAProxy(status: 501))
        }
        guard let parts = TargetParts(target) else { return refuse(.badTarget) }
        if isUnix, parts.authority != nil, isRun(head, bytes) { return handFromRun(head, parts, method, bytes) }
        guard allowsHost(head, parts, bytes) else { return refuseHost(head, parts, bytes) }
        let isFromPage = !head.flags.isDisjoint(with: .browser)
        guard !isFromPage || allowsOrigin(of: head, bytes, authority: parts.authority) else {
            worker.shared.cells.crossSite.add()
            return refuse(.crossSite)
        }
        take(head, bytes, request(head, method, parts, bytes))
    }

    /// The request whose head is complete, without its body.
    func request(
        _ head: RequestHead, _ method: Method, _ parts: TargetParts, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> ServerRequest {
        var fields = worker.parser.fields(of: head, in: bytes)
        if let authority = parts.authority { fields.set(.host, HeaderField.text(authority)) }
        return ServerRequest(
            id: worker.nextRequest(), method: method, target: Bytes(head.target.bytes(in: bytes)), path: parts.path,
            query: parts.query, fields: fields, listener: listener.number,
            listenerProvider: listener.provider, peer: peer, receivedAt: worker.loop.now,
            isVersion10: head.minorVersion == 0)
    }

    /// Notes the request in hand.
    func keep(_ request: ServerRequest, _ head: RequestHead) {
        inHand = RequestInHand(
            request: request, framing: head.framing, began: worker.shared.time.monotonic(),
            persistsBySaying: head.minorVersion == 0 && head.persists)
    }

    /// Starts the handler of a request that passed all checks, or begins to read its body.
    func take(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, _ request: ServerRequest) {
        let method = request.method
        let begin = machine.began(
            head, maxBody: worker.settings.limits.maxBody,
            streamsBody: head.flags.contains(.body)
                && worker.shared.handler.takesStream(
                    method: method, path: request.path, listenerProvider: request.listenerProvider)
        )
        if case .refuse(let fault) = begin { return refuse(fault) }
        keep(request, head)
        // A request to change something is sent whatever becomes of its client.
        if method.isSafe { inHand?.request.halfClose = HalfClose() }
        switch begin {
        case .answer: dispatch()
        case .answerWhileReading:
            beginUpload(head)
            dispatch()
        case .readBody(let sendsContinue):
            inHand?.pace.note(isWanted: true, at: worker.loop.monotonic)
            guard sendsContinue else { return }
            settleOutput()
            pending.append(ResponseEncoder.continue)
        case .refuse: break
        }
    }

    private func method(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) -> Method {
        switch head.methodCode {
        case .get: .get
        case .head: .head
        case .other: Method(String(decoding: head.method.bytes(in: bytes), as: UTF8.self))
        }
    }

    /// Whether the request's host is accepted. The authority of an absolute target replaces Host, which must only be
    /// well-formed then (RFC 9112 §3.2, §3.2.2). An HTTP/1.0 request without Host passes, because no browser sends one.
    /// On a Unix socket every well-formed host passes.
    private func allowsHost(_ head: RequestHead, _ parts: TargetParts, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if let authority = parts.authority, !isAccepted(authority) { return false }
        if head.host.isEmpty, !isUnix { return head.minorVersion == 0 && !head.flags.contains(.host) }
        if parts.authority != nil { return HostPolicy.isWellFormed(head.host.bytes(in: bytes)) }
        return worker.accepts(host: head.host.bytes(in: bytes), on: self)
    }

    private func isAccepted(_ authority: Bytes) -> Bool {
        authority.withUnsafeBufferPointer { worker.accepts(host: $0, on: self) }
    }

    /// Refuses a request because its host is malformed, is another server's, or asks for a forward proxy.
    private func refuseHost(_ head: RequestHead, _ parts: TargetParts, _ bytes: UnsafeBufferPointer<UInt8>) {
        let isAuthority = parts.authority?.withUnsafeBufferPointer { HostPolicy.isWellFormed($0) } ?? true
        guard isAuthority, HostPolicy.isWellFormed(head.host.bytes(in: bytes)) else { return refuse(.badHost) }
        if let authority = parts.authority, !isAccepted(authority) {
            worker.shared.cells.forwardProxy.add()
            return refuse(.notAProxy(status: 421))
        }
        worker.shared.cells.foreignHost.add()
        refuse(.foreignHost)
    }

    /// Whether a request that may come from a browser comes from a page that may make it.
    /// - Parameter authority: the authority of an absolute target. It replaces Host.
    private func allowsOrigin(
        of head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, authority: Bytes?
    ) -> Bool {
        guard let authority else { return allowsOrigin(of: head, bytes, host: head.host.bytes(in: bytes)) }
        return authority.withUnsafeBufferPointer { allowsOrigin(of: head, bytes, host: $0) }
    }

    /// - Parameter host: the host that the request was sent to.
    func allowsOrigin(
        of head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, host: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let request = RequestOrigin(
            host: host, origin: head.origin.bytes(in: bytes),
            fetchSite: head.fetchSite.bytes(in: bytes), fetchMode: head.fetchMode.bytes(in: bytes),
            fetchDest: head.fetchDest.bytes(in: bytes),
            isGet: head.methodCode == .get && !head.flags.contains(.upgrade),
            // What follows a change of protocol may be anything.
            isRead: (head.methodCode != .other || method(head, bytes) == .options) && !head.flags.contains(.upgrade),
            isToProvider: listener.provider != nil, target: head.target.bytes(in: bytes))
        guard worker.settings.crossSite.allows(request) else { return false }
        return !head.flags.contains(.repeatedOrigin) || allowsEveryLine(of: head, bytes, request)
    }

    /// Checks every Origin and Sec-Fetch-Site line when a field is repeated. A browser sends each field once, so an
    /// intermediary may have added the others, and Larder cannot tell which line counts. No line may be foreign.
    private func allowsEveryLine(
        of head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, _ request: RequestOrigin
    ) -> Bool {
        (0..<head.fieldCount).allSatisfy { index in
            let field = worker.parser.field(index)
            let name = HeaderField.text(field.name.bytes(in: bytes))
            var one = request
            if ASCII.equalFolded(name, "Origin") {
                one.origin = field.value.bytes(in: bytes)
            } else if ASCII.equalFolded(name, "Sec-Fetch-Site") {
                one.fetchSite = field.value.bytes(in: bytes)
            }
            return worker.settings.crossSite.allows(one)
        }
    }

    /// Takes the bytes that belong to the body. Returns the number of bytes used.
    func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard var taken = inHand else { return bytes.count }
        // `inHand` is emptied while the body changes. A second reference would copy the body for each piece.
        inHand = nil
        var used = 0
        var isComplete = false
        switch taken.framing {
        case .none: isComplete = true
        case .length(let length):
            used = min(length - taken.request.body.count, bytes.count)
            taken.request.body.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<used]))
            isComplete = taken.request.body.count == length
        case .chunked:
            let limit = worker.settings.limits.maxBody
            let (count, progress) = taken.decoder.decode(bytes, into: &taken.request.body, limit: limit)
            used = count
            if case .fault(let fault) = progress {
                refuse(fault)
                return bytes.count
            }
            isComplete = progress == .done
        }
        taken.pace.note(moved: used, at: worker.loop.monotonic)
        inHand = taken
        if isComplete {
            machine.bodyEnded()
            dispatch()
        }
        return used
    }

    /// Starts the handler.
    func dispatch() {
        if input == .last { noteInputEnd() }
        guard var asked = inHand?.request else { return }
        inHand?.request.body = []
        inHand?.request.upload = nil
        let handler = worker.shared.handler
        let box = box
        let loop = worker.loop
        if !asked.isVersion10 {
            asked.interim = { [id = asked.id] head in loop.post { box.value?.sendInterim(head, of: id) } }
        }
        let request = asked
        inHand?.cancel = handler.begin(request, on: loop) { response in
            guard let connection = box.value, response.upgrade == nil || connection.awaits(request.id) else {
                if let offer = response.upgrade {
                    handler.ended(.notBegun(request, response, to: offer.target, 499))
                }
                return response.body.abandon()
            }
            guard let reader = connection.deliver(response, to: request.id) else { return }
            let task = Task(executorPreference: loop) { await StreamedAnswer.pass(reader, of: request.id, to: box) }
            if box.value?.cancelsStream(request.id, by: task) != true { task.cancel() }
        }
    }

    private func awaits(_ id: RequestID) -> Bool { inHand?.request.id == id && machine.phase == .answering }

    /// Writes the response to the request in hand. A response to any other request is dropped.
    /// - Returns: the reader of the body, if the body must still be streamed.
    private func deliver(_ response: ServerResponse, to id: RequestID) -> (any BodyReader)? {
        if inHand?.request.id == id { takeRestOfUpload() }
        // Reading the rest may have refused the request. The error is the response then.
        if machine.isClosing { run() }
        guard inHand?.request.id == id, machine.phase == .answering else {
            response.body.abandon()
            return nil
        }
        if let offer = response.upgrade {
            begin(offer, response, id)
            return nil
        }
        guard (200..<600).contains(response.status) else {
            worker.shared.log.error("a handler answered without a final status", ["route": response.route.text])
            response.body.abandon()
            let problem = ClientFacingError(
                status: 500, code: "internal",
                detail: "Larder failed to handle this request. This is a defect of Larder.")
            return deliver(ProblemEncoder.response(for: problem, requestID: id), to: id)
        }
        guard let answered = inHand.take() else { return nil }
        if !answered.request.isVersion10 { write(interim: response.interim.dropFirst(answered.interimSent)) }
        worker.shared.cells.answered(response, after: worker.shared.time.monotonic() - answered.began)
        let isHead = answered.request.method == .head
        if case .stream(let reader, let length) = response.body {
            if !isHead, !ResponseEncoder.forbidsBody(response.status) {
                begin(response, reader, length: length, answered)
                return reader
            }
            reader.abandon()
        }
        let closing = machine.answered(closing: response.closesConnection)
        failUpload("The answer came before the body was read.")
        write(
            response, id: id, toHead: isHead, version10: answered.persistsBySaying, closing: closing)
        if worker.settings.accessLog != .off, !isProbe { log(response, answered, bytes: response.body.count) }
        run()
        return nil
    }

    /// Appends a whole response, or the head of a streamed one, to the pending bytes.
    func write(
        _ response: ServerResponse, id: RequestID, toHead: Bool, version10: Bool, closing: Bool,
        isChunked: Bool = false
    ) {
        var head = Bytes()
        head.reserveCapacity(512)
        var fields = response.fields
        // Only this server sets the field; a stored response may carry its origin's.
        let given = worker.settings.keepsRequestIDs ? fields.first(.xRequestID) : nil
        if fields.contains(.xRequestID) { fields.remove(.xRequestID) }
        let length = toHead ? response.contentLength ?? response.body.length : response.body.length
        ResponseEncoder.append(
            ResponseHead(status: response.status, reason: response.reason, fields: fields), length: length,
            to: &head)
        if isChunked { ResponseEncoder.appendField("Transfer-Encoding", "chunked", to: &head) }
        if !response.fields.contains(.date) {
            ResponseEncoder.appendField("Date", worker.dates.text(at: worker.loop.now), to: &head)
        }
        ResponseEncoder.appendField("X-Request-Id", given ?? id.description, to: &head)
        if closing {
            ResponseEncoder.appendField("Connection", "close", to: &head)
        } else if version10 {
            ResponseEncoder.appendField("Connection", "keep-alive", to: &head)
        }
        ResponseEncoder.endHead(&head)
        pending.append(head)
        guard !toHead, !ResponseEncoder.forbidsBody(response.status) else { return }
        switch response.body {
        case .empty: break
        case .bytes(let bytes): pending.append(bytes, keeping: response.hold)
        case .slices(let pieces):
            // The pieces are written in order, so the last one keeps the hold.
            for (place, piece) in pieces.enumerated() {
                pending.append(piece, keeping: place == pieces.count - 1 ? response.hold : nil)
            }
        case .stream: break
        }
    }

    /// Sends an interim response before the final one.
    private func sendInterim(_ head: InterimHead, of id: RequestID) {
        guard inHand?.request.id == id, machine.phase == .answering else { return }
        // The write time-out starts when the first bytes begin to wait.
        if pending.isEmpty { active = worker.loop.monotonic }
        inHand?.interimSent += 1
        write(interim: CollectionOfOne(head))
        run()
    }

    /// Writes the upstream's interim responses (RFC 9110 §15.2). 100 is left out because this connection sends its own,
    /// and 101 because the server does not switch protocols.
    private func write(interim heads: some Sequence<InterimHead>) {
        for interim in heads where (102..<200).contains(interim.status) {
            var head = Bytes()
            ResponseEncoder.append(
                ResponseHead(status: interim.status, fields: interim.fields), length: nil, to: &head)
            ResponseEncoder.endHead(&head)
            pending.append(head)
        }
    }
}
