// The name in Host on a Unix socket. No browser reaches such a socket, so any name is right there (RFC 9112 §3.2).
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

@Suite struct UnixHostTests {
    private func status(_ head: String) async throws -> Int {
        let directory = TemporaryDirectory()
        let address = try Address("unix:\(directory.path)/larder.sock")
        var status = 0
        try await withServer(listeners: [ListenerSpec(address: address, number: 1)]) { test in
            let client = try WireClient(address.description)
            try client.send(head + "\r\n")
            status = try client.receive().status
            await test.server.stopAccepting()
        }
        return status
    }

    @Test(arguments: ["unix", "", "docker", "api.example:99", "0.0.0.0", "[::ffff:127.0.0.1]", "localhost"])
    func anyNameIsAccepted(_ host: String) async throws {
        #expect(try await status("GET / HTTP/1.1\r\nHost: \(host)\r\n") == 200)
        #expect(try await status("PUT http://any.example/ HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\n") == 200)
    }

    @Test(arguments: ["Host: a b\r\n", "Host: a/b\r\n", "Host: u@a\r\n", "Host: a\r\nHost: a\r\n", "Host: a:b\r\n", ""])
    func aHostThatIsInvalidRepeatedOrMissingIs400(_ line: String) async throws {
        #expect(try await status("GET / HTTP/1.1\r\n\(line)") == 400)
    }

    @Test(arguments: ["unix", "docker", "api.example"])
    func overTCPTheSameNamesAreRefused(_ host: String) async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try client.response().status == 421)
        }
    }
}
