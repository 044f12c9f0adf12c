// What is seen of tunnels, refused requests and runs: in the status, in the log, in explanations and in the console.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct SeenScenarios {
    private func proxy(_ larder: RunningLarder) async throws -> JSONValue {
        try #require(try await larder.get("/v1/status").json()["proxy"])
    }

    @Test func theStatusTellsWhatAnOpenTunnelHasPassedAndHowManyRequestsWereRefused() async throws {
        let origin = ScriptedOrigin(greeting: "welcome ") { _ in [.close] }
        defer { origin.stop() }
        let kept = Lock("")
        let passed = "HTTP/1.1 200 Connection established\r\n\r\nwelcome ".utf8.count
        let log = Logger(label: "test", threshold: .info, sink: KeptLog(kept))
        let rules = "hosts: { localhost: tunnel, bad.example: refuse }, ports: [\(origin.port)]"
        try await withLarder("proxy: { \(rules) }", listen: ProxyScenarios.listen, log: log) { larder in
            #expect(try await ProxyScenarios.ask(larder, "http://bad.example/").status == 403)
            let told = try await larder.talk(to: larder.addresses[1]) { client in
                try client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receiveHead().status == 200)
                try blockUntil("the greeting has passed") {
                    let told = try LarderProcess.get("/v1/status", at: larder.address).json()["proxy"]
                    return told?["tunnelBytes"]?.integer == passed
                }
                return try LarderProcess.get("/v1/status", at: larder.address).json()["proxy"]
            }
            #expect(told?["tunnels"]?.integer == 1 && told?["refused"]?.integer == 1)
            try await larder.eventually("the log has the tunnel and the rule") {
                let text = kept.withLock { $0 }
                return text.contains("tunnel ended") && text.contains("received=\(passed)")
                    && text.contains("localhost:\(origin.port)") && text.contains("bad.example: refuse")
            }
        }
    }

    @Test func theStatusTellsTheRunsUnderWayAndTheirHits() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/l.sock"
        try await withLarder(
            listen: [#""127.0.0.1:0""#, "\"\(socket)\""], directory: directory
        ) { larder in
            #expect(try await proxy(larder)["runs"]?.count == 0)
            for _ in 0..<3 {
                let head = "GET \(origin.base)/a HTTP/1.1\r\nHost: x\r\nX-Larder-Run: 1\r\nConnection: close\r\n\r\n"
                #expect(try await larder.send(bytes: Bytes(text: head), to: socket).status == 200)
            }
            let run = try await proxy(larder)["runs"]?.elements.first { _ in true }
            #expect(run?["process"]?.integer == Int(getpid()) && run?["since"]?.string != nil)
            #expect(run?["requests"]?.integer == 3 && run?["hits"]?.integer == 2, "\(String(describing: run))")
        }
    }

    @Test func aResponseOfARunIsExplainedByItsIDAndAnEndedRunIsGone() async throws {
        try await RunScenarios.withDaemon { larder, _, environment in
            let url = "https://itunes.apple.com/search?term=jack+johnson&media=music&limit=50"
            let process = try CommandProcess(
                ["run", "--quiet", "--", "curl", "-sS", "-o", "/dev/null", "-D", "-", url],
                environment: environment, in: larder.directory)
            let head = try await onOwnThread {
                #expect(process.waitForEnd() == .exited(0))
                return process.output
            }
            let line = try #require(head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("X-Request-Id: ") })
            let id = line.dropFirst("X-Request-Id: ".count)
            let explained = try await larder.get("/v1/explain/\(id)").json()
            #expect(explained["path"]?.string == "https://itunes.apple.com/search", "\(id)")
            #expect(try await proxy(larder)["runs"]?.count == 0)
        }
    }
}

@Suite(.serialized, .withChromium, InBrowser())
struct SeenInConsoleScenarios {
    @Test func theConsoleShowsTunnelsAndRunsAlsoOnANarrowScreen() async throws {
        let origin = ScriptedOrigin(answering: ProxyScenarios.page)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/l.sock"
        try await withLarder(
            listen: [#""127.0.0.1:0""#, "\"\(socket)\""], directory: directory
        ) { larder in
            let head = "GET \(origin.base)/a HTTP/1.1\r\nHost: x\r\nX-Larder-Run: 1\r\nConnection: close\r\n\r\n"
            _ = try await larder.send(bytes: Bytes(text: head), to: socket)
            try await ConsoleStand.onPage { page in
                try page.setScreen(width: 360, height: 740, isDark: false)
                try page.open("http://\(larder.address)/providers")
                try page.waitFor("document.querySelectorAll('#runs tr').length == 1")
                #expect(try page.text("#proxy").contains("\(getpid())"))
                #expect(try page.fitsItsWidth())
                #expect(page.complaints == [])
                try page.keepPicture("proxy-narrow")
                try page.disableScripts()
                try page.open("http://\(larder.address)/providers")
                #expect(try page.count("#runs tr") == 1)
                #expect(try page.fitsItsWidth())
            }
        }
    }
}
