// The daemon as a process: what it prints, how it stops, how it reads its configuration again, and its limits.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ProcessScenarios {
    /// An origin that answers once the gate is open.
    static func gated(_ gate: Gate) -> ScriptedOrigin {
        ScriptedOrigin { request in
            [.await(gate), .send(ok("held back", fields: "Content-Type: text/plain\r\n"))]
        }
    }

    static func isRefusing(_ address: String) -> Bool {
        (try? WireClient(address)) == nil
    }

    @Test func standardOutputIsTheAddressesInTheirOrderAndNothingElse() async throws {
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/larder.sock"
        let launch = LarderLaunch(
            """
            listen: ["127.0.0.1:0", { address: "127.0.0.1:0", provider: itunes }, "\(socket)"]
            cache: { path: "\(directory.path)/cache" }
            state: { path: "\(directory.path)/state" }
            """)
        try await onOwnThread {
            let larder = try LarderProcess(launch, in: directory)
            let addresses = try larder.listening(3)
            #expect(addresses[0].hasPrefix("127.0.0.1:") && !addresses[0].hasSuffix(":0"))
            #expect(addresses[1].hasPrefix("127.0.0.1:") && addresses[1] != addresses[0])
            #expect(addresses[2] == socket)
            for address in [addresses[0], socket] {
                #expect(try LarderProcess.get("/readyz", at: address).status == 200)
            }
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            #expect(larder.standardOutput == addresses.map { "listening \($0)\n" }.joined())
            #expect(access("\(directory.path)/larder.sock", F_OK) != 0, "the socket's file goes with the daemon")
            #expect(larder.complaints() == [])
        }
    }

    @Test func theAnswerInHandIsFinishedBeforeTheEnd() async throws {
        let gate = Gate()
        let origin = Self.gated(gate)
        defer { origin.stop() }
        defer { gate.open() }
        let directory = TemporaryDirectory()
        // With one loop all connections learn of the stop together. A loop that does not know of it answers as always.
        let launch = LarderLaunch(
            TellingOrigin.configuration(
                origin, in: directory,
                more: "server: { loops: 1, drainTimeout: 5min }\nfetch: { deadline: 10min }"))
        try await onOwnThread {
            let larder = try LarderProcess(launch, in: directory)
            let addresses = try larder.listening(2)
            let idle = try WireClient(addresses[0])
            let client = try WireClient(addresses[1])
            try client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try blockUntil("the origin is asked") { !origin.requests.isEmpty }
            larder.signal(SIGTERM)
            try blockUntil("nobody new is let in") { Self.isRefusing(addresses[0]) && Self.isRefusing(addresses[1]) }
            #expect(try idle.isClosed(), "a connection without a request is closed at once")
            gate.open()
            let answer = try client.receive()
            #expect(answer.status == 200)
            #expect(answer.text == "held back")
            #expect(answer["Connection"] == "close")
            #expect(try client.isClosed())
            #expect(try larder.waitForEnd() == .exited(0))
            #expect(larder.complaints() == [])
        }
    }

    @Test(arguments: ["deadline", "second signal"])
    func anAnswerThatDoesNotComeHoldsUpTheEndUntil(_ what: String) async throws {
        let gate = Gate()
        let origin = Self.gated(gate)
        defer { origin.stop() }
        defer { gate.open() }
        let directory = TemporaryDirectory()
        let timeout = what == "deadline" ? "300ms" : "300s"
        let launch = LarderLaunch(
            TellingOrigin.configuration(
                origin, in: directory, more: "server: { drainTimeout: \(timeout) }\nfetch: { deadline: 300s }"))
        try await onOwnThread {
            let larder = try LarderProcess(launch, in: directory)
            let addresses = try larder.listening(2)
            let client = try WireClient(addresses[1])
            try client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try blockUntil("the origin is asked") { !origin.requests.isEmpty }
            larder.signal(SIGTERM)
            try blockUntil("nobody new is let in") { Self.isRefusing(addresses[0]) }
            if what == "second signal" { larder.signal(SIGTERM) }
            #expect(try larder.waitForEnd(within: .seconds(100)) == .exited(0))
            // The connection is not just closed: the answer says that the client may ask again.
            let answer = try client.receive()
            #expect(answer.status == 503, "\(answer)")
            #expect(answer["Connection"] == "close")
            #expect(try answer.json()["code"]?.string == "stopping")
            #expect(answer.text.contains("server.drainTimeout"))
        }
    }

    @Test func aBadFileAtHangUpIsLoggedAndTheOldSettingsStay() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let configuration = TellingOrigin.configuration(origin, in: directory)
        try await onOwnThread {
            let larder = try LarderProcess(LarderLaunch(configuration), in: directory)
            let addresses = try larder.listening(2)
            let client = try WireClient(addresses[1])
            func ask(_ target: String) throws -> String {
                try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let response = try client.receive()
                #expect(DamageScenarios.isRight(response, target), "\(response.statusLine)")
                return response["Cache-Status"] ?? ""
            }
            func rewrite(_ text: String) {
                let name = larder.configurationFile.split(separator: "/").last.map(String.init) ?? ""
                directory.write(name, text)
                larder.signal(SIGHUP)
            }
            _ = try ask("/file/0")
            rewrite(configuration + "\ncahce: { maxSize: 1 GiB }")
            try blockUntil("the bad file is reported") { larder.standardError.contains("is not used") }
            let report = larder.complaints().first ?? ""
            #expect(report.contains(" error ") && report.contains("cahce") && report.contains(larder.configurationFile))
            #expect(try ask("/file/0").hasPrefix("larder; hit"), "the connection and the cache are still there")
            rewrite(configuration.replacing("minFree: 0", with: "minFree: 0, maxObject: 1 KiB"))
            try blockUntil("the good file is taken") { larder.standardError.contains("configuration read again") }
            #expect(try ask("/file/0").hasPrefix("larder; hit"))
            let target = "/larger/3000"
            let answer = try LarderProcess.get(target, at: addresses[1])
            #expect(
                answer["Cache-Status"]?.contains("stored") != true, "the new limit is in force: \(answer.statusLine)")
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
        }
    }

    @Test func aConfigurationThatIsAPipeAtHangUpHoldsUpNobody() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let configuration = TellingOrigin.configuration(origin, in: directory)
        try await onOwnThread {
            let larder = try LarderProcess(LarderLaunch(configuration), in: directory)
            let address = try larder.listening(2)[1]
            #expect(unlink(larder.configurationFile) == 0)
            #expect(mkfifo(larder.configurationFile, 0o600) == 0)
            larder.signal(SIGHUP)
            // If the pipe were not refused, the reload would wait for a writer, and a later signal would wait too.
            try blockUntil("the pipe is reported") { larder.standardError.contains("is a pipe") }
            #expect(try LarderProcess.get("/file/0", at: address).status == 200)
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
        }
    }

    @Test func aDaemonThatMayOpenTooFewFilesSaysSoAndEnds() async throws {
        let directory = TemporaryDirectory()
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        var launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory))
        launch.prelude = "ulimit -n 44"
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            let end = try larder.waitForEnd()
            #expect(end != .exited(0))
            #expect(larder.standardError.contains("open files: this process may open 44 files and needs "))
        }
    }

    /// Halts the process until SIGCONT. When this returns, all its threads stand still.
    private static func halt(_ larder: LarderProcess) throws {
        larder.signal(SIGSTOP)
        try blockUntil("the daemon stands still") {
            var info = siginfo_t()
            // This asks for a stop only and reaps nothing: an end of the process is left to `LarderProcess`.
            return waitid(P_PID, id_t(larder.pid), &info, WSTOPPED | WNOHANG) == 0 && info.si_signo == SIGCHLD
        }
    }

    /// With the fewest open files: more clients come than the files are for, each with its own large body.
    @Test func withTheFewestOpenFilesEverybodyIsServed() async throws {
        let directory = TemporaryDirectory()
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        var launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory, more: "server: { loops: 1 }"))
        // The sum of 64, 7 for each of two loops, two listeners, and 16.
        launch.prelude = "ulimit -n 96"
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening(2)[1]
            for _ in 0..<2 {
                let targets = (0..<40).map { "/file/\($0 * 16 + 1)" }
                // The daemon stands still meanwhile, so it finds all clients at once and each with its request. It may
                // close connections without a request to make room.
                try Self.halt(larder)
                let clients = try targets.map { target in
                    let client = try WireClient(address)
                    try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    return client
                }
                larder.signal(SIGCONT)
                for (client, target) in zip(clients, targets) {
                    let answer = try client.receive()
                    #expect(answer.status == 200 && answer.body == TellingOrigin.body(target))
                }
            }
        }
    }

    @Test func theLimitOfOpenFilesIsRaisedAsFarAsItMay() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        var launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory))
        launch.prelude = "ulimit -Sn 64"
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening(2)[1]
            let clients = try (0..<200).map { _ in try WireClient(address) }
            for client in clients { try client.send("GET /file/1 HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            for client in clients { #expect(try client.receive().status == 200) }
            let limits = String(decoding: try readFile("/proc/\(larder.pid)/limits"), as: UTF8.self)
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            let figures = line.split(separator: " ").suffix(3)
            #expect(figures.first == figures.dropFirst().first, "\(line)")
        }
    }
}
