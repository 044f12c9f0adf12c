// The fast path: a request that memory answers never becomes a `ServerRequest`. The response is built in the loop's
// output buffer, next to those of the preceding pipelined requests, and all of them leave in one write.
import LarderCore
import LarderHTTP
import LarderIO

extension Connection {
    /// Answers the request from memory, if possible. Every request passes the checks of Host and origin first.
    ///
    /// Transparent: the optimiser inlines the functions of a connection, which call each other in a cycle, in no fixed
    /// order, and a call here costs each hit counts of references (`scripts/check-hot-path`).
    @_transparent
    func answerFromMemory(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard head.flags.isDisjoint(with: .slow), head.methodCode != .other, let source = worker.shared.ready,
            bytes[Int(head.target.start)] == 0x2F, worker.accepts(host: head.host.bytes(in: bytes), on: self),
            head.flags.isDisjoint(with: .browser)
                || allowsOrigin(of: head, bytes, host: head.host.bytes(in: bytes))
        else { return false }
        return answer(head, bytes, head.target.bytes(in: bytes), source, listener.number, listener.scope)
    }

    /// The same for a request in absolute form on a proxy listener, if the verdict on its origin is known.
    @inline(never)
    func answerProxied(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Inside a channel only its own host counts. A browser's request goes by the rules, and a password is looked at
        // each time.
        guard listener.isProxy, !isSecure, inside == nil, head.flags.isDisjoint(with: .slow),
            head.flags.isDisjoint(with: .browser),
            head.methodCode != .other, let source = worker.shared.ready,
            worker.settings.proxyPassword == nil || isUnix,
            HostPolicy.isWellFormed(head.host.bytes(in: bytes)),
            let (origin, path) = worker.origins.find(in: head.target.bytes(in: bytes))
        else { return false }
        return answer(head, bytes, path, source, origin.number, origin.scope)
    }

    // More than six parameters: the request, and where the answers to it are.
    @_transparent
    private func answer(
        _ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, _ target: UnsafeBufferPointer<UInt8>,
        _ source: any ReadySource, _ number: UInt16, _ scope: UInt64
    ) -> Bool {
        let now = worker.loop.now
        let query = ReadyQuery(
            listener: number, scope: scope, loop: Int(worker.loop.index), target: target,
            acceptEncoding: head.acceptEncoding.bytes(in: bytes), now: now)
        guard let response = source.ready(query) else { return false }
        var form = HitForm.whole
        if !head.flags.isDisjoint(with: .selective) {
            form = HitForm.chosen(by: head, bytes, for: response, now: now)
            if form == .undecided { return false }
        }
        let sharing =
            head.flags.isDisjoint(with: .browser) || listener.isProxy
            ? -1 : worker.sharing(with: head.origin.bytes(in: bytes))
        put(response, head, form, sharing: sharing, now: now)
        if worker.settings.accessLog == .all { logHit(response, head, form, bytes) }
        return true
    }

    @inline(__always)
    private func put(
        _ response: ReadyResponse, _ head: RequestHead, _ form: HitForm, sharing: Int, now: WallTime
    ) {
        let output = worker.output
        let closing = machine.answeredAtOnce(head)
        let connection: StaticString? = closing ? "close" : head.minorVersion == 0 ? "keep-alive" : nil
        var (status, start, end): (UInt16, Int, Int) = (200, 0, head.methodCode == .get ? response.length : 0)
        switch form {
        case .whole, .undecided: break
        case .notModified: (status, end) = (304, 0)
        case .part(let from, let to): (status, start, end) = (206, from, to)
        }
        let copies = end - start <= OutputBuffer.copied && response.file == nil
        let front = status == 304 ? response.notModified.count : response.head.count + OutputBuffer.longestPartFields
        var needed = front + OutputBuffer.longestTail + (copies ? end - start : 0)
        if sharing >= 0 { needed += worker.sharedFields[sharing].count }
        if output.room < needed { settleOutput() }
        let age = max(0, (now.milliseconds &- response.bornAt.milliseconds) / 1000)
        let ttl = (response.freshUntil.milliseconds &- now.milliseconds) / 1000
        let id = worker.nextRequest()
        if status == 200, output.room >= needed {
            output.append(response.head)
        } else {
            putOther(response, status, start, end, fits: output.room >= needed)
        }
        if sharing >= 0 { output.append(worker.sharedFields[sharing]) }
        output.appendTail(age: age, ttl: ttl, id: id, connection: connection)
        response.hits.add()
        worker.recent.add(
            HitRecord(
                sequence: id.sequence, answeredAt: now, entry: response.digest, age: UInt32(clamping: age),
                ttl: UInt32(clamping: ttl), status: status, method: head.methodCode,
                isFromStore: response.isFromStore))
        guard end > start else { return }
        if response.file != nil { return sendFile(of: response, start, end) }
        if copies, output.room >= end - start {
            output.append(response.body, start, end)
        } else {
            send(bodyOf: response, start, end)
        }
    }

    /// Writes the front of a response that is not a whole 200, or whose head is larger than the output buffer. A head
    /// that does not fit becomes a piece of its own, behind the pending bytes.
    @inline(never)
    private func putOther(_ response: ReadyResponse, _ status: UInt16, _ start: Int, _ end: Int, fits: Bool) {
        let output = worker.output
        switch status {
        case 304:
            if fits { output.append(response.notModified) } else { pending.append(response.notModified) }
        case 206:
            let fields = (response.partialStart, response.partialEnd)
            if fits {
                output.append(OutputBuffer.partialLine)
                output.append(response.head, fields.0, fields.1)
            } else {
                pending.append(Bytes(text: OutputBuffer.partialLine.description) + response.head[fields.0..<fields.1])
            }
            output.appendPart(start, end, of: response.length)
        default: pending.append(response.head)
        }
    }

    /// Sends the output buffer and a large slice of a body after it in one system call.
    private func send(bodyOf response: ReadyResponse, _ start: Int, _ end: Int) {
        guard pending.isEmpty, !isSecure else {
            settleOutput()
            return pending.append(bodyOf: response, from: start, to: end)
        }
        let front = worker.output.bytes
        let sent = response.body.withUnsafeBytes { body in
            withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 2) { pieces in
                pieces.initializeElement(at: 0, to: front)
                pieces.initializeElement(at: 1, to: UnsafeRawBufferPointer(rebasing: body[start..<end]))
                return Syscall.send(descriptor, pieces: UnsafeBufferPointer(pieces))
            }
        }
        switch sent {
        case .bytes(let count) where count >= front.count:
            worker.sent &+= count
            pending.append(bodyOf: response, from: start + count - front.count, to: end)
            worker.output.clear()
        case .bytes(let count):
            worker.sent &+= count
            pending.append(Bytes(front), from: count)
            worker.output.clear()
            pending.append(bodyOf: response, from: start, to: end)
        case .wouldBlock:
            settleOutput()
            pending.append(bodyOf: response, from: start, to: end)
        case .end, .failed:
            worker.output.clear()
            leave()
        }
    }

    /// Sends the output buffer, and then as much of a body in a file as the socket takes. The file was found in memory
    /// a moment ago.
    @inline(never)
    private func sendFile(of response: ReadyResponse, _ start: Int, _ end: Int) {
        settleOutput(more: true)
        guard machine.phase != .closed else { return }
        guard pending.isEmpty, !isSecure, let file = response.file else {
            return pending.append(bodyOf: response, from: start, to: end)
        }
        switch Syscall.sendFile(descriptor, file.descriptor, from: start, count: end - start) {
        case .bytes(let count):
            worker.sent &+= count
            pending.append(bodyOf: response, from: start + count, to: end)
        case .wouldBlock: pending.append(bodyOf: response, from: start, to: end)
        // The file has become shorter, or the client has left.
        case .end, .failed: leave()
        }
    }

    /// Empties the output buffer to the socket, or appends it to the pending bytes if there are any.
    /// - Parameter more: whether a body follows at once.
    func settleOutput(more: Bool = false) {
        // No reference is counted: the worker holds its buffer as long as it lives.
        Unmanaged.passUnretained(worker.output)._withUnsafeGuaranteedRef { settle($0, more: more) }
    }

    @inline(__always)
    private func settle(_ output: OutputBuffer, more: Bool) {
        guard output.count > 0 else { return }
        defer { output.clear() }
        guard pending.isEmpty, !isSecure else { return pending.append(Bytes(output.bytes)) }
        switch Syscall.send(descriptor, output.bytes, more: more) {
        case .bytes(let count):
            worker.sent &+= count
            if count < output.count { pending.append(Bytes(output.bytes), from: count) }
        case .wouldBlock: pending.append(Bytes(output.bytes))
        case .end, .failed: leave()
        }
    }
}
