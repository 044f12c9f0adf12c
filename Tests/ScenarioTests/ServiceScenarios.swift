// The daemon under a service manager: readiness and signs of life, inherited sockets, the journal, credentials.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ServiceScenarios {
    /// The manager's end of the notification socket (sd_notify(3)).
    ///
    /// A thread of its own reads it. The kernel keeps only a few messages, and the daemon drops those without room.
    final class NotifySocket {
        let path: String
        private let descriptor: Int32
        /// The lines of each message that was not taken yet.
        private let heard = Lock<[[String]]>([])
        private var reader: SystemThread?

        init(in directory: TemporaryDirectory) throws {
            path = "\(directory.path)/notify"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard bound == 0 else { throw WireError("cannot bind \(path)") }
            reader = startThread { [descriptor, heard] in
                var buffer = Bytes(repeating: 0, count: 4096)
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    let lines = Bytes(buffer[..<count]).lossyText.split(separator: "\n").map(String.init)
                    heard.withLock { $0.append(lines) }
                }
            }
        }

        deinit {
            // Ends the thread's wait.
            shutdown(descriptor, Int32(SHUT_RDWR))
            reader?.join()
            close(descriptor)
        }

        /// The lines of the next message.
        func next() throws -> [String] {
            var lines: [String]?
            try blockUntil("the manager hears something") {
                lines = heard.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return lines != nil
            }
            return lines ?? []
        }

        /// Takes messages until one contains the line. Returns the lines of the messages before it.
        func wait(for line: String) throws -> [String] {
            var before: [String] = []
            while true {
                let lines = try next()
                if lines.contains(line) { return before }
                before += lines
            }
        }
    }

    private func configuration(_ directory: TemporaryDirectory, listen: String = "127.0.0.1:0", _ more: String = "")
        -> String
    {
        """
        listen: ["\(listen)"]
        cache: { path: "\(directory.path)/cache" }
        state: { path: "\(directory.path)/state" }
        \(more)
        """
    }

    @Test func theManagerHearsOfReadinessLifeAndTheEnd() async throws {
        let directory = TemporaryDirectory()
        var launch = LarderLaunch(configuration(directory))
        // One sign of life each second. The kernel keeps ten messages for a manager that does not read.
        launch.environment = ["NOTIFY_SOCKET": "\(directory.path)/notify", "WATCHDOG_USEC": "2000000"]
        launch.prelude = "export WATCHDOG_PID=$$"
        try await onOwnThread { [launch] in
            let manager = try NotifySocket(in: directory)
            let larder = try LarderProcess(launch, in: directory)
            let first = try manager.next()
            #expect(first.first == "READY=1")
            #expect(first.contains { $0.hasPrefix("STATUS=Answering on 127.0.0.1:") })
            // The addresses are printed before READY. READY means that the daemon answers now.
            let address = try larder.listening(within: .milliseconds(100))[0]
            #expect(try LarderProcess.get("/readyz", at: address).status == 200)
            for _ in 0..<3 { #expect(try manager.wait(for: "WATCHDOG=1") == []) }
            larder.signal(SIGHUP)
            try blockUntil("it has read its file again") { larder.standardError.contains("read again") }
            larder.signal(SIGTERM)
            let before = try manager.wait(for: "STOPPING=1")
            #expect(!before.contains("READY=1"))
            #expect(try larder.waitForEnd() == .exited(0))
        }
    }

    @Test func aWatchdogOverAnotherProcessIsNotFed() async throws {
        let directory = TemporaryDirectory()
        var launch = LarderLaunch(configuration(directory))
        launch.environment = [
            "NOTIFY_SOCKET": "\(directory.path)/notify", "WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1",
        ]
        try await onOwnThread { [launch] in
            let manager = try NotifySocket(in: directory)
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening()[0]
            // Each of these requests takes longer than half of the interval.
            for _ in 0..<20 { #expect(try LarderProcess.get("/healthz", at: address).status == 200) }
            larder.signal(SIGTERM)
            let before = try manager.wait(for: "STOPPING=1")
            #expect(before.contains("READY=1") && !before.contains("WATCHDOG=1"))
            try larder.waitForEnd()
        }
    }

    /// A listening socket of the test's own, and its address.
    private func listening() throws -> (descriptor: Int32, address: String) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw WireError("no listening socket") }
        return (descriptor, "127.0.0.1:\(UInt16(bigEndian: name.sin_port))")
    }

    @Test func anInheritedSocketIsUsedAndKeepsWhoCameBefore() async throws {
        let directory = TemporaryDirectory()
        let (descriptor, address) = try listening()
        defer { close(descriptor) }
        var launch = LarderLaunch(configuration(directory, listen: address))
        launch.prelude = "export LISTEN_PID=$$ LISTEN_FDS=1"
        launch.third = descriptor
        try await onOwnThread { [launch] in
            // This client connects before the daemon starts, as socket activation allows.
            let early = try WireClient(address)
            try early.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let larder = try LarderProcess(launch, in: directory)
            #expect(try larder.listening() == [address])
            #expect(try early.receive().status == 200)
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            #expect(larder.standardOutput == "listening \(address)\n")
            // The manager's socket outlives the daemon. No client is refused between two daemons.
            let late = try WireClient(address)
            try late.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let next = try LarderProcess(launch, in: directory)
            #expect(try next.listening() == [address])
            let answer = try late.receive()
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test func socketsMeantForAnotherProcessAreLeftAlone() async throws {
        let directory = TemporaryDirectory()
        let (descriptor, address) = try listening()
        defer { close(descriptor) }
        var launch = LarderLaunch(configuration(directory, listen: address))
        launch.environment = ["LISTEN_PID": "1", "LISTEN_FDS": "1"]
        launch.third = descriptor
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            #expect(try larder.waitForEnd() == .exited(1))
            #expect(larder.standardOutput == "")
            #expect(larder.standardError.contains("\(address)"), "\(larder.standardError)")
            #expect(larder.standardError.contains("Address already in use"), "\(larder.standardError)")
            #expect(larder.standardError.contains("--listen 127.0.0.1:8790"), "\(larder.standardError)")
        }
    }

    @Test func linesForTheJournalCarryTheirPriority() async throws {
        let directory = TemporaryDirectory()
        var launch = LarderLaunch(configuration(directory, "log: { level: debug, access: all }"))
        launch.prelude = "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)"
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening()[0]
            #expect(try LarderProcess.get("/nowhere", at: address).status == 404)
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            let lines = larder.standardError.split(separator: "\n")
            #expect(lines.count >= 4, "\(lines)")
            for line in lines {
                #expect(line.first == "<" && line.dropFirst(2).first == ">", "\(line)")
                #expect(line.dropFirst().first.map { "34567".contains($0) } == true, "\(line)")
            }
            #expect(lines.contains { $0.hasPrefix("<5>larder: started") }, "\(lines)")
        }
    }

    @Test func credentialsAreReadFromTheirDirectoryAndNeverTold() async throws {
        let (key, token) = ("0123456789abcdef-news", "fedcba9876543210-admin")
        let origin = ScriptedOrigin { request in
            request.target.contains("country=us")
                ? [.send(ok(MannersScenarios.headlines, fields: "Content-Type: application/json\r\n"))]
                : [.send(ok(#"{"status":"error","code":"apiKeyInvalid"}"#, status: "401 Unauthorized"))]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        mkdir("\(directory.path)/credentials", 0o700)
        directory.write("credentials/newsapi.key", key + "\n")
        directory.write("credentials/admin.token", token + "\n")
        var launch = LarderLaunch(
            configuration(
                directory,
                "log: { level: debug, access: all }\nproviders: { newsapi: { baseURL: \"\(origin.base)/v2\" } }"))
        launch.environment = ["CREDENTIALS_DIRECTORY": "\(directory.path)/credentials"]
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening()[0]
            var shown: [String] = []
            for country in ["us", "de"] {
                shown.append(try LarderProcess.get("/v1/news/headlines?country=\(country)", at: address).description)
            }
            // A trial with the question that succeeded may follow.
            #expect(origin.requests.prefix(2).map { $0.target.contains("country=us") } == [true, false])
            for request in origin.requests { #expect(request.field("X-Api-Key") == key) }
            for word in [token, "wrong-\(token)"] {
                let client = try WireClient(address)
                try client.send(
                    "DELETE /v1/cache?all=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(word)\r\n\r\n")
                let answer = try client.receive()
                #expect(answer.status == (word == token ? 200 : 401), "\(answer)")
                shown.append(answer.description)
            }
            for target in ["/v1/status", "/metrics"] {
                shown.append(try LarderProcess.get(target, at: address).description)
            }
            larder.signal(SIGHUP)
            try blockUntil("it has read its file again") { larder.standardError.contains("read again") }
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            shown += [larder.standardError, larder.standardOutput]
            for text in shown {
                #expect(!text.contains(key))
                #expect(!text.contains(token))
            }
        }
    }

    @Test(arguments: [
        "admin: { token: \"far-too-short and in two pieces\" }",
        "providers: { newsapi: { key: \"far-too-short and in two pieces\" } }",
    ])
    func aSecretThatIsRefusedIsNotTold(_ setting: String) async throws {
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(configuration(directory, setting))
        try await onOwnThread {
            let larder = try LarderProcess(launch, in: directory)
            #expect(try larder.waitForEnd() != .exited(0))
            #expect(larder.standardError.contains(larder.configurationFile), "\(larder.standardError)")
            #expect(!larder.standardError.contains("far-too-short"), "\(larder.standardError)")
        }
    }
}
