// `larder run`: a command that knows nothing of Larder, and its requests in the shared cache.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RunScenarios {
    /// A daemon on a Unix socket, which asks the origin instead of the real API.
    static func withDaemon(
        _ more: String = "", _ body: (RunningLarder, TLSOrigin, [String: String]) async throws -> Void
    ) async throws {
        let origin = try TLSOrigin(name: "itunes.apple.com") { _ in [.record(CacheScenarios.song)] }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "\(directory.path)/l.sock"
        let connect = "fetch: { connectTo: [\"itunes.apple.com:443:127.0.0.1:\(origin.port)\"] }"
        try await withLarder(
            "\(connect)\n\(more)", listen: [#""127.0.0.1:0""#, "\"unix:\(socket)\""], directory: directory,
            environment: ["SSL_CERT_FILE": origin.certificate]
        ) { larder in
            try await body(
                larder, origin,
                ["LARDER_URL": "unix:\(socket)", "TMPDIR": directory.path, "PATH": "/usr/local/bin:/usr/bin:/bin"])
        }
    }

    private func run(
        _ larder: RunningLarder, _ words: [String], _ environment: [String: String]
    ) async throws -> (status: LarderProcess.End, output: String, errors: String) {
        let process = try CommandProcess(["run"] + words, environment: environment, in: larder.directory)
        return try await onOwnThread {
            let end = process.waitForEnd()
            return (end, process.output, process.errors)
        }
    }

    private let search = "https://itunes.apple.com/search?term=jack+johnson&media=music&limit=50"

    @Test func anUnchangedScriptIsAMissOnceAndAHitAfterwards() async throws {
        try await Self.withDaemon { larder, origin, environment in
            let script = "curl -sS -o /dev/null '\(search)' && curl -sS -o /dev/null '\(search)'"
            let result = try await run(larder, ["--", "sh", "-c", script], environment)
            #expect(result.status == .exited(0), "\(result)")
            #expect(origin.requests.count == 1)
            #expect(result.errors.contains("2 requests, 1 without a call"))
            // The calls are those of the API, and count against its budget.
            #expect(try await larder.counter("larder_upstream_calls_total", #"provider="itunes",class="data""#) == 1)
        }
    }

    @Test func offlineWhatIsStoredIsAnsweredAndTheRestIsRefused() async throws {
        try await Self.withDaemon { larder, origin, environment in
            _ = try await run(larder, ["--quiet", "--", "curl", "-sS", "-o", "/dev/null", search], environment)
            let again = try await run(
                larder, ["--offline", "--", "curl", "-sS", "-w", "%{http_code}", "-o", "/dev/null", search], environment
            )
            #expect(again.output == "200")
            let other = try await run(
                larder, ["--offline", "--", "curl", "-sS", "-w", "%{http_code}", "-o", "/dev/null", "\(search)1"],
                environment)
            #expect(other.output == "504")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func offlineNothingIsChanged() async throws {
        try await Self.withDaemon { larder, origin, environment in
            let posted = try await run(
                larder, ["--offline", "--", "curl", "-sS", "-w", "%{http_code}", "-o", "/dev/null", "-d", "x", search],
                environment)
            #expect(posted.output == "504")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aHostOfAnEarlierRunIsNoneOfALaterOnes() async throws {
        try await Self.withDaemon { larder, origin, environment in
            let other = "https://localhost:\(origin.port)/x"
            _ = try await run(larder, ["--quiet", "--host", "localhost", "--", "curl", "-s", other], environment)
            let status = try await larder.get("/v1/status")
            #expect(!status.text.contains("proxy:"))
        }
    }

    @Test func theExitStatusIsTheCommands() async throws {
        try await Self.withDaemon { larder, _, environment in
            for (words, status) in [
                (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 143), (["/no/such/program"], 127),
            ] {
                let result = try await run(larder, ["--"] + words, environment)
                #expect(result.status == .exited(Int32(status)), "\(words)")
            }
        }
    }

    @Test func theKeyOfTheCANeverReachesTheCommand() async throws {
        try await Self.withDaemon { larder, _, environment in
            let script =
                "grep -rl 'PRIVATE KEY' \"$(dirname \"$SSL_CERT_FILE\")\"; ls \"$(dirname \"$SSL_CERT_FILE\")\"; env"
            let result = try await run(larder, ["--quiet", "--", "sh", "-c", script], environment)
            #expect(result.output.contains("bundle.pem"))
            #expect(!result.output.contains("PRIVATE"))
            let left = try await ToolProcess.run(["sh", "-c", "ls '\(larder.directory.path)' | grep larder-run; true"])
            #expect(left.text.isEmpty, "the run left its directory: \(left.text)")
        }
    }

    @Test func aSuiteRunsFromItsTapeWithTheNetworkGone() async throws {
        try await Self.withDaemon { larder, origin, environment in
            let tape = "\(larder.directory.path)/tape"
            let script = "curl -sS '\(search)'"
            let recorded = try await run(larder, ["--tape", tape, "--", "sh", "-c", script], environment)
            #expect(recorded.errors.contains("1 recorded"), "\(recorded)")
            origin.stop()
            for _ in 0..<2 {
                let replayed = try await run(larder, ["--replay", tape, "--", "sh", "-c", script], environment)
                #expect(replayed.status == .exited(0) && replayed.output == recorded.output)
            }
            let changed = try await run(
                larder, ["--replay", tape, "--", "sh", "-c", script.replacing("johnson", with: "white")], environment)
            #expect(changed.status == .exited(10))
            #expect(changed.errors.contains("term") && changed.errors.contains("johnson"), "\(changed.errors)")
        }
    }
}
