// The sockets of the stand-in: one loop, plain HTTP/1.1, one request per connection at a time.
import LarderCore
import LarderHTTP
import LarderIO

typealias OriginHostBox = LoopBound<OriginHost>

/// Accepts connections. Confined to its loop.
final class OriginHost: EventHandler {
    let loop: EventLoop
    let responder: OriginResponder
    private let listener: Int32
    private var registration: Registration?
    private var connections: [ObjectIdentifier: OriginConnection] = [:]

    init(loop: EventLoop, responder: OriginResponder, listener: Int32) {
        self.loop = loop
        self.responder = responder
        self.listener = listener
        // If the registration fails, no request is answered, and every caller notices this at once.
        registration = try? loop.register(listener, .readable, handler: self)
    }

    func ready(_ events: ReadyEvents) {
        for _ in 0..<64 {
            guard case .connection(let descriptor) = Syscall.accept(listener) else { return }
            let connection = OriginConnection(host: self, descriptor: descriptor)
            if connection.open() {
                connections[ObjectIdentifier(connection)] = connection
            } else {
                Syscall.close(descriptor)
            }
        }
    }

    func forget(_ connection: OriginConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    func release(_ prefix: String) {
        for connection in connections.values { connection.release(prefix) }
    }

    func close() {
        if let registration { loop.deregister(registration) }
        registration = nil
        for connection in connections.values { connection.close() }
    }
}

/// One client's connection. Confined to the host's loop.
final class OriginConnection: EventHandler {
    private unowned let host: OriginHost
    private let descriptor: Int32
    private let parser = RequestParser(limits: HeadLimits(target: 32 * 1024, head: 64 * 1024, fields: 200))
    private var registration: Registration?
    private var input: Bytes = []
    private var output: Bytes = []
    private var written = 0
    /// The answer that waits for `release`, and the path it belongs to.
    private var held: (path: String, answer: Bytes)?
    private var isSilent = false
    private var watched: Interest = .readable
    /// The upload whose body is arriving.
    private var upload: UploadInHand?
    private var closesWhenWritten = false
    /// The number of bytes that are still read and discarded before the connection is closed; nil if it is closed at
    /// once.
    private var discards: Int?

    /// The largest request body, in bytes, that is read.
    private static let maxInput = 8 << 20
    /// The number of unwanted bytes after an early answer that are discarded before the connection is closed.
    private static let maxDiscarded = 64 << 20

    init(host: OriginHost, descriptor: Int32) {
        self.host = host
        self.descriptor = descriptor
    }

    func open() -> Bool {
        registration = try? host.loop.register(descriptor, .readable, handler: self)
        return registration != nil
    }

    func close() {
        guard let registration else { return }
        host.loop.deregister(registration)
        self.registration = nil
        endUpload()
        Syscall.close(descriptor)
        host.forget(self)
    }

    func release(_ prefix: String) {
        if let path = upload?.sink.seen.request.path, path.hasPrefix(prefix) {
            upload?.stalls = nil
            return advance()
        }
        guard let held, held.path.hasPrefix(prefix) else { return }
        self.held = nil
        output += held.answer
        advance()
    }

    func ready(_ events: ReadyEvents) {
        if events.contains(.error) { return close() }
        if events.contains(.hangup), upload?.isStalled == true { return close() }
        if !events.isDisjoint(with: [.readable, .hangup]), !receive() { return close() }
        advance()
    }

    /// Reads what the socket has. Returns false at the end of the connection.
    private func receive() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
            while input.count < Self.maxInput {
                let outcome = Syscall.receive(descriptor, into: buffer)
                guard case .bytes(let count) = outcome else { return outcome == .wouldBlock }
                input.append(contentsOf: buffer[..<count])
                // For an upload, no more is buffered than is consumed in one turn.
                let isUpload = upload != nil || discards != nil
                if count < buffer.count || isUpload && input.count >= 1 << 20 { return true }
            }
            return false
        }
    }

    /// Writes pending output and answers received requests until one of the two has to wait.
    private func advance() {
        while registration != nil {
            guard flush() else { return }
            guard held == nil, !isSilent else { return }
            if closesWhenWritten { return discards == nil ? close() : discard() }
            if upload != nil {
                guard takeUpload() else { return }
            } else if let request = nextRequest() {
                answer(request.request, keepsAlive: request.keepsAlive)
            } else if output.isEmpty, upload == nil {
                return
            }
        }
    }

    /// Closes the sending direction, and discards the input until the client closes.
    private func discard() {
        guard let left = discards, left > input.count else { return close() }
        if left == Self.maxDiscarded { Syscall.shutdownWrite(descriptor) }
        discards = left - input.count
        input = []
    }

    /// Returns the next complete request. A malformed request is answered with 400, and the connection is closed.
    private func nextRequest() -> (request: OriginRequest, keepsAlive: Bool)? {
        guard !input.isEmpty else { return nil }
        var head = RequestHead()
        var request: OriginRequest?
        let result = input.withUnsafeBufferPointer { buffer in
            let result = parser.parse(buffer, into: &head)
            if result == .complete {
                let target = HeaderField.text(head.target.bytes(in: buffer))
                let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
                request = OriginRequest(
                    method: Method(HeaderField.text(head.method.bytes(in: buffer))),
                    path: String(parts.first ?? "/"), query: parts.count > 1 ? String(parts[1]) : nil,
                    fields: parser.fields(of: head, in: buffer))
            }
            return result
        }
        guard result != .incomplete else { return nil }
        if result == .complete, let request, request.isUpload, host.responder.tape == nil {
            input.removeFirst(head.byteCount)
            begin(request, head)
            return nil
        }
        guard result == .complete, var request, let length = bodyLength(head) else {
            input = []
            output += Self.encoded(.text(400, "Bad Request"), to: .get, keepsAlive: false)
            closesWhenWritten = true
            return nil
        }
        guard input.count >= head.byteCount + length else { return nil }
        request.body = Bytes(input[head.byteCount..<head.byteCount + length])
        input.removeFirst(head.byteCount + length)
        let keepsAlive = head.minorVersion >= 1 && !head.flags.contains(.close)
        return (request, keepsAlive)
    }

    /// Returns nil if the body is not framed by a length or is too large. No client of the stand-in sends such a body.
    private func bodyLength(_ head: RequestHead) -> Int? {
        switch head.framing {
        case .none: 0
        case .length(let length): length <= Self.maxInput ? length : nil
        case .chunked: nil
        }
    }

    private func answer(_ request: OriginRequest, keepsAlive: Bool) {
        answer(request, host.responder.faults.arrived(request), keepsAlive: keepsAlive) { [host] in
            host.responder.answer(request)
        }
    }

    /// - Parameter usual: makes the answer that is sent if there is no fault.
    private func answer(_ request: OriginRequest, _ fault: Fault?, keepsAlive: Bool, _ usual: () -> OriginAnswer) {
        closesWhenWritten = !keepsAlive
        switch fault {
        case nil:
            output += Self.encoded(usual(), to: request.method, keepsAlive: keepsAlive)
        case .answer(let answer), .early(let answer):
            output += Self.encoded(answer, to: request.method, keepsAlive: keepsAlive)
        case .html(let status):
            let page = "<!DOCTYPE html><html><head><title>Please wait</title></head><body>Checking…</body></html>"
            let answer = OriginAnswer(
                status: status, fields: ["Content-Type": "text/html; charset=utf-8"], body: Bytes(text: page))
            output += Self.encoded(answer, to: request.method, keepsAlive: keepsAlive)
        case .held, .stalled:
            held = (request.path, Self.encoded(usual(), to: request.method, keepsAlive: keepsAlive))
        case .truncated(let count):
            let answer = usual()
            let whole = Self.encoded(answer, to: request.method, keepsAlive: keepsAlive)
            output += whole.prefix(whole.count - max(0, answer.body.count - count))
            closesWhenWritten = true
        case .closed, .cut: closesWhenWritten = true
        case .silent: isSilent = true
        case .raw(let bytes):
            output += bytes
            closesWhenWritten = true
        case .chunked(let size):
            output += Self.chunked(usual(), size: max(1, size), keepsAlive: keepsAlive)
        }
    }

    // MARK: Uploads

    /// An upload whose body is arriving.
    private struct UploadInHand {
        var sink: UploadSink
        var fault: Fault?
        let keepsAlive: Bool
        /// Its index in `SeenUploads`; nil if it is not recorded.
        let number: Int?
        /// The number of body bytes after which reading stops; nil for no stop.
        var stalls: Int?

        var isStalled: Bool { stalls.map { sink.received >= $0 } ?? false }
    }

    private func begin(_ request: OriginRequest, _ head: RequestHead) {
        let keepsAlive = head.minorVersion >= 1 && !head.flags.contains(.close)
        var fault = host.responder.faults.arrived(request)
        if fault == nil, let answer = host.responder.signIn.answer(request) { fault = .early(answer) }
        if fault == nil, !request.isSigned {
            fault = .early(SeenUploads.failure(401, "Authentication required", method: "POST"))
        }
        if case .early(let answer) = fault {
            // The body follows and is not wanted. If the connection were closed meanwhile, the reset could
            // overtake the answer. So only the sending direction is closed until the client closes too.
            discards = Self.maxDiscarded
            output += Self.encoded(answer, to: request.method, keepsAlive: false)
            closesWhenWritten = true
            return
        }
        let length: Int? =
            switch head.framing {
            case .none: 0
            case .length(let length): length
            case .chunked: nil
            }
        let sink = UploadSink(request, length: length)
        var stalls: Int?
        if case .stalled(let count) = fault {
            stalls = count
            fault = nil
        }
        upload = UploadInHand(
            sink: sink, fault: fault, keepsAlive: keepsAlive, number: host.responder.uploads.begin(sink.seen),
            stalls: stalls)
        if head.flags.contains(.expectContinue) { output += ResponseEncoder.continue }
    }

    /// Consumes the received part of an upload's body, and answers the upload when it is complete. Returns false if
    /// more input is needed.
    private func takeUpload() -> Bool {
        guard var taken = upload else { return true }
        let limit = taken.stalls ?? { if case .cut(let count) = taken.fault { count } else { Int.max } }()
        let room = max(0, limit - taken.sink.received)
        let used = input.withUnsafeBufferPointer { buffer in
            room == 0 || buffer.isEmpty || taken.sink.isDone
                ? 0 : taken.sink.take(UnsafeBufferPointer(rebasing: buffer.prefix(room)))
        }
        input.removeFirst(used)
        upload = taken
        if let number = taken.number { host.responder.uploads.note(taken.sink.seen, at: number) }
        if taken.sink.isDone {
            upload = nil
            let seen = taken.sink.seen
            answer(seen.request, taken.fault, keepsAlive: taken.keepsAlive) { [host] in
                host.responder.uploads.answer(seen)
            }
            return true
        }
        if case .cut(let count) = taken.fault, taken.sink.received >= count {
            close()
            return false
        }
        if taken.isStalled { watch([]) }
        return used > 0
    }

    private func endUpload() {
        guard let cut = upload, let number = cut.number else { return }
        upload = nil
        var seen = cut.sink.seen
        seen.wasCutOff = true
        host.responder.uploads.note(seen, at: number)
    }

    /// Writes as much as the socket accepts. Returns true if nothing is left to write and the connection is open.
    private func flush() -> Bool {
        while written < output.count {
            let outcome = output.withUnsafeBytes { Syscall.send(descriptor, .init(rebasing: $0[written...])) }
            switch outcome {
            case .bytes(let count): written += count
            case .wouldBlock:
                watch([.writable])
                return false
            case .end, .failed:
                close()
                return false
            }
        }
        output.removeAll(keepingCapacity: true)
        written = 0
        watch(upload?.isStalled == true ? [] : [.readable])
        return registration != nil
    }

    private func watch(_ interest: Interest) {
        guard interest != watched, let registration else { return }
        watched = interest
        do {
            try host.loop.modify(registration, interest)
        } catch {
            close()
        }
    }

    private static func encoded(_ answer: OriginAnswer, to method: Method, keepsAlive: Bool) -> Bytes {
        // An answer to HEAD tells the length of the body that it leaves out (RFC 9110 §8.6).
        let told = method == .head ? answer.fields.first(.contentLength).flatMap { Int($0) } : nil
        var out = head(answer, length: told ?? answer.body.count, keepsAlive: keepsAlive)
        if method != .head, !ResponseEncoder.forbidsBody(answer.status) { out += answer.body }
        return out
    }

    private static func chunked(_ answer: OriginAnswer, size: Int, keepsAlive: Bool) -> Bytes {
        var out = head(answer, length: nil, keepsAlive: keepsAlive)
        out.removeLast(2)
        out += Bytes(text: "Transfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: answer.body.count, by: size) {
            let piece = answer.body[start..<min(start + size, answer.body.count)]
            out += Bytes(text: String(piece.count, radix: 16) + "\r\n") + piece + Bytes(text: "\r\n")
        }
        return out + Bytes(text: "0\r\n\r\n")
    }

    private static func head(_ answer: OriginAnswer, length: Int?, keepsAlive: Bool) -> Bytes {
        var out = Bytes()
        let length = ResponseEncoder.forbidsBody(answer.status) ? nil : length
        ResponseEncoder.append(ResponseHead(status: answer.status, fields: answer.fields), length: length, to: &out)
        if !keepsAlive { ResponseEncoder.appendField("Connection", "close", to: &out) }
        ResponseEncoder.endHead(&out)
        return out
    }
}
