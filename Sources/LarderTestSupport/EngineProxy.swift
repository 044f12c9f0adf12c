// A proxy between a daemon and its engine that fails as a test demands: it refuses, stalls, cuts a reply, loses
// replies, or sends false ones.
import CLinux
import Glibc
import LarderCore

/// A proxy in front of an engine's Unix socket, on a port that the kernel chose.
public final class EngineProxy: Sendable {
    public enum Mood: Sendable {
        case pass
        /// Every connection is closed at once, including open ones.
        case refuse
        /// Connections are accepted, and nothing is answered.
        case stall
        /// Every reply is cut after this many bytes, and the connection is closed.
        case cut(Int)
        /// Connections stay open, and every reply is lost.
        case drop
        /// Replies are sent byte by byte, each with its own `send`.
        case drip
        /// Every command is answered with these bytes.
        case say(String)
    }

    public let port: UInt16
    /// The value for `shared.url`.
    public var url: String { "redis://127.0.0.1:\(port)" }
    private let listener: Int32
    private let engine: String
    private struct State {
        var mood = Mood.pass
        var isStopped = false
        var threads: [SystemThread] = []
        var connections = 0
        var received = 0
    }
    private let state = Lock(State())

    /// - Parameter engine: the path of the engine's socket.
    public init(to engine: String) {
        self.engine = engine
        (listener, port) = listenOnLoopback()
        let thread = startThread { [self] in acceptAll() }
        state.withLock { $0.threads.append(thread) }
    }

    /// Sets the behaviour from now on.
    public func set(_ mood: Mood) { state.withLock { $0.mood = mood } }

    /// The number of connections so far.
    public var connections: Int { state.withLock { $0.connections } }

    /// The number of bytes received for the engine so far, including bytes that were not passed on.
    public var received: Int { state.withLock { $0.received } }

    /// Ends every connection and thread.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        // The number of the listener may belong to another file by now.
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        while let thread = state.withLock({ $0.threads.popLast() }) { thread.join() }
        close(listener)
    }

    private func acceptAll() {
        while true {
            let descriptor = larder_accept4(listener, nil, nil)
            guard descriptor >= 0 else {
                // Other errors pass: a connection that its client has already reset, or too many open files.
                if state.withLock({ $0.isStopped }) { return }
                poll(nil, 0, 5)
                continue
            }
            let goesOn = state.withLock { state -> Bool in
                state.connections += 1
                return !state.isStopped
            }
            guard goesOn else {
                close(descriptor)
                return
            }
            let thread = startThread { [self] in serve(descriptor) }
            state.withLock { $0.threads.append(thread) }
        }
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        guard let server = connect() else { return }
        defer { close(server) }
        var buffer = Bytes(repeating: 0, count: 64 << 10)
        while true {
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            poll(&ends, 2, 5)
            let asked = ends[0].revents == 0 ? nil : receive(client, &buffer)
            let replied = ends[1].revents == 0 ? nil : receive(server, &buffer)
            // The mood is read after the bytes. So bytes that arrive after a mood was set are handled by that mood or a
            // later one.
            let (mood, isStopped) = state.withLock { ($0.mood, $0.isStopped) }
            if isStopped { return }
            if case .refuse = mood { return }
            if let asked {
                guard !asked.isEmpty else { return }
                state.withLock { $0.received += asked.count }
                guard take(asked, client, server, mood) else { return }
            }
            if let replied {
                guard !replied.isEmpty, give(replied, client, mood) else { return }
            }
        }
    }

    /// Reads the available bytes; empty if the other end has closed the connection.
    private func receive(_ descriptor: Int32, _ buffer: inout Bytes) -> ArraySlice<UInt8> {
        buffer[..<max(0, recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)))]
    }

    private func take(_ bytes: ArraySlice<UInt8>, _ client: Int32, _ server: Int32, _ mood: Mood) -> Bool {
        switch mood {
        case .stall, .refuse: return true
        case .say(let text):
            let starts = bytes.indices.filter { bytes[$0] == 0x2A && ($0 == bytes.startIndex || bytes[$0 - 1] == 0x0A) }
            return starts.allSatisfy { _ in write(Array(text.utf8)[...], client) }
        case .pass, .cut, .drop, .drip: return write(bytes, server)
        }
    }

    private func give(_ bytes: ArraySlice<UInt8>, _ client: Int32, _ mood: Mood) -> Bool {
        switch mood {
        case .stall, .refuse, .say, .drop: return true
        case .pass: return write(bytes, client)
        case .drip: return bytes.indices.allSatisfy { write(bytes[$0...$0], client) }
        case .cut(let count):
            _ = write(bytes.prefix(count), client)
            return false
        }
    }

    private func connect() -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(engine.utf8).prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private func write(_ bytes: ArraySlice<UInt8>, _ descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EAGAIN || errno == EINTR {
                // An accepted socket is non-blocking. A full buffer is not the end of the connection: its reader may be
                // slow. The wait is short, so that `stop` never waits for a peer that does not read.
                if state.withLock({ $0.isStopped }) { return false }
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, 5)
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
