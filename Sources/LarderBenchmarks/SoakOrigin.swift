// The origin of a soak. Each connection has a thread. The origin knows the versions, raises them with each change that
// reaches it, and, if it is the shaky one, fails on purpose.
import CLinux
import Glibc
import LarderCore
import LarderHTTP

final class SoakOrigin: Sendable {
    let port: UInt16
    private let provider: SoakProvider
    private let state: SoakState

    init(_ provider: SoakProvider, _ state: SoakState) throws(Failure) {
        self.provider = provider
        self.state = state
        let listener = try Self.listen()
        port = listener.port
        try SoakThread.start { self.acceptAll(listener.descriptor) }
    }

    /// Listens on a port of loopback that the kernel chooses.
    static func listen() throws(Failure) -> (descriptor: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw .failed("origin", systemReason()) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && Glibc.listen(listener, 512) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else { throw .failed("origin", systemReason()) }
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func acceptAll(_ listener: Int32) {
        while true {
            let descriptor = larder_accept4(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFL, 0)
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            do { try SoakThread.start { self.serve(SoakSocket(descriptor)) } } catch { close(descriptor) }
        }
    }

    private func serve(_ socket: SoakSocket) {
        while let isKept = try? answer(socket), isKept {}
    }

    /// Performs one exchange. Returns whether another may follow.
    private func answer(_ socket: SoakSocket) throws(SoakSocket.Ending) -> Bool {
        let (first, fields) = try socket.head()
        let words = first.split(separator: " ")
        guard words.count == 3, let resource = SoakResource(provider, path: words[1]) else {
            state.report(.request(String(first)), "the origin was asked for what does not exist")
            return false
        }
        let method = String(words[0])
        state.count(.upstreamCalls)
        let fault = provider == .shaky ? state.fault() : nil
        // A change that fails is not made: the reset or the error comes before it, so larder need not invalidate.
        if method != "GET", method != "HEAD" {
            guard try takeUpload(socket, fields, first) else { return false }
            if let fault { return try fail(fault, socket, "", Bytes(), isHead: false) }
            let version = state.raise(resource)
            try socket.write(
                Bytes(text: "HTTP/1.1 200 OK\r\nX-Soak-Version: \(version)\r\nContent-Length: 0\r\n\r\n"))
            return true
        }
        let language = fields.first(.acceptLanguage) ?? ""
        let version = state.current(resource)
        let tag = "\"\(version)-\(resource.kind == .vary ? language : "")\""
        // With a `Date`, everything that larder fetches while its clock is ahead would already be old (RFC 9111
        // §4.2.3).
        let date = ![.brief, .vary].contains(resource.kind) ? "" : "Date: \(HTTPDate.format(SystemTime().wall()))\r\n"
        var head = "\(date)ETag: \(tag)\r\nX-Soak-Version: \(version)\r\n"
        head += "Cache-Control: \(resource.kind.cacheControl)\r\nContent-Type: application/octet-stream\r\n"
        if resource.kind == .vary { head += "Vary: Accept-Language\r\n" }
        let body = SoakBody(resource, language: language, version: version)
        let bytes = method == "HEAD" ? [] : body.bytes(from: 0, count: resource.size)
        if let fault {
            let full = "HTTP/1.1 \(resource.status(version: version)) Soak\r\n\(head)"
            return try fail(fault, socket, full, bytes, isHead: method == "HEAD")
        }
        if fields.first(.ifNoneMatch) == tag, resource.status(version: version) == 200 {
            try socket.write(Bytes(text: "HTTP/1.1 304 Not Modified\r\n\(head)\r\n"))
            return true
        }
        head = "HTTP/1.1 \(resource.status(version: version)) Soak\r\n\(head)Content-Length: \(resource.size)\r\n\r\n"
        try socket.write(Bytes(text: head) + bytes)
        return true
    }

    /// Reads and checks the body that a client uploads.
    private func takeUpload(
        _ socket: SoakSocket, _ fields: HeaderFields, _ request: String
    ) throws(SoakSocket.Ending) -> Bool {
        guard let words = fields.first("X-Soak-Upload")?.split(separator: " "), words.count == 2,
            let nonce = UInt64(words[0]), let length = Int(words[1])
        else {
            state.report(.request(request), "a field of the request did not reach the origin")
            return false
        }
        let expected = SoakBody(upload: nonce)
        var wrong: Int?
        let got = try socket.body(fields) { bytes, place in
            wrong = expected.firstWrong(bytes, at: place)
            return wrong == nil
        }
        if wrong == nil, got.count == length { return true }
        state.report(
            .request(request), "the upload arrived wrong: \(got.count) of \(length) bytes, wrong at \(wrong ?? -1)")
        return false
    }

    private func fail(
        _ fault: SoakFault, _ socket: SoakSocket, _ head: String, _ body: Bytes, isHead: Bool
    ) throws(SoakSocket.Ending) -> Bool {
        let okay = head.isEmpty ? "HTTP/1.1 500 Soak\r\n" : head
        switch fault {
        case .reset: socket.resetOnClose()
        case .cut, .tooLong:
            let length = fault == .cut ? body.count : body.count + 100
            let sent = fault == .cut ? Bytes(body.prefix(body.count / 2)) : body
            try socket.write(Bytes(text: "\(okay)Content-Length: \(max(length, 1))\r\n\r\n") + sent)
        case .serverError, .unavailable:
            let status = fault == .serverError ? "500 Soak" : "503 Soak\r\nRetry-After: 1"
            let page = isHead ? "" : "soak fault"
            try socket.write(Bytes(text: "HTTP/1.1 \(status)\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)"))
            return true
        case .slow:
            SoakThread.sleep(milliseconds: 2000)
            try socket.write(
                Bytes(text: "HTTP/1.1 500 Soak\r\nContent-Length: 0\r\n\r\n"))
            return true
        case .silent: SoakThread.sleep(milliseconds: 3000)
        case .garbage: try socket.write(Bytes(text: "SOAK\r\n\r\n\u{0}\u{1}"))
        case .extra:
            let second = "HTTP/1.1 200 OK\r\nX-Soak-Version: 1\r\nContent-Length: 4\r\n\r\nevil"
            try socket.write(Bytes(text: "\(okay)Content-Length: \(body.count)\r\n\r\n") + body + Bytes(text: second))
        case .badChunk:
            try socket.write(Bytes(text: "\(okay)Transfer-Encoding: chunked\r\n\r\nzz\r\n"))
        }
        return false
    }
}
