// A key that does not exist yet: its provider waits for it, status and log say so, and the other providers work.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct KeyFileScenarios {
    @Test func theRestServesUntilTheKeyIsThereAndThenItIsUsed() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let secrets = TemporaryDirectory()
        let directory = TemporaryDirectory()
        let log = Lock("")
        let configuration = """
            providers:
              itunes: { baseURL: "\(origin.base)" }
              newsapi: { baseURL: "\(origin.base)", key: "file:\(secrets.path)/newsapi.key" }
              mine: { kind: passthrough, baseURL: "\(origin.base)", key: "file:\(secrets.path)/mine.key" }
            """
        let logger = Logger(label: "test", sink: KeptLog(log))
        try await withLarder(configuration, directory: directory, log: logger) { larder in
            #expect(try await larder.get(CacheScenarios.search).status == 200)
            let calls = origin.requests.count
            for (target, name) in [("/v1/news/headlines?country=us", "newsapi"), ("/raw/mine/thing", "mine")] {
                let refused = try await larder.get(target)
                try BadInputScenarios.expectProblem(refused, 503, target)
                #expect(refused.text.contains("the file that providers.\(name).key names does not exist"), "\(refused)")
                #expect(!refused.text.contains(secrets.path))
            }
            #expect(origin.requests.count == calls, "nothing goes upstream without its key")
            let status = try await larder.get("/v1/status")
            let shown = try status.json()["providers"]?.elements.first { $0["name"]?.string == "mine" }
            #expect(shown?["state"]?.string == "notConfigured", "\(status)")
            #expect(shown?["configurationProblem"]?.string?.contains("does not exist") == true)
            #expect(!status.text.contains(secrets.path), "whoever reaches a listener learns no paths")
            #expect(log.withLock { $0 }.contains("\(secrets.path)/newsapi.key does not exist"))

            secrets.write("mine.key", "a-key-that-came-late\n")
            await larder.daemon.reload()
            #expect(try await larder.get("/raw/mine/thing").status == 200)
            #expect(origin.requests.last?.field("Authorization") == "Bearer a-key-that-came-late")
        }
    }
}
