// One client on the loop: reads a request, has it answered, writes. What the socket does not take is kept, or, of a file,
// sent on later.
import CLinux
import Glibc
import LarderCore
import LarderHTTP
import LarderIO

final class TrialConnection: EventHandler {
    private let server: TrialServer
    private let descriptor: Int32
    private var registration: Registration?
    private let input = UnsafeMutablePointer<UInt8>.allocate(capacity: TrialConnection.room)
    private var have = 0
    private var pending: Bytes = []
    private var sent = 0
    private var file: (descriptor: Int32, offset: off_t, end: off_t)?
    /// An answer is being fetched: what came behind its request waits.
    private var isWaiting = false
    private static let room = 8192

    init(_ descriptor: Int32, _ server: TrialServer) {
        self.descriptor = descriptor
        self.server = server
        registration = try? server.loop.register(descriptor, .readable, handler: self)
    }

    deinit { input.deallocate() }

    private func close() {
        guard let registration else { return }
        server.loop.deregister(registration)
        self.registration = nil
        Syscall.close(descriptor)
    }

    func ready(_ events: ReadyEvents) {
        if events.contains(.writable) {
            guard flush() else { return }
            watch(.readable)
        }
        guard events.contains(.readable) else {
            if !events.contains(.writable) { close() }
            return
        }
        switch Syscall.receive(
            descriptor, into: UnsafeMutableRawBufferPointer(start: input + have, count: Self.room - have))
        {
        case .bytes(let count): have += count
        case .wouldBlock: return
        case .end, .failed: return close()
        }
        consume()
    }

    private func consume() {
        while !isWaiting, have > 0, pending.isEmpty, file == nil {
            var head = RequestHead()
            let buffer = UnsafeBufferPointer(start: UnsafePointer(input), count: have)
            guard server.parser.parse(buffer, into: &head) == .complete else { return }
            let target = UnsafeRawBufferPointer(head.target.bytes(in: buffer))
            // Before the answer: the request's bytes stay where they are until the end of this round.
            isWaiting = server.answer(target, on: self)
            have -= head.byteCount
            if have > 0 { memmove(input, input + head.byteCount, have) }
        }
    }

    /// A fetch has ended: its answer was given to `send`.
    func goOn() {
        isWaiting = false
        consume()
    }

    func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) {
        var left = 0
        if pending.isEmpty {
            switch Syscall.send(descriptor, pieces: pieces) {
            case .bytes(let count): left = count
            case .wouldBlock: break
            case .end, .failed: return close()
            }
        }
        for piece in pieces {
            if left >= piece.count {
                left -= piece.count
                continue
            }
            if pending.isEmpty { watch(.writable) }
            pending.append(contentsOf: piece[left...])
            left = 0
        }
    }

    /// Sends a file's bytes behind what was sent.
    func send(file descriptor: Int32, count: Int) {
        file = (descriptor, 0, off_t(count))
        if pending.isEmpty, !sendFile() { watch(.writable) }
    }

    private func sendFile() -> Bool {
        while var now = file {
            let count = larder_sendfile(descriptor, now.descriptor, &now.offset, Int(now.end - now.offset))
            guard count > 0 else {
                if count != -Int(EAGAIN) { close() }
                return false
            }
            file = now.offset == now.end ? nil : now
        }
        return true
    }

    private func flush() -> Bool {
        while sent < pending.count {
            let result = pending.withUnsafeBytes { bytes in
                Syscall.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            }
            if case .failed = result { close() }
            guard case .bytes(let count) = result else { return false }
            sent += count
        }
        pending.removeAll(keepingCapacity: true)
        sent = 0
        return file == nil || sendFile()
    }

    private func watch(_ interest: Interest) {
        if let registration { try? server.loop.modify(registration, interest) }
    }
}
