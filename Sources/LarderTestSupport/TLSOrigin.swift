// A TLS origin that sends exactly the records it is told to, over blocking sockets on its own threads.
import CLinux
import CSSL
import Glibc
import LarderCore

/// What the origin does after a request.
public enum TLSAct: Sendable {
    /// One record of application data.
    case record(String)
    /// The same, of any bytes.
    case bytes(Bytes)
    /// The first bytes, this many, of a record of application data.
    case part(of: String, Int)
    /// A session ticket (TLS 1.3).
    case ticket
    /// New keys for the origin's direction (TLS 1.3).
    case keyUpdate
    /// The close_notify alert. The connection stays open.
    case closeNotify
    /// Calls the test when everything sent before has reached the peer's socket.
    case call(@Sendable () -> Void)
    /// Waits until the gate is opened, or the origin is stopped.
    case await(Gate)
}

public struct TLSRequest: Sendable {
    /// Numbered from 0 in the order of acceptance.
    public var connection: Int
    public var target: String
}

public final class TLSOrigin: Sendable {
    public let port: UInt16
    private let files: TestCertificate
    private let listener: Int32
    private let version: Int32
    private let script: @Sendable (TLSRequest) -> [TLSAct]
    private struct State {
        var requests: [TLSRequest] = []
        var connections: [Int32] = []
        var threads: [SystemThread] = []
        var gates: [Gate] = []
        var isStopped = false
        /// Whether `stop` was called. A second call would close another's descriptor of the same number.
        var isEnding = false
    }
    private let state = Lock(State())

    /// - Parameters:
    ///   - name: The name in the certificate.
    ///   - version: The only TLS version that the origin speaks; 1.3 if it is nil.
    public init(
        name: String = "localhost", version: Int32? = nil, _ script: @escaping @Sendable (TLSRequest) -> [TLSAct]
    ) throws {
        // OpenSSL writes without MSG_NOSIGNAL, also to a client that gave up the handshake.
        larder_ignore_signal(SIGPIPE)
        files = try TestCertificate(name: name)
        (listener, port) = listenOnLoopback()
        self.version = version ?? TLS1_3_VERSION
        self.script = script
        spawn { $0.acceptAll() }
    }

    public var base: String { "https://localhost:\(port)" }
    /// The file of the only authority that vouches for the origin.
    public var certificate: String { files.certificate }
    public var requests: [TLSRequest] { state.withLock { $0.requests } }

    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        while true {
            let threads = state.withLock { state in
                state.isStopped = true
                defer { state.threads = [] }
                for descriptor in state.connections where descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
                for gate in state.gates { gate.open() }
                return state.threads
            }
            if threads.isEmpty { break }
            for thread in threads { thread.join() }
        }
        close(listener)
    }

    private func spawn(_ body: @escaping @Sendable (TLSOrigin) -> Void) {
        let made = startThread { body(self) }
        state.withLock { $0.threads.append(made) }
    }

    private func acceptAll() {
        while true {
            let descriptor = larder_accept4(listener, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFL, 0)
            // Sent bytes leave before the next act begins, even if earlier bytes were not acknowledged.
            var isOn: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let number: Int? = state.withLock { state in
                if state.isStopped { return nil }
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
        if let wire = TLSWire(descriptor, files, version: version) {
            var isOpen = true
            while isOpen, let target = wire.readTarget() {
                let request = TLSRequest(connection: number, target: target)
                state.withLock { $0.requests.append(request) }
                for act in script(request) where isOpen { isOpen = perform(act, wire) }
            }
            wire.free()
        }
        state.withLock {
            $0.connections[number] = -1
            close(descriptor)
        }
    }

    private func perform(_ act: TLSAct, _ wire: TLSWire) -> Bool {
        switch act {
        case .record(let text): return wire.send(Bytes(text: text))
        case .bytes(let bytes): return wire.send(bytes)
        case .part(let text, let count): return wire.send(Bytes(text: text), first: count)
        case .ticket: return wire.sendTicket()
        case .keyUpdate: return wire.sendKeyUpdate()
        case .closeNotify: return wire.sendCloseNotify()
        case .call(let body):
            guard wire.awaitsDelivery() else { return false }
            body()
            return true
        case .await(let gate):
            let isStopped = state.withLock { state in
                state.gates.append(gate)
                return state.isStopped
            }
            if !isStopped { gate.wait() }
            return !state.withLock { $0.isStopped }
        }
    }
}

/// The server's side of one connection, on one thread. Its output is collected in memory, so a part of it can be sent.
private struct TLSWire {
    private let descriptor: Int32
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let output: OpaquePointer

    init?(_ descriptor: Int32, _ files: TestCertificate, version: Int32) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        guard SSL_CTX_use_certificate_file(context, files.certificate, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1,
            let ssl = SSL_new(context), SSL_set_fd(ssl, descriptor) == 1, SSL_accept(ssl) == 1,
            let output = BIO_new(BIO_s_mem())
        else { return nil }
        SSL_set0_wbio(ssl, output)
        (self.descriptor, self.context, self.ssl, self.output) = (descriptor, context, ssl, output)
    }

    func free() {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// The target of the next request. The request's head is read whole.
    func readTarget() -> String? {
        var head = Bytes()
        while !head.lossyText.hasSuffix("\r\n\r\n") {
            var byte: UInt8 = 0
            guard SSL_read(ssl, &byte, 1) == 1 else { return nil }
            head.append(byte)
        }
        return head.lossyText.split(separator: " ").dropFirst().first.map(String.init)
    }

    func send(_ bytes: Bytes, first count: Int = .max) -> Bool {
        SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count) && flush(first: count)
    }

    func sendTicket() -> Bool { SSL_new_session_ticket(ssl) == 1 && SSL_do_handshake(ssl) == 1 && flush() }

    func sendKeyUpdate() -> Bool {
        SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1 && flush()
    }

    func sendCloseNotify() -> Bool { SSL_shutdown(ssl) >= 0 && flush() }

    /// Waits until the peer's socket holds everything that was sent. False if that never happens.
    func awaitsDelivery() -> Bool { (try? awaitDelivery(of: descriptor)) != nil }

    private func flush(first count: Int = .max) -> Bool {
        var bytes = Bytes(repeating: 0, count: BIO_ctrl_pending(output))
        guard !bytes.isEmpty, BIO_read(output, &bytes, Int32(bytes.count)) == Int32(bytes.count) else { return false }
        bytes = Bytes(bytes.prefix(count))
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
