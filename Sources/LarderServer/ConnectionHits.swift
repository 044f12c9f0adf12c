// The fast way: a request that memory answers never becomes a value. Its answer is put together in the loop's output
// buffer, beside those of the requests before it, and leaves with one write.
import LarderCore
import LarderHTTP
import LarderIO

extension Connection {
    /// Answers a request that memory can answer. The checks of Host and origin come first, for every request.
    @inline(__always)
    func answerFromMemory(_ head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard head.flags.isDisjoint(with: .slow), head.methodCode != .other, let source = worker.shared.ready,
            bytes[Int(head.target.start)] == 0x2F, worker.accepts(host: head.host.bytes(in: bytes)),
            !head.flags.contains(.browser) || allowsOrigin(of: head, bytes)
        else { return false }
        let now = worker.loop.now
        let query = ReadyQuery(
            listener: listener.number, target: head.target.bytes(in: bytes),
            acceptEncoding: head.acceptEncoding.bytes(in: bytes), now: now)
        guard let response = source.ready(query) else { return false }
        put(response, head, now: now)
        if worker.settings.accessLog == .all { logHit(response, head, bytes) }
        return true
    }

    @inline(__always)
    private func put(_ response: ReadyResponse, _ head: RequestHead, now: WallTime) {
        let output = worker.output
        let closing = machine.answeredAtOnce(head)
        let connection: StaticString? = closing ? "close" : head.minorVersion == 0 ? "keep-alive" : nil
        let sendsBody = head.methodCode == .get
        let copies = sendsBody && response.body.count <= OutputBuffer.copied
        let needed = response.head.count + OutputBuffer.longestTail + (copies ? response.body.count : 0)
        if output.room < needed { settleOutput() }
        let age = max(0, (now.milliseconds &- response.bornAt.milliseconds) / 1000)
        let ttl = (response.freshUntil.milliseconds &- now.milliseconds) / 1000
        let id = worker.nextRequest()
        if output.room < needed {
            // A head larger than the whole buffer: its own piece, behind what waits.
            pending.append(response.head)
        } else {
            output.append(response.head)
        }
        output.appendTail(age: age, ttl: ttl, id: id, connection: connection)
        response.hits.add()
        guard sendsBody else { return }
        if copies, output.room >= response.body.count {
            output.append(response.body)
        } else {
            send(bodyOf: response)
        }
    }

    /// Sends what is in the output buffer and a large body behind it in one call.
    private func send(bodyOf response: ReadyResponse) {
        guard pending.isEmpty else {
            settleOutput()
            return pending.append(bodyOf: response, from: 0)
        }
        let front = worker.output.bytes
        let sent = response.body.withUnsafeBytes { body in
            withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 2) { pieces in
                pieces.initializeElement(at: 0, to: front)
                pieces.initializeElement(at: 1, to: body)
                return Syscall.send(descriptor, pieces: UnsafeBufferPointer(pieces))
            }
        }
        switch sent {
        case .bytes(let count) where count >= front.count:
            worker.output.clear()
            pending.append(bodyOf: response, from: count - front.count)
        case .bytes(let count):
            pending.append(Bytes(front), from: count)
            worker.output.clear()
            pending.append(bodyOf: response, from: 0)
        case .wouldBlock:
            settleOutput()
            pending.append(bodyOf: response, from: 0)
        case .end, .failed:
            worker.output.clear()
            leave()
        }
    }

    /// Empties the output buffer: to the socket, or behind what already waits for it.
    func settleOutput() {
        let output = worker.output
        guard output.count > 0 else { return }
        defer { output.clear() }
        guard pending.isEmpty else { return pending.append(Bytes(output.bytes)) }
        switch Syscall.send(descriptor, output.bytes) {
        case .bytes(let count) where count == output.count: break
        case .bytes(let count): pending.append(Bytes(output.bytes), from: count)
        case .wouldBlock: pending.append(Bytes(output.bytes))
        case .end, .failed: leave()
        }
    }
}
