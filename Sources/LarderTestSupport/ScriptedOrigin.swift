// An origin that sends exactly the bytes of a script, over blocking sockets on its own threads. So it can send what a
// correct server never sends. It uses no part of the server under test.
import CLinux
import Glibc
import LarderCore

/// A request, as received.
public struct SeenRequest: Sendable {
    /// The number of its connection, counted from 0 in the order of accepting.
    public var connection: Int
    public var head: String
    public var body: Bytes

    public var method: String { String(head.prefix { $0 != " " }) }
    public var target: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    /// The value of a field; nil if it was not sent.
    public func field(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, ASCII.equalFolded(String(parts[0]), name) {
                return String(ASCII.trimmed(parts[1][...]))
            }
        }
        return nil
    }
}

/// An action of the origin on a connection after a request.
public enum Act: Sendable {
    case send(String)
    case sendBytes(Bytes)
    /// Sends the same piece again and again until the peer closes the connection.
    case flood(Bytes)
    /// Waits until the peer closes the connection, then continues.
    case hold
    /// Calls the test when this point is reached.
    case call(@Sendable () -> Void)
    /// Waits until the gate is opened.
    case await(Gate)
    /// Waits for this time, as a slow origin does.
    case take(Duration)
    case close
    /// Ends the connection with a reset.
    case reset
}

public final class ScriptedOrigin: Sendable {
    /// Keeps the port reserved after `stop`, so that the port refuses connections.
    private let place = LoopbackPort()
    private let listener: Int32
    private let greeting: String
    private let script: @Sendable (SeenRequest) -> [Act]
    private struct State {
        var requests: [SeenRequest] = []
        var connections: [Int32] = []
        var threads: [SystemThread] = []
        var stopped = false
    }
    private let state = Lock(State())
    /// Opened by `stop`, so no thread waits for a gate after a test has ended early.
    private let ending = Gate()

    /// Answers each request as the script says. After the acts, the next request on the connection is read.
    /// - Parameter greeting: sent on each connection before any request.
    public init(greeting: String = "", _ script: @escaping @Sendable (SeenRequest) -> [Act]) {
        listener = place.listen()
        self.script = script
        self.greeting = greeting
        spawn { $0.acceptAll() }
    }

    /// Answers every request with the same bytes.
    public convenience init(answering bytes: String) {
        self.init { _ in [.send(bytes)] }
    }

    public var port: UInt16 { place.number }
    public var base: String { "http://127.0.0.1:\(port)" }
    public var requests: [SeenRequest] { state.withLock { $0.requests } }
    public var connections: Int { state.withLock { $0.connections.count } }

    /// Ends every connection and thread. A test may stop an origin before its end, where it is stopped again.
    public func stop() {
        // Set first, because `acceptAll` ends only if it sees this.
        let isFirst = state.withLock { state in
            defer { state.stopped = true }
            return !state.stopped
        }
        // The number of the listener may belong to another file by now.
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        ending.open()
        while true {
            let threads = state.withLock { state in
                defer { state.threads = [] }
                // Under the lock, because a number that its thread has closed may belong to another descriptor by now.
                for descriptor in state.connections where descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
                return state.threads
            }
            if threads.isEmpty { break }
            for thread in threads { thread.join() }
        }
        close(listener)
    }

    private func spawn(_ body: @escaping @Sendable (ScriptedOrigin) -> Void) {
        let made = startThread { body(self) }
        state.withLock { $0.threads.append(made) }
    }

    private func acceptAll() {
        while true {
            // Close-on-exec: otherwise a program that another test starts would keep the connection open. The
            // descriptor is made blocking below.
            let descriptor = larder_accept4(listener, nil, nil)
            guard descriptor >= 0 else {
                // Other errors pass: a connection that its client has already reset, or too many open files.
                if state.withLock({ $0.stopped }) { return }
                poll(nil, 0, 5)
                continue
            }
            _ = fcntl(descriptor, F_SETFL, 0)
            let number: Int? = state.withLock { state in
                if state.stopped { return nil }
                state.connections.append(descriptor)
                return state.connections.count - 1
            }
            guard let number else {
                close(descriptor)
                return
            }
            spawn { $0.serve(descriptor, number) }
        }
    }

    private func serve(_ descriptor: Int32, _ number: Int) {
        var pending = Bytes()
        _ = write(Bytes(greeting.utf8), descriptor)
        while let request = readRequest(descriptor, number, &pending) {
            // The script is called before the request is listed. So when a request is in the list, its script call is
            // complete.
            let acts = script(request)
            state.withLock { $0.requests.append(request) }
            guard perform(acts, descriptor) else { break }
        }
        state.withLock {
            $0.connections[number] = -1
            close(descriptor)
        }
    }

    /// Performs the acts. Returns whether the connection continues.
    private func perform(_ acts: [Act], _ descriptor: Int32) -> Bool {
        for act in acts {
            switch act {
            case .send(let text):
                guard write(Bytes(text.utf8), descriptor) else { return false }
            case .sendBytes(let bytes):
                guard write(bytes, descriptor) else { return false }
            case .flood(let piece):
                while write(piece, descriptor) {}
                return false
            case .hold:
                var byte: Bytes = [0]
                while receive(descriptor, &byte) > 0 {}
            case .call(let body):
                body()
            case .await(let gate):
                guard gate.wait(unless: ending) else { return false }
            case .take(let time):
                // `stop` ends the wait early.
                guard !ending.opens(within: time) else { return false }
            case .close:
                return false
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                return false
            }
        }
        return true
    }

    private func write(_ bytes: Bytes, _ descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Like `recv`, but goes on if a signal interrupts it: that is no end of the connection.
    private func receive(_ descriptor: Int32, _ buffer: inout Bytes) -> Int {
        var count: Int
        repeat { count = recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        return count
    }

    private func readRequest(_ descriptor: Int32, _ number: Int, _ pending: inout Bytes) -> SeenRequest? {
        func more(_ pending: inout Bytes) -> Bool {
            var buffer = Bytes(repeating: 0, count: 16_384)
            let count = receive(descriptor, &buffer)
            guard count > 0 else { return false }
            pending.append(contentsOf: buffer[..<count])
            return true
        }
        let end = Array("\r\n\r\n".utf8)
        var headLength: Int?
        while headLength == nil {
            if pending.count >= 4 {
                headLength = (0...(pending.count - 4)).first { pending[$0..<($0 + 4)].elementsEqual(end) }
            }
            if headLength == nil, !more(&pending) { return nil }
        }
        let length = headLength!
        var request = SeenRequest(connection: number, head: Bytes(pending[..<length]).lossyText, body: [])
        pending.removeFirst(length + 4)
        if request.field("Transfer-Encoding") != nil {
            return readChunks(&request, &pending, more) ? request : nil
        }
        let bodyLength = request.field("Content-Length").flatMap { Int($0) } ?? 0
        while pending.count < bodyLength { if !more(&pending) { return nil } }
        request.body = Bytes(pending[..<bodyLength])
        pending.removeFirst(bodyLength)
        return request
    }
}

extension ScriptedOrigin {
    /// Reads a body in chunks without extensions or trailers. Returns false if it does not arrive completely.
    private func readChunks(_ request: inout SeenRequest, _ pending: inout Bytes, _ more: (inout Bytes) -> Bool) -> Bool
    {
        while true {
            var end: Int?
            while end == nil {
                end = pending.firstIndex(of: 0x0A)
                if end == nil, !more(&pending) { return false }
            }
            guard let end, let size = Int(Bytes(pending[..<max(0, end - 1)]).lossyText, radix: 16) else { return false }
            pending.removeFirst(end + 1)
            while pending.count < size + 2 { if !more(&pending) { return false } }
            request.body += pending[..<size]
            pending.removeFirst(size + 2)
            if size == 0 { return true }
        }
    }
}

/// A complete response with this body.
public func ok(_ body: String, status: String = "200 OK", fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
