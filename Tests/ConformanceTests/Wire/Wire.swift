// One end of a connection, client's or origin's, over a blocking socket: bytes out as they are, messages in as they come.
// Every wait is bounded, so that a clause that fails ends.
import Glibc
import LarderCore
import LarderTestSupport

/// The other end ended, or nothing came in time.
struct WireEnd: Error {
    var wasReset = false
    /// Nothing came, or nothing could be sent, for as long as anything is waited for.
    var wasLate = false
}

/// Unchecked `Sendable`: one thread at a time reads; what another sends (`send`, `wake`) touches nothing that is read.
final class Wire: @unchecked Sendable {
    private let descriptor: Int32
    private var pending = Bytes()
    /// Held while the descriptor is closed or woken, since its number may be another's afterwards.
    private let isOpen = Lock(true)
    /// How the body that is being read ends.
    private var framing = Framing.none
    /// The origin's: the request at hand, and where it is written down.
    var given: WireMessage?
    var record: @Sendable (WireMessage) -> Void = { _ in }

    private enum Framing {
        case none
        case length(Int)
        case chunked
        case untilEnd
    }

    /// Seconds. No clause lets it pass; it is there for one that hangs, and far above what a busy machine takes.
    static let patience = 60

    init(accepted descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// A client's connection to "127.0.0.1:8080".
    convenience init(to address: String) throws {
        let port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.init(accepted: descriptor)
        guard result == 0 else { throw WireError("no connection to \(address)") }
    }

    deinit { close() }

    // MARK: Out

    func send(_ text: String) throws { try send(wireBytes(text)) }

    func send(_ bytes: Bytes) throws {
        try checkOpen()
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                throw WireEnd(wasReset: errno == ECONNRESET || errno == EPIPE, wasLate: errno == EAGAIN)
            }
            sent += count
        }
    }

    /// Nothing more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends in order: what was sent arrives, then the end.
    func finish() throws {
        finishSending()
        try readToEnd()
        throw WireEnd()
    }

    /// Ends with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(descriptor) }
            isOpen = false
        }
    }

    /// From another thread: whoever waits in a read is woken.
    func wake() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

    // MARK: In

    /// The next head: an interim answer's too.
    func receiveHead() throws -> WireMessage {
        var searched = 0
        while true {
            var place = max(0, searched - 3)
            while place + 4 <= pending.count {
                if pending[place] == 0x0D, pending[place + 1] == 0x0A, pending[place + 2] == 0x0D,
                    pending[place + 3] == 0x0A
                {
                    let head = WireMessage(head: Bytes(pending[..<(place + 2)]))
                    pending.removeFirst(place + 4)
                    return head
                }
                place += 1
            }
            searched = pending.count
            guard try more() else { throw WireEnd() }
        }
    }

    /// The next answer, whole; interim ones are passed over. One that is cut comes with what came of it.
    func receive(to method: String = "GET") throws -> WireMessage {
        while true {
            let head = try receiveHead()
            if (100..<200).contains(head.status), head.status != 101 { continue }
            return receiveRest(of: head, to: method)
        }
    }

    /// The body that follows a head.
    func receiveRest(of head: WireMessage, to method: String = "GET") -> WireMessage {
        begin(head, method)
        return receiveRest(of: head, after: [])
    }

    /// At least so many bytes of the body.
    func receiveBody(_ head: WireMessage, atLeast count: Int) throws -> Bytes {
        begin(head, "GET")
        var body = Bytes()
        while body.count < count {
            guard let piece = try piece() else { throw WireEnd() }
            body += piece
        }
        return body
    }

    /// All that follows what `receiveBody` brought.
    func receiveRest(of head: WireMessage, after first: Bytes) -> WireMessage {
        var message = head
        message.body = first
        do {
            while let piece = try piece() { message.body += piece }
            message.isWhole = true
        } catch {
            message.isWhole = false
        }
        return message
    }

    /// Everything until the other end ends.
    func receiveRest() throws -> Bytes {
        while try more() {}
        defer { pending = [] }
        return pending
    }

    func readToEnd() throws { _ = try receiveRest() }

    private func begin(_ head: WireMessage, _ method: String) {
        if method == "HEAD" || head.status == 204 || head.status == 304 {
            framing = .none
        } else if head["Transfer-Encoding"]?.lowercased() == "chunked" {
            framing = .chunked
        } else if let length = head["Content-Length"].flatMap({ Int($0) }) {
            framing = .length(length)
        } else {
            framing = .untilEnd
        }
    }

    /// The next piece of the body; nil at its end.
    private func piece() throws -> Bytes? {
        switch framing {
        case .none: return nil
        case .length(let left):
            guard left > 0 else { return nil }
            if pending.isEmpty { guard try more() else { throw WireEnd() } }
            let taken = Bytes(pending.prefix(left))
            pending.removeFirst(taken.count)
            framing = .length(left - taken.count)
            return taken
        case .chunked:
            let line = try line()
            guard !line.isEmpty, line.utf8.allSatisfy({ ASCII.hexValue($0) != nil }), let size = Int(line, radix: 16)
            else { throw WireError("no chunk size: \(line)") }
            guard size > 0 else {
                while try !self.line().isEmpty {}
                framing = .none
                return nil
            }
            while pending.count < size + 2 { guard try more() else { throw WireEnd() } }
            let taken = Bytes(pending.prefix(size))
            guard pending[size] == 0x0D, pending[size + 1] == 0x0A else { throw WireError("a chunk without its end") }
            pending.removeFirst(size + 2)
            return taken
        case .untilEnd:
            if pending.isEmpty { guard try more() else { return nil } }
            defer { pending = [] }
            return pending
        }
    }

    private func line() throws -> String {
        while true {
            if let place = pending.firstIndex(of: 0x0A) {
                let line = wireText(pending[..<place])
                pending.removeFirst(place + 1)
                guard line.unicodeScalars.last == "\r" else { throw WireError("a line without its end") }
                return String(String.UnicodeScalarView(line.unicodeScalars.dropLast()))
            }
            guard try more() else { throw WireEnd() }
        }
    }

    /// Its number may be another's after the close, whose bytes these are not.
    private func checkOpen() throws {
        guard isOpen.withLock({ $0 }) else { throw WireEnd() }
    }

    private func more() throws -> Bool {
        try checkOpen()
        var buffer = Bytes(repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw WireEnd(wasReset: errno == ECONNRESET, wasLate: errno == EAGAIN) }
        pending.append(contentsOf: buffer[..<count])
        return count > 0
    }
}

/// The origin's view: requests.
extension Wire {
    /// The head of the request at hand.
    func readHead() throws -> WireMessage {
        guard let given else { throw WireEnd() }
        return given
    }

    /// The whole request at hand.
    func readRequest() throws -> WireMessage {
        var request = try readHead()
        request.body = try readBody(request)
        request.isWhole = true
        return request
    }

    /// The body of that request; what came of it is written down.
    @discardableResult
    func readBody(_ head: WireMessage) throws -> Bytes { try readRest(of: head, after: readSome(of: head)) }

    /// The first piece of the body; empty where there is none.
    func readSome(of head: WireMessage) throws -> Bytes {
        if head["Transfer-Encoding"]?.lowercased() == "chunked" {
            framing = .chunked
        } else {
            framing = .length(head["Content-Length"].flatMap { Int($0) } ?? 0)
        }
        return try piece() ?? []
    }

    func readRest(of head: WireMessage, after first: Bytes) throws -> Bytes {
        var request = head
        request.body = first
        do {
            while let piece = try piece() { request.body += piece }
            request.isWhole = true
        } catch {
            record(request)
            throw error
        }
        record(request)
        return request.body
    }
}
