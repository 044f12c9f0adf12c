// One end of a connection, of a client or of the origin, over a blocking socket. Bytes are sent unchanged and messages
// are parsed on receipt. Every wait has a limit, so that a failing clause ends.
import Glibc
import LarderCore
import LarderTestSupport

/// The other end closed the connection, or nothing arrived in time.
struct WireEnd: Error {
    var wasReset = false
    /// Whether nothing arrived or could be sent within `patience`.
    var wasLate = false
}

/// Unchecked `Sendable`: only one thread at a time reads. Calls from other threads (`send`, `wake`) touch no state of
/// the reader.
final class Wire: @unchecked Sendable {
    private let descriptor: Int32
    private var pending = Bytes()
    /// Held while the descriptor is closed or woken, since its number may be reused afterwards.
    private let isOpen = Lock(true)
    /// How the current body ends.
    private var framing = Framing.none
    /// For the origin: the current request, and the function that records it.
    var given: WireMessage?
    var record: @Sendable (WireMessage) -> Void = { _ in }

    private enum Framing {
        case none
        case length(Int)
        case chunked
        case untilEnd
    }

    /// The limit of every wait, in seconds. Only a hanging clause reaches it; it is far above what a busy machine
    /// needs.
    static let patience = 60

    init(accepted descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects a client to an address such as "127.0.0.1:8080".
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

    /// Closes the sending direction.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes normally: the bytes sent arrive before the end.
    func finish() throws {
        finishSending()
        try readToEnd()
        throw WireEnd()
    }

    /// Closes with a reset.
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

    /// Wakes a thread that waits in a read. Called from another thread.
    func wake() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

    // MARK: In

    /// The next head, which may be that of an interim response.
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

    /// The next final response. Interim responses are skipped. A truncated response has the part of the body that
    /// arrived.
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

    /// At least this many bytes of the body.
    func receiveBody(_ head: WireMessage, atLeast count: Int) throws -> Bytes {
        begin(head, "GET")
        var body = Bytes()
        while body.count < count {
            guard let piece = try piece() else { throw WireEnd() }
            body += piece
        }
        return body
    }

    /// The rest of the body after the bytes from `receiveBody`.
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

    /// All bytes until the other end closes.
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

    /// After the close, the descriptor number may belong to another connection, whose bytes must not be read.
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

/// The origin's side: reading requests.
extension Wire {
    /// The head of the current request.
    func readHead() throws -> WireMessage {
        guard let given else { throw WireEnd() }
        return given
    }

    /// The whole current request.
    func readRequest() throws -> WireMessage {
        var request = try readHead()
        request.body = try readBody(request)
        request.isWhole = true
        return request
    }

    /// The body of the current request. The result is recorded.
    @discardableResult
    func readBody(_ head: WireMessage) throws -> Bytes { try readRest(of: head, after: readSome(of: head)) }

    /// The first piece of the body; empty if there is no body.
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
