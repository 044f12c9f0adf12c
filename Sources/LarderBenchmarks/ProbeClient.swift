// A small blocking HTTP client on one kept connection. It checks that a server answers correctly before the server is
// measured, and times single requests. It is not used as load.
import CLinux
import Glibc
import LarderCore

/// One complete answer.
struct Reply {
    var status: Int
    var fields: HeaderFields
    var body: Bytes
}

/// A connection to a server of this run. Every call has a time-out, five seconds by default.
final class ProbeClient {
    private let socket: Int32
    private var buffer: Bytes = []

    init(port: UInt16, patience seconds: Int = 5) throws(Failure) {
        socket = try Self.connect(port: port, patience: seconds)
    }

    deinit { close(socket) }

    /// Returns a connected socket without Nagle's delay.
    static func connect(port: UInt16, patience seconds: Int = 5) throws(Failure) -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw .failed("socket", systemReason()) }
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let reason = systemReason()
            close(socket)
            throw .failed("connect to 127.0.0.1:\(port)", reason)
        }
        return socket
    }

    /// The same without blocking, and a poller reports what can be read under this number.
    static func connect(port: UInt16, to poller: Int32, as index: Int) throws(Failure) -> Int32 {
        let socket = try connect(port: port)
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        var event = larder_epoll_event(larder_EPOLLIN, UInt64(index))
        guard epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event) == 0 else { throw .failed("epoll", systemReason()) }
        return socket
    }

    /// Reads available bytes once. Returns what is wrong with the connection, or what `take` says of the bytes.
    static func receive(
        _ socket: Int32, most: Int, _ take: (UnsafeBufferPointer<UInt8>) -> String?
    ) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { chunk in
            let got = recv(socket, chunk.baseAddress, chunk.count, 0)
            if got > 0 { return take(UnsafeBufferPointer(rebasing: chunk[..<got])) }
            guard got == 0 || (errno != EAGAIN && errno != EINTR) else { return nil }
            return got == 0 ? "the server closed a connection" : systemReason()
        }
    }

    /// The request that every client of the harness sends; wrk sends the same fields.
    ///
    /// - Parameter fields: further field lines, each with CRLF at its end.
    static func request(_ path: String, port: UInt16, method: String = "GET", fields: String = "") -> Bytes {
        Bytes(text: "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n")
    }

    /// Sends one GET and returns the answer.
    func get(_ path: String, port: UInt16) throws(Failure) -> Reply {
        try ask(Self.request(path, port: port), path, hasBody: true)
    }

    /// Sends a request made by `request` and returns the answer.
    ///
    /// - Parameter hasBody: whether the answer to this method may have a body. A 304 never has one.
    func ask(_ request: Bytes, _ path: String, hasBody: Bool) throws(Failure) -> Reply {
        try send(request)
        return try receiveReply(path, hasBody: hasBody)
    }

    /// Sends a whole request.
    func send(_ request: Bytes) throws(Failure) {
        guard Glibc.send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw .failed("send", systemReason())
        }
    }

    /// Receives the next answer. An answer without `Content-Length` is a failure: no server here sends one for these
    /// bodies.
    func receiveReply(_ path: String, hasBody: Bool) throws(Failure) -> Reply {
        let (status, fields) = try receiveHead(path)
        guard hasBody, status != 304 else { return Reply(status: status, fields: fields, body: []) }
        guard let text = fields.first(.contentLength), let length = Int(text), length >= 0 else {
            throw .failed(path, "status \(status) without Content-Length")
        }
        while buffer.count < length { try receive() }
        let body = Bytes(buffer[..<length])
        buffer.removeFirst(length)
        return Reply(status: status, fields: fields, body: body)
    }

    /// Sends a request and passes on the bytes of the body as they arrive, with the offset of the first of them. Keeps
    /// no bytes.
    ///
    /// - Parameter take: returns false to end the transfer as wrong.
    func stream(
        _ request: Bytes, _ path: String, length: Int, take: (UnsafeBufferPointer<UInt8>, Int) -> Bool
    ) throws(Failure) {
        try send(request)
        let (status, fields) = try receiveHead(path)
        guard status == 200 else { throw .failed(path, "status \(status)") }
        if let told = fields.first(.contentLength), told != "\(length)" { throw .failed(path, "\(told) bytes") }
        var place = buffer.count
        guard buffer.withUnsafeBufferPointer({ take($0, 0) }) else { throw .failed(path, "a wrong byte") }
        buffer.removeAll()
        while place < length {
            let got = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 262_144) { chunk in
                let got = recv(socket, chunk.baseAddress, chunk.count, 0)
                guard got > 0 else { return got }
                return take(UnsafeBufferPointer(rebasing: chunk[..<got]), place) ? got : -2
            }
            if got == -2 { throw .failed(path, "a wrong byte after \(place)") }
            guard got > 0 else {
                throw .failed(path, "\(got == 0 ? "the server closed" : systemReason()) after \(place) bytes")
            }
            place += got
        }
    }

    private func receiveHead(_ path: String) throws(Failure) -> (status: Int, fields: HeaderFields) {
        var headEnd = Self.headEnd(buffer)
        while headEnd == nil {
            try receive()
            headEnd = Self.headEnd(buffer)
        }
        let lines = buffer[..<(headEnd ?? 0)].lossyLines
        buffer.removeFirst(headEnd ?? 0)
        var fields = HeaderFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields.add(String(line[..<colon]), String(ASCII.trimmed(line[line.index(after: colon)...])))
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { throw .failed(path, "no status line") }
        return (status, fields)
    }

    private func receive() throws(Failure) {
        let got = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { chunk in
            let got = recv(socket, chunk.baseAddress, chunk.count, 0)
            if got > 0 { buffer.append(contentsOf: chunk[..<got]) }
            return got
        }
        guard got > 0 else { throw .failed("receive", got == 0 ? "the server closed" : systemReason()) }
    }

    /// The offset after the empty line.
    static func headEnd(_ bytes: Bytes) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { place in
            bytes[place] == 13 && bytes[place + 1] == 10 && bytes[place + 2] == 13 && bytes[place + 3] == 10
        }.map { $0 + 4 }
    }
}

extension ArraySlice<UInt8> {
    /// The text's lines, without the line ends.
    fileprivate var lossyLines: [Substring] {
        String(decoding: self, as: UTF8.self).split(separator: "\r\n")
    }
}
