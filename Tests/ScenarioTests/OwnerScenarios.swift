// The owner of the machine opens the console by a link that works once.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct OwnerScenarios {
    private func withDaemon(_ body: (RunningLarder, String) async throws -> Void) async throws {
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/l.sock"
        try await withLarder("", listen: [#""127.0.0.1:0""#, "\"\(socket)\""], directory: directory) { larder in
            try await body(larder, larder.addresses[1])
        }
    }

    private func exchange(_ larder: RunningLarder, _ code: String) async throws -> WireResponse {
        try await larder.send(
            "POST", "/v1/console/tokens",
            fields: [("Content-Type", "application/json"), ("Origin", "http://localhost")],
            body: #"{"code":"\#(code)"}"#)
    }

    private func code(_ larder: RunningLarder, _ socket: String) async throws -> String {
        let url = try await larder.send("POST", "/v1/console/links", to: socket).json()["url"]?.string ?? ""
        #expect(url.hasPrefix("http://127.0.0.1:"))
        return String(url.split(separator: "#owner=").last ?? "")
    }

    @Test func aLinkGivesAuthorityOnce() async throws {
        try await withDaemon { larder, socket in
            let code = try await code(larder, socket)
            let answer = try await exchange(larder, code)
            let token = try #require(try answer.json()["token"]?.string)
            #expect(try await larder.get("/v1/settings", ("Authorization", "Bearer \(token)")).status == 200)
            #expect(try await exchange(larder, code).status == 403)
        }
    }

    @Test func nobodyGetsALinkWithoutAuthority() async throws {
        try await withDaemon { larder, _ in
            let (link, token) = (
                try await larder.send("POST", "/v1/console/links"), try await exchange(larder, "")
            )
            #expect(link.status == 403 && token.status == 403)
        }
    }

    @Test func aWrongTokenIsCalledWrong() async throws {
        try await withDaemon { larder, _ in
            let answer = try await larder.get("/v1/settings", ("Authorization", "Bearer wrong"))
            #expect(answer.status == 401)
            #expect(answer.text.contains("This token is wrong"))
        }
    }
}
