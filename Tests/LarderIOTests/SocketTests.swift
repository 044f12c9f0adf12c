import CLinux
import Glibc
import LarderCore
import LarderIO
import Testing

/// A directory for one test.
func withDirectory<Value>(_ body: (String) throws -> Value) throws -> Value {
    var template = Array("/tmp/larder-io-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
        _ = unlink(path + "/a.sock")
        _ = rmdir(path)
    }
    return try body(path)
}

@Suite struct AddressTests {
    @Test(arguments: [
        "127.0.0.1:8787", "0.0.0.0:0", "[::1]:65535", "[2001:db8::7]:80", "unix:/run/larder/larder.sock",
    ])
    func rendersWhatItParsed(text: String) throws {
        #expect(try Address(text).description == text)
    }

    @Test(arguments: [
        "", "8787", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
        "256.0.0.1:1", "::1:80", "[127.0.0.1]:1", "unix:relative", "unix:/" + String(repeating: "x", count: 120),
    ])
    func refusesWhatIsNone(text: String) {
        #expect(throws: AddressError.self) { try Address(text) }
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("[::ffff:127.0.0.1]:1", true),
        ("unix:/x", true), ("0.0.0.0:1", false), ("[::]:1", false), ("10.0.0.1:1", false), ("[::2]:1", false),
    ])
    func knowsLoopback(text: String, expected: Bool) throws {
        #expect(try Address(text).isLoopback == expected)
    }
}

@Suite struct SocketTests {
    /// The size of the send buffer as the kernel counts it.
    private func sendBufferSize(_ descriptor: Int32) -> Int {
        var size: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 else { return 0 }
        return Int(size)
    }

    /// A buffer without a size of its own grows to megabytes for a client that does not read.
    @Test func theSendBufferOfWhatIsAcceptedIsBounded() throws {
        let listener = try Socket.listen(on: Address("127.0.0.1:0"))
        defer { Syscall.close(listener) }
        let client = try Socket.connect(to: try #require(Socket.localAddress(listener)))
        defer { Syscall.close(client) }
        #expect(Syscall.isReadable(listener, within: 60_000))
        guard case .connection(let taken) = Syscall.accept(listener) else {
            Issue.record("nothing was accepted")
            return
        }
        defer { Syscall.close(taken) }
        #expect(sendBufferSize(taken) == 2 * Socket.sendBuffer)
        let piece = Bytes(repeating: 0x61, count: 64 << 10)
        var sent = 0
        while case .bytes(let count) = piece.withUnsafeBytes({ Syscall.write(taken, $0) }), sent < 64 << 20 {
            sent += count
        }
        var unread: Int32 = 0
        // SIOCOUTQ of linux/sockios.h (tcp(7)): what the kernel holds on this side.
        #expect(ioctl(taken, 0x5411, &unread) == 0 && unread <= 2 * Int32(Socket.sendBuffer), "\(unread) of \(sent)")
        Socket.makeSendBufferSmall(taken)
        #expect(sendBufferSize(taken) == 2 * Socket.smallSendBuffer)
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func acceptsWhatConnects(text: String) throws {
        guard let listener = try? Socket.listen(on: Address(text)) else {
            // Without IPv6 there is no such address to listen on.
            try #require(text.hasPrefix("["))
            return
        }
        defer { Syscall.close(listener) }
        let bound = try #require(Socket.localAddress(listener))
        #expect(bound.port != 0)
        #expect(Syscall.accept(listener) == .none)
        let client = try Socket.connect(to: bound)
        defer { Syscall.close(client) }
        // The connection may reach the listener's queue only after `connect` has returned.
        #expect(Syscall.isReadable(listener, within: 60_000))
        guard case .connection(let taken) = Syscall.accept(listener) else {
            Issue.record("no connection")
            return
        }
        defer { Syscall.close(taken) }
        #expect(Socket.peerAddress(taken) == Socket.localAddress(client))
        #expect(Socket.peerCredentials(taken) == nil)
        #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) { try Socket.listen(on: bound) }
    }

    @Test func unixSocketsKnowTheirPeerAndReplaceADeadFile() throws {
        try withDirectory { directory in
            let address = try Address("unix:\(directory)/a.sock")
            let first = try Socket.listen(on: address)
            #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) { try Socket.listen(on: address) }
            let client = try Socket.connect(to: address)
            guard case .connection(let probe) = Syscall.accept(first) else {
                Issue.record("no connection")
                return
            }
            Syscall.close(probe)
            // The refused second listener also probed the address. Its connection comes first.
            guard case .connection(let taken) = Syscall.accept(first) else {
                Issue.record("no connection")
                return
            }
            #expect(Socket.peerCredentials(taken)?.uid == getuid())
            #expect(Socket.peerCredentials(taken)?.pid == getpid())
            Syscall.close(taken)
            Syscall.close(client)
            Syscall.close(first)
            let second = try Socket.listen(on: address)
            Syscall.close(second)
        }
    }

    @Test func writesSeveralPiecesAsOne() throws {
        let (near, far) = try Socket.pair()
        let sent = Array("hello ".utf8).withUnsafeBytes { first in
            Array("world".utf8).withUnsafeBytes { second in
                [first, second].withUnsafeBufferPointer { Syscall.send(near, pieces: $0) }
            }
        }
        #expect(sent == .bytes(11))
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(buffer.withUnsafeMutableBytes { Syscall.receive(far, into: $0) } == .bytes(11))
        #expect(buffer.prefix(11) == ArraySlice("hello world".utf8))
        #expect(buffer.withUnsafeMutableBytes { Syscall.receive(far, into: $0) } == .wouldBlock)
        Syscall.close(near)
        #expect(buffer.withUnsafeMutableBytes { Syscall.receive(far, into: $0) } == .end)
        #expect([UInt8(1)].withUnsafeBytes { Syscall.send(far, $0) } == .failed(EPIPE))
        Syscall.close(far)
    }
}

@Suite struct SystemdTests {
    @Test func takesListeningSocketsMeantForThisProcess() throws {
        let listener = try Socket.listen(on: Address("127.0.0.1:0"))
        defer { Syscall.close(listener) }
        let environment = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"]
        let taken = InheritedSocket.take(environment: environment, first: listener)
        #expect(taken.map(\.descriptor) == [listener])
        #expect(taken.first?.address == Socket.localAddress(listener))
        let others = ["LISTEN_PID": "1", "LISTEN_FDS": "1"]
        #expect(InheritedSocket.take(environment: others, first: listener).isEmpty)
        #expect(InheritedSocket.take(environment: [:], first: listener).isEmpty)
    }

    @Test func leavesAloneWhatDoesNotListen() throws {
        let (near, far) = try Socket.pair()
        defer {
            Syscall.close(near)
            Syscall.close(far)
        }
        let environment = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"]
        #expect(InheritedSocket.take(environment: environment, first: near).isEmpty)
    }

    /// The manager's end of a notification socket, and the notifier that writes to it.
    private func withManager(_ body: (_ manager: Int32, ServiceNotifier) throws -> Void) throws {
        let name = "larder-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { Syscall.close(receiver) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.dropFirst().copyBytes(from: name.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(receiver, $0, length) }
        }
        try #require(bound == 0)
        try body(receiver, #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": "@\(name)"])))
    }

    /// The next message, or nil if there is none.
    private func message(_ manager: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(manager, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    @Test func tellsTheManager() throws {
        try withManager { manager, notifier in
            notifier.ready(status: "serving\n2 loops")
            #expect(message(manager) == "READY=1\nSTATUS=serving 2 loops")
            #expect(ServiceNotifier(environment: [:]) == nil)
        }
    }

    /// A loop sends these messages. If sending waited, this test would not end.
    @Test(.timeLimit(.minutes(10))) func signsOfLifeDoNotWaitForAManagerThatReadsNothing() throws {
        try withManager { manager, notifier in
            // More messages than the kernel keeps for a socket (net.unix.max_dgram_qlen).
            for _ in 0..<2000 { notifier.alive() }
            var count = 0
            while let message = message(manager) {
                #expect(message == "WATCHDOG=1")
                count += 1
            }
            #expect((1..<2000).contains(count), "what has no room is dropped: \(count)")
            notifier.stopping()
            #expect(message(manager) == "STOPPING=1")
        }
    }

    @Test func readsTheWatchdogMeantForThisProcess() {
        #expect(ServiceNotifier.watchdogInterval(environment: ["WATCHDOG_USEC": "2000000"], pid: 5) == .seconds(2))
        let own = ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "5"]
        #expect(ServiceNotifier.watchdogInterval(environment: own, pid: 5) == .milliseconds(1))
        #expect(ServiceNotifier.watchdogInterval(environment: own, pid: 6) == nil)
        #expect(ServiceNotifier.watchdogInterval(environment: ["WATCHDOG_USEC": "0"], pid: 5) == nil)
        #expect(ServiceNotifier.watchdogInterval(environment: [:], pid: 5) == nil)
    }
}
