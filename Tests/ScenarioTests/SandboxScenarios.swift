// Below `/raw` an upstream's pages would share the daemon's own origin. The daemon therefore tells browsers to give
// them none. On a listener of its own a provider has its own origin, and its pages work unchanged.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct SandboxScenarios {
    @Test func pagesBelowRawAreConfinedHoweverTheyCome() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let page = "Content-Type: text/html\r\nCache-Control: "
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        try await withLarder(configuration, listen: listen) { larder in
            for (target, status, control) in [
                ("/kept", "200 OK", "max-age=600"), ("/own", "200 OK", "no-store"),
                ("/gone", "404 Not Found", "max-age=600"), ("/broken", "500 Oops", "no-store"),
            ] {
                moods.set(ok("<script>", status: status, fields: page + control + "\r\n"))
                for turn in 1...3 {
                    let answer = try await larder.get("/raw/api\(target)")
                    #expect(answer.statusLine == "HTTP/1.1 \(status)", "\(answer)")
                    #expect(answer["Content-Security-Policy"] == "sandbox", "\(target), \(turn): \(answer)")
                    #expect(answer["X-Content-Type-Options"] == "nosniff", "\(target), \(turn): \(answer)")
                    // The same entry answers both requests. Neither may get the other's form.
                    let bound = try await larder.get(target, at: larder.addresses[1])
                    #expect(bound["Content-Security-Policy"] == nil, "\(target), \(turn): \(bound)")
                    #expect(bound["X-Content-Type-Options"] == nil, "\(target), \(turn): \(bound)")
                    let head = try await larder.send("HEAD", "/raw/api\(target)")
                    #expect(head["Content-Security-Policy"] == "sandbox", "\(target), \(turn): \(head)")
                }
            }
            let memory = try await larder.counter("larder_memory_hits_total", #"provider="api""#)
            #expect(memory > 0, "memory had no part in it")
            let posted = try await larder.send("POST", "/raw/api/form", body: "a=b")
            #expect(posted["Content-Security-Policy"] == "sandbox", "\(posted)")
        }
    }

    @Test func thePagesOwnPolicyIsKeptBesideOurs() async throws {
        let origin = ScriptedOrigin(
            answering: ok("<p>", fields: "Content-Security-Policy: default-src 'none'\r\nCache-Control: max-age=60\r\n")
        )
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { larder in
            for _ in 0..<3 {
                let answer = try await larder.get("/raw/api/a")
                #expect(answer["Content-Security-Policy"] == "default-src 'none', sandbox", "\(answer)")
            }
        }
    }
}
