// TLS between a client and the proxy, which ends here. The connection's bytes pass through the session in both
// directions; everything above it is as on a plain connection.
import LarderCore
import LarderHTTP
import LarderIO
import LarderTLS

/// Confined to its connection's loop.
final class SecureChannel {
    let session: TLSSession
    /// The host that the client believes to be at the other end.
    let host: ChannelHost
    var target: ProxyTarget { host.target }
    let began: MonotonicTime
    /// The first byte of TLS: that of a record with a message of a handshake (RFC 8446 §5.1).
    static let handshake: UInt8 = 22
    /// Whether a byte has come.
    var hasBegun = false
    /// Whether the session may give plaintext without further input.
    var mayRead = true
    /// Whether the client must take what waits for it before more is read.
    var waitsForClient = false
    /// Ciphertext that is read at a time. With a part of a record before it, it stays below `TLSSession.limit`.
    static let room = 32 << 10

    init(_ session: TLSSession, _ target: ProxyTarget, began: MonotonicTime) {
        self.session = session
        host = ChannelHost(target)
        self.began = began
    }

    /// Whether the handshake is done.
    var isOpen: Bool { session.isHandshakeDone }

    /// Sends the ciphertext that waits, as far as the socket takes it.
    func flush(_ descriptor: Int32) -> Transfer {
        while session.ciphertextCount > 0 {
            switch session.withCiphertext({ Syscall.send(descriptor, $0) }) {
            case .bytes(let count):
                session.drop(count)
                if waitsForClient, session.ciphertextCount == 0 { (waitsForClient, mayRead) = (false, true) }
            case let other: return other
            }
        }
        return .bytes(0)
    }
}

extension Connection {
    /// Whether bytes wait for the socket.
    @inline(__always)
    var hasOutput: Bool { !pending.isEmpty || isSecure && hasCiphertext }

    @inline(never)
    private var hasCiphertext: Bool { (secure?.session.ciphertextCount ?? 0) > 0 }

    /// Whether a read may give bytes.
    @inline(__always)
    var mayReceive: Bool { isSecure ? mayReceiveSecure : input != .none }

    @inline(never)
    private var mayReceiveSecure: Bool {
        guard let secure, !secure.waitsForClient else { return false }
        return input != .none || secure.mayRead
    }

    /// Begins TLS on a connection whose CONNECT was accepted. What the client has sent already belongs to it.
    func beginTLS(_ context: HostContext, _ target: ProxyTarget, _ id: RequestID) {
        guard inHand?.request.id == id, machine.phase == .answering else { return }
        guard let session = TLSSession(context) else { return leave() }
        let first = stash.bytes
        stash = .none
        let https = ProxyTarget(form: .https, host: target.host, port: target.port)
        // Sent in plain: the channel is not there yet.
        guard acceptConnect() else { return leave() }
        if let byte = first.first, byte != SecureChannel.handshake {
            beginPlain(https, first)
            return run()
        }
        let channel = SecureChannel(session, https, began: active)
        channel.hasBegun = !first.isEmpty
        secure = channel
        answer(for: nil)
        guard first.withUnsafeBytes({ session.receive($0) }) == first.count else { return leave() }
        run()
    }

    /// Reads the requests that follow an accepted CONNECT in plain.
    func beginInside(_ target: ProxyTarget, _ id: RequestID) {
        guard inHand?.request.id == id, machine.phase == .answering else { return }
        guard acceptConnect() else { return leave() }
        inside = ChannelHost(ProxyTarget(form: .http, host: target.host, port: target.port))
        answer(for: nil)
        run()
    }

    /// Reads requests in plain in place of TLS: a client may ask so for http at any port.
    private func beginPlain(_ target: ProxyTarget, _ bytes: Bytes) {
        secure = nil
        inside = ChannelHost(ProxyTarget(form: .http, host: target.host, port: target.port))
        answer(for: nil)
        stash = .unparsed(bytes)
    }

    /// Sends the answer to a CONNECT whose tunnel ends here. False if the client has gone.
    private func acceptConnect() -> Bool {
        inHand = nil
        machine.restarted()
        active = worker.loop.monotonic
        let accepted: StaticString = "HTTP/1.1 200 Connection established\r\n\r\n"
        let sent = Syscall.send(
            descriptor, UnsafeRawBufferPointer(start: accepted.utf8Start, count: accepted.utf8CodeUnitCount))
        return sent == .bytes(accepted.utf8CodeUnitCount)
    }

    /// The same on a connection with TLS. Returns at least 1, so that no peer keeps the loop.
    @inline(never)
    func readSecure() -> Int { max(1, secure.map(readSecure) ?? 0) }

    /// Reads once through the session and processes the plaintext. Returns the number of its bytes.
    func readSecure(_ channel: SecureChannel) -> Int {
        let kept = takeStash()
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(worker.input)[kept...])
        while true {
            let result = channel.session.read(into: room)
            if case .failed = channel.flush(descriptor) {
                noteLostHandshake()
                leave()
                return 0
            }
            switch result {
            case .bytes(let count):
                active = worker.loop.monotonic
                // A read for nothing would cost as much as one that gives a request.
                channel.mayRead = channel.session.hasUndeliveredInput
                process(kept + count)
                return count
            case .needsOutput:
                if channel.session.ciphertextCount == 0 { continue }
                channel.waitsForClient = true
                return 0
            case .ended:
                channel.mayRead = false
                inputEnded()
                return 0
            case .failed(.truncated) where channel.session.isHandshakeDone:
                // Many clients close without a word (RFC 9112 §9.8). What they sent is whole by its own framing or not.
                channel.mayRead = false
                inputEnded()
                return 0
            case .failed(let failure):
                fail(failure, channel)
                return 0
            case .needsInput:
                guard receiveCiphertext(channel) else {
                    channel.mayRead = false
                    return 0
                }
            }
        }
    }

    /// Reads from the socket into the session. Returns false if nothing came.
    private func receiveCiphertext(_ channel: SecureChannel) -> Bool {
        guard input != .none else { return false }
        let room = UnsafeMutableRawBufferPointer(worker.ciphertext)
        switch Syscall.receive(descriptor, into: room) {
        case .bytes(let count):
            if count < room.count, input == .some { input = .none }
            if !channel.hasBegun, room[0] != SecureChannel.handshake {
                beginPlain(
                    channel.target, Bytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count])))
                return false
            }
            channel.hasBegun = true
            // Less than a record waits there, so there is room.
            _ = channel.session.receive(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
            channel.mayRead = true
            return true
        case .wouldBlock: input = .none
        case .end, .failed:
            input = .none
            channel.session.inputEnded()
            return true
        }
        return false
    }

    private func fail(_ failure: TLSFailure, _ channel: SecureChannel) {
        note(failure, channel)
        leave()
    }

    /// Notes a handshake that the client's reset ends. A client that refuses the certificate before it has read the rest
    /// of the server's messages sends its alert and, right behind it, a reset (RFC 1122 §4.2.2.13).
    @inline(never)
    func noteLostHandshake() {
        guard let channel = secure, !channel.isOpen else { return }
        if input == .none { input = .some }
        _ = receiveCiphertext(channel)
        channel.session.inputEnded()
        // The session gives no plaintext without the client's last message.
        if case .failed(let failure) = channel.session.read(into: UnsafeMutableRawBufferPointer(worker.input)) {
            note(failure, channel)
        }
    }

    private func note(_ failure: TLSFailure, _ channel: SecureChannel) {
        worker.shared.cells.tlsFailures.add()
        worker.shared.access.info(
            "TLS failed", ["host": channel.target.authority, "why": "\(failure)"])
    }

    /// Encrypts the next pending bytes and sends them. What the socket does not take waits in the session.
    func sendSecure(_ channel: SecureChannel) -> Transfer? {
        let flushed = channel.flush(descriptor)
        guard flushed == .bytes(0) else { return flushed }
        guard !pending.isEmpty else { return .bytes(0) }
        var taken = 0
        if let (file, rest) = pending.nextInFile {
            guard let next = inMemory(file, rest.prefix(worker.ciphertext.count)) else { return nil }
            let room = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(worker.ciphertext)[..<next.count])
            guard case .bytes(let count) = Syscall.read(file.descriptor, at: next.lowerBound, into: room) else {
                return .failed(0)
            }
            taken = channel.session.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
        } else {
            pending.withNext(bytes: TLSSession.limit) { pieces in
                for piece in pieces {
                    let count = channel.session.write(piece)
                    taken += count
                    if count < piece.count { break }
                }
            }
        }
        // Nothing was taken and nothing waits to be sent: the session has failed.
        guard taken > 0 || channel.session.ciphertextCount > 0 else { return .failed(0) }
        if case .failed(let code) = channel.flush(descriptor) { return .failed(code) }
        return .bytes(taken)
    }

    /// Says that no more is sent, as far as the socket takes it at once.
    func closeSecure() {
        guard let secure else { return }
        secure.session.close()
        _ = secure.flush(descriptor)
    }
}
