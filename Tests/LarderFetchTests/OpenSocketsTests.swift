// The socket of a kept connection is found by the addresses of both its ends.
import Glibc
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderFetch

@Suite struct OpenSocketsTests {
    /// A socket on 127.0.0.1 (or .2) and this port, and its port. With port 0 the kernel chooses one.
    private func bound(_ host: UInt32, _ port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var isOn: Int32 = 1
        for option in [SO_REUSEADDR, SO_REUSEPORT] {
            setsockopt(descriptor, SOL_SOCKET, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = at(host, port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let chosen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(chosen)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private func at(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    @Test func ofTwoConnectionsFromOnePortTheOneToThatPeerIsFound() throws {
        let (one, other) = (UInt32(0x7F00_0001), UInt32(0x7F00_0002))
        let first = try bound(one, 0)
        let second = try bound(other, first.port)
        #expect(listen(first.descriptor, 1) == 0 && listen(second.descriptor, 1) == 0)
        let near = try bound(one, 0)
        let twin = try bound(one, near.port)
        defer { for descriptor in [first, second, near, twin] { close(descriptor.descriptor) } }
        for (descriptor, host) in [(near.descriptor, one), (twin.descriptor, other)] {
            var address = at(host, first.port)
            let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            try #require(isConnected)
        }
        let sockets = OpenSockets()
        for descriptor in [near.descriptor, twin.descriptor] { sockets.add(descriptor) }
        func found(_ peer: String) throws -> Int32? {
            sockets.descriptor(
                of: ConnectionEnds(
                    local: try #require(SocketEnd(address: "127.0.0.1", port: Int32(near.port))),
                    peer: try #require(SocketEnd(address: peer, port: Int32(first.port)))))
        }
        #expect(try found("127.0.0.1") == near.descriptor)
        #expect(try found("127.0.0.2") == twin.descriptor)
        #expect(try found("127.0.0.3") == nil)
    }

    @Test func whatIsClosedIsForgotten() async throws {
        let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na"
        let origin = ScriptedOrigin { request in
            request.target == "/kept" ? [.send(ok("a"))] : [.send(last), .close]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let core = rig.fetcher.ways[0].core
            func open() async -> Int {
                await handover { continuation in
                    rig.loop.post { continuation.resume(returning: core.value.sockets.count) }
                }
            }
            for _ in 0..<5 { #expect(await rig.text(order(origin.base + "/closed")) == "a") }
            #expect(await open() == 0)
            for _ in 0..<5 { #expect(await rig.text(order(origin.base + "/kept")) == "a") }
            #expect(await open() == 1)
            let closed = LoopbackPort()
            #expect(await rig.failure(order("http://127.0.0.1:\(closed.number)/"))?.stage == .connect)
            #expect(await open() == 1)
            withExtendedLifetime(closed) {}
        }
    }
}
