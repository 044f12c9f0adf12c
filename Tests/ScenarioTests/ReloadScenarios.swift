// The daemon reads its configuration again while it runs. Changes are in force with the next request, connections and
// the cache stay, and a bad file changes nothing.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct ReloadScenarios {
    /// A daemon whose configuration the body can rewrite. The addresses stay those of the first configuration.
    private func withReloadable(
        _ configuration: String, time: any TimeSource = SystemTime(), log: Logger = .silent,
        _ body: (RunningLarder, (String) async -> Void) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        try await withLarder(configuration, time: time, directory: directory, log: log) { larder in
            try await body(larder) { next in
                directory.write("larder.yaml", "listen: [\"127.0.0.1:0\"]\n" + next)
                await larder.daemon.reload()
            }
        }
    }

    @Test func aNewLifetimeIsInForceAndTheCacheStays() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let jitter = "\ncache: { jitter: 0 }"
        try await withReloadable(BasicScenarios.itunes(origin, "    ttl: 1h") + jitter, time: time) {
            larder, reload async throws in
            _ = try await larder.get(CacheScenarios.search)
            await reload(BasicScenarios.itunes(origin, "    ttl: 20min") + jitter)
            let kept = try await larder.get(CacheScenarios.search)
            #expect(kept["Cache-Status"] == "larder; hit; ttl=1200", "a shorter lifetime applies at once")
            let other = try await larder.get("/v1/itunes/search?q=other")
            #expect(other["Cache-Control"] == "private, max-age=1200", "\(other)")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aConnectionOutlivesTheReload() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withReloadable(BasicScenarios.itunes(origin)) { larder, reload async throws in
            let client = Lock(try WireClient(larder.address))
            func ask() async throws -> Int {
                try await onOwnThread {
                    try client.withLock { client in
                        try client.send(ServerScenarios.request(CacheScenarios.search))
                        return try client.receive().status
                    }
                }
            }
            #expect(try await ask() == 200)
            await reload(BasicScenarios.itunes(origin, "    ttl: 60s"))
            #expect(try await ask() == 200)
            await reload("providers: { nonsense")
            #expect(try await ask() == 200)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [
        "providers: { itunes: { ttl: soon } }", "colour: red", "providers: { itunes", "cache: { maxSize: -1 }",
        "providers: { api: { kind: passthrough } }",
    ])
    func aBadFileLeavesTheOldSettingsInForceAndSaysSo(_ bad: String) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .info, sink: KeptLog(lines))
        try await withReloadable(BasicScenarios.itunes(origin, "    ttl: 1h"), log: log) {
            larder, reload async throws in
            await reload(bad)
            let answer = try await larder.get(CacheScenarios.search)
            #expect(answer.status == 200, "\(answer)")
            #expect(answer["Cache-Control"]?.hasPrefix("private, max-age=3") == true, "\(answer)")
            let said = lines.withLock { $0 }
            #expect(said.contains("the old one stays in force"), "\(said)")
            #expect(said.contains("larder.yaml:"), "file and line are named: \(said)")
            #expect(try await larder.counter("larder_reloads_total", #"result="refused""#) == 1)
            // With jitter the lifetime is 53 to 59 seconds.
            await reload(BasicScenarios.itunes(origin, "    ttl: 59s"))
            let other = try await larder.get("/v1/itunes/search?q=other")
            #expect(other["Cache-Control"]?.hasPrefix("private, max-age=5") == true, "\(other)")
            #expect(try await larder.counter("larder_reloads_total", #"result="done""#) == 1)
        }
    }

    /// The comparison is with the settings at the start, not with the last file: an undone change waits for nothing.
    @Test func aReloadNamesWhatWaitsForTheNextStart() async throws {
        let lines = Lock("")
        func said() -> String {
            lines.withLock { text in
                defer { text = "" }
                return text
            }
        }
        let log = Logger(label: "test", threshold: .info, sink: KeptLog(lines))
        try await withReloadable("", log: log) { larder, reload async throws in
            await reload("search: { sessions: 7 }")
            #expect(said().contains("search.sessions"))
            await reload("search: { sessions: 7 }\nlog: { access: all }")
            #expect(said().contains("search.sessions"), "it still waits")
            await reload("log: { access: all }")
            let last = said()
            #expect(last.contains("read again") && !last.contains("search.sessions"), "\(last)")
        }
    }

    @Test func theLogTellsWhatItIsToldToFromThenOn() async throws {
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .info, sink: KeptLog(lines))
        try await withReloadable("log: { level: info }", log: log) { larder, reload async throws in
            _ = try await larder.get("/v1/one")
            await reload("log: { level: warning }")
            _ = try await larder.get("/v1/two")
            await reload("log: { level: info }")
            _ = try await larder.get("/v1/three")
            let said = lines.withLock { $0 }
            #expect(said.contains("/v1/one") && said.contains("/v1/three"), "\(said)")
            #expect(!said.contains("/v1/two"), "\(said)")
        }
    }

    @Test func aProxyIsInForceWithTheNextCall() async throws {
        let (origin, proxy) = (ServerScenarios.echo(), ScriptedOrigin(answering: CacheScenarios.song))
        defer {
            origin.stop()
            proxy.stop()
        }
        let configuration = ServerScenarios.passthrough(origin)
        try await withReloadable(configuration) { larder, reload async throws in
            #expect(try await larder.get("/raw/api/direct").status == 200)
            await reload(configuration + "\nfetch: { proxy: \"\(proxy.base)\" }")
            #expect(try await larder.get("/raw/api/led").status == 200)
            #expect(proxy.requests.map(\.target) == ["\(origin.base)/led"])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func theTokenChangesAndTheOldOneIsWorthless() async throws {
        func purge(_ larder: RunningLarder, _ token: String) async throws -> Int {
            try await larder.send("DELETE", "/v1/cache?all=1", fields: [("Authorization", "Bearer \(token)")]).status
        }
        let (old, new) = ("the-old-token-0123456789", "the-new-token-0123456789")
        try await withReloadable("admin: { token: \(old) }") { larder, reload async throws in
            #expect(try await purge(larder, old) == 200)
            #expect(try await purge(larder, new) == 401)
            await reload("admin: { token: \(new) }")
            #expect(try await purge(larder, old) == 401)
            #expect(try await purge(larder, new) == 200)
            await reload("")
            #expect(try await purge(larder, new) == 401)
        }
    }

    @Test func providersComeAndGo() async throws {
        let origin = ServerScenarios.echo()
        defer { origin.stop() }
        try await withReloadable("") { larder, reload async throws in
            #expect(try await larder.get("/raw/api/a").status == 404)
            await reload(ServerScenarios.passthrough(origin))
            for _ in 0..<2 { #expect(try await larder.get("/raw/api/a").text == "asked /a") }
            await reload("providers: { itunes: { enabled: false } }")
            #expect(try await larder.get("/raw/api/a").status == 404, "memory still answers for what is gone")
            #expect(try await larder.get(CacheScenarios.search).status == 503)
            await reload(ServerScenarios.passthrough(origin))
            let back = try await larder.get("/raw/api/a")
            #expect(back["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(back)")
        }
    }

    @Test func namesAndLimitsOfTheServerChange() async throws {
        try await withReloadable("") { larder, reload async throws in
            let request = Bytes(text: "GET /healthz HTTP/1.1\r\nHost: pantry\r\n\r\n")
            #expect(try await larder.send(bytes: request).status == 421)
            await reload("hostNames: [pantry]")
            #expect(try await larder.send(bytes: request).status == 200)
            await reload("")
            #expect(try await larder.send(bytes: request).status == 421)
        }
    }

    @Test func aBudgetIsNotGivenBackByAReload() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        func configuration(_ rate: String) -> String {
            "providers: { itunes: { baseURL: \"\(origin.base)\", rate: \(rate), quota: off } }"
        }
        try await withReloadable(configuration("2/min"), time: ManualTime()) { larder, reload async throws in
            for number in 0..<2 { #expect(try await larder.get("/v1/itunes/search?q=\(number)").status == 200) }
            await reload(configuration("2/min"))
            #expect(try await larder.get("/v1/itunes/search?q=x").status == 429)
            await reload(configuration("3/min"))
            #expect(try await larder.get("/v1/itunes/search?q=x").status == 200)
            #expect(try await larder.get("/v1/itunes/search?q=y").status == 429)
            #expect(origin.requests.count == 3)
        }
    }
}
