// A client that sends and receives raw bytes over a blocking socket. It uses nothing of LarderHTTP, so client and
// server cannot share the same misreading of the protocol.
import CLinux
import Glibc
import LarderCore

/// One response, as received.
public struct WireResponse: Sendable, CustomStringConvertible {
    public var statusLine: String
    public var fields: [(name: String, value: String)]
    public var body: Bytes

    public var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a field, joined as a list; nil if the field is absent.
    public subscript(_ name: String) -> String? {
        let values = fields.filter { ASCII.equalFolded($0.name, name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The body as JSON.
    public func json() throws -> JSONValue { try JSON.parse(body) }

    public var description: String {
        statusLine + "\n" + fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") + "\n\n"
            + text.prefix(2000)
    }
}

public struct WireError: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// One connection, used by one thread at a time. Its calls block, so they belong in `onOwnThread`.
///
/// Unchecked `Sendable`: a test passes it from one thread to the next and never uses it on two threads at once.
public final class WireClient: @unchecked Sendable {
    private let descriptor: Int32
    private var pending = Bytes()

    /// - Parameter address: "127.0.0.1:8080" or "unix:/path", as the daemon prints it.
    public init(_ address: String, timeout: Duration = .seconds(300)) throws {
        if address.hasPrefix("unix:") {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let path = Array(address.dropFirst(5).utf8)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
            try Self.connect(descriptor, &name)
        } else {
            guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...])
            else {
                throw WireError("no address: \(address)")
            }
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = inet_addr(String(address[..<colon]))
            try Self.connect(descriptor, &name)
        }
        var limit = timeval(tv_sec: Int(timeout.wholeSeconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    private static func connect<Name>(_ descriptor: Int32, _ name: inout Name) throws {
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
        guard result == 0 else {
            // `deinit` closes the descriptor. If it was closed here too, the second close could hit another descriptor.
            let code = errno
            throw WireError("connect: \(String(cString: strerror(code)))")
        }
    }

    /// Sends the bytes unchanged.
    public func send(_ bytes: Bytes) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw WireError("send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    public func send(_ text: String) throws { try send(Bytes(text: text)) }

    /// Waits until the peer's socket holds everything that was sent, over TCP. `send` may return before that.
    public func awaitDelivery() throws { try LarderTestSupport.awaitDelivery(of: descriptor) }

    /// Makes the end of this client a reset. Over TCP only a reset tells the peer that nobody reads any more.
    public func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Closes the sending side of the connection.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Receives the next response. `toHead` is true for a response to HEAD. Interim (1xx) responses are skipped.
    public func receive(toHead: Bool = false) throws -> WireResponse {
        while true {
            let head = try receiveHead()
            var response = head
            if (100..<200).contains(head.status) { continue }
            let hasBody = !toHead && head.status != 204 && head.status != 304
            if hasBody {
                if let coding = head["Transfer-Encoding"], coding.lowercased().contains("chunked") {
                    response.body = try receiveChunks()
                } else if let length = head["Content-Length"].flatMap({ Int($0) }) {
                    response.body = try take(length)
                } else {
                    response.body = try receiveRest()
                }
            }
            return response
        }
    }

    /// Receives all bytes until the peer closes the connection.
    public func receiveRest() throws -> Bytes {
        while try more() {}
        defer { pending = [] }
        return pending
    }

    /// Whether the peer has closed the connection without sending more bytes.
    public func isClosed() throws -> Bool { try pending.isEmpty && !more() }

    /// Whether unread bytes have arrived or the peer has closed the connection.
    public var hasInput: Bool { hasInput(within: 0) }

    /// The same. Waits at most this many milliseconds for it.
    public func hasInput(within milliseconds: Int32) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !pending.isEmpty || poll(&poller, 1, milliseconds) > 0
    }

    /// Receives only the next head: an interim response, or the beginning of a final response.
    public func receiveHead() throws -> WireResponse {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let place = Self.find(end, in: pending) {
                let lines = String(decoding: pending[..<place], as: UTF8.self).split(
                    separator: "\r\n", omittingEmptySubsequences: false)
                pending.removeFirst(place + 4)
                let fields = lines.dropFirst().map { line -> (name: String, value: String) in
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return (String(parts[0]), parts.count > 1 ? String(ASCII.trimmed(parts[1])) : "")
                }
                return WireResponse(statusLine: String(lines[0]), fields: fields, body: [])
            }
            guard try more() else {
                throw WireError("closed before a whole head: \(String(decoding: pending, as: UTF8.self))")
            }
        }
    }

    /// Receives until this text has arrived. Returns false if the peer closes the connection before that.
    public func receiveRest(upTo text: String) throws -> Bool {
        while Self.find(Bytes(text: text), in: pending) == nil {
            guard try more() else { return false }
        }
        return true
    }

    private func receiveChunks() throws -> Bytes {
        var body = Bytes()
        while true {
            let line = try receiveLine()
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else {
                throw WireError("no chunk size: \(line)")
            }
            if size == 0 {
                while try !receiveLine().isEmpty {}
                return body
            }
            body += try take(size)
            guard try receiveLine().isEmpty else { throw WireError("a chunk without its end") }
        }
    }

    /// Receives the next line, without its line end.
    public func receiveLine() throws -> String {
        while true {
            if let place = Self.find([0x0D, 0x0A], in: pending) {
                let line = String(decoding: pending[..<place], as: UTF8.self)
                pending.removeFirst(place + 2)
                return line
            }
            guard try more() else { throw WireError("closed inside a line") }
        }
    }

    /// Receives this many bytes.
    public func take(_ count: Int) throws -> Bytes {
        pending.reserveCapacity(count)
        while pending.count < count {
            guard try more() else { throw WireError("closed after \(pending.count) of \(count) bytes") }
        }
        let taken = Bytes(pending.prefix(count))
        pending.removeFirst(count)
        return taken
    }

    private func more() throws -> Bool {
        var buffer = Bytes(repeating: 0, count: 65_536)
        var count: Int
        // A signal that this process handles may interrupt the call. That is no answer of the peer.
        repeat { count = recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        if count < 0 {
            if errno == ECONNRESET { return false }
            throw WireError("receive: \(String(cString: strerror(errno)))")
        }
        pending.append(contentsOf: buffer[..<count])
        return count > 0
    }

    private static func find(_ wanted: Bytes, in bytes: Bytes) -> Int? {
        guard bytes.count >= wanted.count else { return nil }
        return (0...(bytes.count - wanted.count)).first { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
