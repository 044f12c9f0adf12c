// What commands and programs report of the settings in force, and what they change by hand. The program itself runs
// beside a running daemon.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct RunningSettingsScenarios {
    private static let token = "open-sesame-0123456789"
    private static let authority = ("Authorization", "Bearer \(token)")
    private static let settings = """
        admin: { token: \(token) }
        cache: { maxSize: 1GiB }
        providers: { newsapi: { key: the-key-of-a-person } }
        """

    /// Runs a command to its end.
    private func run(
        _ words: [String], at larder: RunningLarder, isTrusted: Bool = true
    ) async throws -> CommandProcess {
        var environment = ["LARDER_URL": "http://\(larder.address)"]
        if isTrusted { environment["LARDER_TOKEN"] = Self.token }
        let command = try CommandProcess(words, environment: environment, in: larder.directory)
        try await onOwnThread { _ = command.waitForEnd() }
        return command
    }

    private func state(_ larder: RunningLarder, _ name: String) async throws -> String? {
        let status = try await larder.get("/v1/status").json()
        return status["providers"]?.elements.first { $0["name"]?.string == name }?["state"]?.string
    }

    // MARK: Suspensions

    @Test func suspendAndResumeAreCarriedOut() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin) + "\nadmin: { token: \(Self.token) }") { larder in
            let suspended = try await run(["suspend", "itunes", "--for", "1h"], at: larder)
            #expect(suspended.waitForEnd() == .exited(0), "\(suspended.errors)")
            #expect(try await state(larder, "itunes") == "suspended")
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 503)
            #expect(origin.requests.isEmpty)
            let resumed = try await run(["resume", "itunes"], at: larder)
            #expect(resumed.waitForEnd() == .exited(0), "\(resumed.errors)")
            #expect(try await state(larder, "itunes") == "ready")
            #expect(try await larder.get("/v1/itunes/search?q=one").status == 200)
        }
    }

    @Test(arguments: [(["suspend", "itunes"], "token"), (["resume", "itunes"], "token")])
    func withoutAuthorityNothingIsSuspendedOrResumed(_ words: [String], _ said: String) async throws {
        try await withLarder(Self.settings) { larder in
            let refused = try await run(words, at: larder, isTrusted: false)
            #expect(refused.waitForEnd() != .exited(0) && refused.errors.contains(said), "\(refused.errors)")
            #expect(try await state(larder, "itunes") != "suspended")
        }
    }

    @Test(arguments: [["suspend", "itune"], ["resume", "itune"], ["suspend", "itunes", "--for", "25h"]])
    func whatCannotBeIsRefusedInWords(_ words: [String]) async throws {
        try await withLarder(Self.settings) { larder in
            let refused = try await run(words, at: larder)
            #expect(refused.waitForEnd() != .exited(0))
            #expect(refused.errors.contains(words[1] == "itune" ? "\"itune\"" : "\"for\""), "\(refused.errors)")
        }
    }

    // MARK: Settings in force

    @Test func theSettingsInForceAreToldToWhoMayChangeThem() async throws {
        try await withLarder(Self.settings) { larder in
            #expect(try await larder.get("/v1/settings").status == 401)
            let answer = try await larder.get("/v1/settings", Self.authority)
            #expect(answer.status == 200 && answer["Cache-Control"] == "no-store", "\(answer)")
            let told = try answer.json()["settings"]?.elements.map { $0 } ?? []
            let size = try #require(told.first { $0["path"]?.string == "cache.maxSize" })
            #expect(size["value"]?.string == "1GiB" && size["needsRestart"]?.bool == false, "\(size.raw.lossyText)")
            #expect(size["from"]?.string?.contains("larder.yaml") == true, "\(size.raw.lossyText)")
            #expect(told.first { $0["path"]?.string == "listen" }?["needsRestart"]?.bool == true)
        }
    }

    @Test func noSecretIsAmongTheSettingsTold() async throws {
        try await withLarder(Self.settings) { larder in
            let answer = try await larder.get("/v1/settings", Self.authority)
            #expect(answer.text.contains("providers.newsapi.key"), "\(answer)")
            #expect(!answer.text.contains("the-key-of-a-person") && !answer.text.contains(Self.token))
        }
    }

    @Test(arguments: [["params", "--config"], ["config", "check"]])
    func aSettingThatIsNotInForceIsToldWithWhatBringsIt(_ words: [String]) async throws {
        let line = "cache.maxSize is 2GiB here and 1GiB in the running daemon: a reload is needed"
        let changed = "listen: [\"127.0.0.1:0\"]\n" + Self.settings.replacing("1GiB", with: "2GiB")
        try await withLarder(Self.settings) { larder in
            let file = larder.directory.write("larder.yaml", changed)
            let command = words + [file]
            // JSON is written only if standard output is no terminal. Then `differs` shows the difference.
            var told = try await run(command, at: larder)
            // The command waits only for a moment for the daemon, which may be busy. Then nothing is compared.
            try await larder.eventually("the command has asked the daemon") {
                if told.waitForEnd() != .exited(0) || told.output.contains("1GiB") { return true }
                told = try await run(command, at: larder)
                return false
            }
            #expect(told.waitForEnd() == .exited(0), "\(told.errors)")
            if words[0] == "params" {
                let all = try JSON.parse(Bytes(text: told.output)).elements.map { $0 }
                let size = try #require(all.first { $0["path"]?.string == "cache.maxSize" })
                #expect(size["differs"]?.bool == true && size["inForce"]?.string == "1GiB", "\(size.raw.lossyText)")
            } else {
                #expect(told.output.contains(line), "\(told.output)")
            }
            let stranger = try await run(command, at: larder, isTrusted: false)
            #expect(!stranger.output.contains("1GiB"), "\(stranger.output)")
            await larder.daemon.reload()
            let after = try await run(command, at: larder)
            #expect(!after.output.contains("1GiB"), "\(after.output)")
        }
    }
}
