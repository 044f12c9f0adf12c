// One blocking connection to the daemon. A command sends one request at a time and does nothing else meanwhile.
import Glibc
import LarderCore
import LarderIO

/// A request to the daemon.
public struct DaemonRequest: Sendable {
    public var method: Method
    /// Path and query, percent-encoded.
    public var target: String
    public var fields: HeaderFields
    /// Sent with any method but GET and HEAD.
    var body: Bytes = []
    /// Whether the request needs the token although it only reads.
    var needsAuthority = false

    public init(_ method: Method = .get, _ target: String, fields: HeaderFields = [:]) {
        self.method = method
        self.target = target
        self.fields = fields
    }
}

/// A connection. It is closed when its value is destroyed.
struct DaemonConnection: ~Copyable {
    let descriptor: Int32
    let address: DaemonAddress

    /// Connects to the first socket address that accepts.
    /// - Throws: a `noDaemon` failure with the system's reason.
    init(to address: DaemonAddress) throws(CommandFailure) {
        var reason = "the name is unknown"
        for candidate in address.socketAddresses() {
            do throws(SystemError) {
                descriptor = try Socket.connect(to: candidate)
                // A reset tells the daemon that a command was interrupted. An end of input alone would not (RFC 9112 §9.6).
                Syscall.resetAtClose(descriptor)
                self.address = address
                return
            } catch {
                reason = "\(error)"
            }
        }
        throw CommandFailure(.noDaemon, "no daemon answers at \(address): \(reason)")
    }

    deinit { Syscall.close(descriptor) }

    /// Sends one request and reads its whole response within the deadline.
    func exchange(_ request: DaemonRequest, within limit: Duration) throws(CommandFailure) -> DaemonResponse {
        try stream(request, until: SystemTime().monotonic() + limit, limit) { _, _ in .whole }
    }

    /// How an arriving body is received.
    enum Taking {
        /// The body is read whole and becomes part of the response.
        case whole
        /// Each piece is passed on as it arrives.
        case pieces
        /// The rest of the body is not wanted.
        case enough
    }

    /// Sends one request and passes the body of the response on piece by piece.
    /// - Parameters:
    ///   - deadline: when the whole response must have arrived; `limit` is the same as a duration, for the error
    ///     message.
    ///   - take: receives the head with an empty piece first, then each piece if it returned `pieces`.
    /// - Returns: the response, without the pieces that were passed on.
    func stream(
        _ request: DaemonRequest, until deadline: MonotonicTime, _ limit: Duration,
        _ take: (_ head: DaemonResponse, _ piece: Bytes) throws(CommandFailure) -> Taking
    ) throws(CommandFailure) -> DaemonResponse {
        try send(
            Self.head(request, authority: address.authority, length: Int64(request.body.count)) + request.body)
        var reader = DaemonResponseReader(isHead: request.method == .head)
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        var taking: Taking?
        while true {
            let whole = try feed(&reader, &chunk, until: deadline, limit)
            if let head = reader.head {
                if taking == nil { taking = try take(head, []) }
                if case .pieces = taking {
                    let piece = reader.takeBody()
                    if !piece.isEmpty { taking = try take(head, piece) }
                }
                if case .enough = taking { return head }
            }
            if var whole {
                if case .pieces = taking { whole.body = [] }
                return whole
            }
        }
    }

    /// Reads from the socket once.
    /// - Returns: the response, if it is now complete.
    /// - Throws: a late `unreachable` failure if the time is over. The daemon exists: it accepted the connection.
    private func feed(
        _ reader: inout DaemonResponseReader, _ chunk: inout Bytes, until deadline: MonotonicTime, _ limit: Duration
    ) throws(CommandFailure) -> DaemonResponse? {
        let rest = deadline - SystemTime().monotonic()
        guard rest > .zero, isReadable(within: rest) else {
            let message = "\(address): no whole answer within \(Units.format(duration: limit))"
            throw CommandFailure(.unreachable, message, isLate: true)
        }
        do throws(MalformedAnswer) {
            switch chunk.withUnsafeMutableBytes({ Syscall.receive(descriptor, into: $0) }) {
            case .bytes(let count): return try reader.feed(chunk.prefix(count))
            case .end: return try reader.end()
            case .wouldBlock: return nil
            case .failed(let code): throw MalformedAnswer(message: "\(SystemError(call: "recv", code: code))")
            }
        } catch {
            throw CommandFailure(.noDaemon, "\(address): \(error.message)")
        }
    }

    /// Whether data arrives within the time limit.
    func isReadable(within limit: Duration) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, Int32(clamping: max(1, limit.milliseconds))) != 0
    }

    func send(_ bytes: Bytes) throws(CommandFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ Syscall.send(descriptor, $0) }) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .failed(let code):
                throw CommandFailure(.noDaemon, "\(address): \(SystemError(call: "send", code: code))")
            case .wouldBlock, .end: throw CommandFailure(.noDaemon, "\(address): the daemon does not read the request")
            }
        }
    }

    static func head(_ request: DaemonRequest, authority: String, length: Int64 = 0) -> Bytes {
        var out = Bytes(text: "\(request.method.name) \(request.target) HTTP/1.1\r\nHost: \(authority)\r\n")
        for field in request.fields {
            out += Bytes(text: "\(field.name): ")
            HeaderField.append(field.value, to: &out)
            out += Bytes(text: "\r\n")
        }
        if request.method != .get, request.method != .head { out += Bytes(text: "Content-Length: \(length)\r\n") }
        return out + Bytes(text: "\r\n")
    }
}
