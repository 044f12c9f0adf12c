// The command line on a terminal, as a person uses it: a child process behind a pseudo-terminal.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

/// `larder` with a terminal as its standard output.
private final class TerminalCommand: Sendable {
    private let pid: pid_t
    private let terminal: Int32
    private let hasEnded = Lock(false)

    init(_ words: [String]) throws {
        // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h, as posix_openpt(3) and related functions use them.
        terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        guard terminal >= 0, ioctl(terminal, 0x4004_5431, &unlocked) == 0, ioctl(terminal, 0x8004_5430, &number) == 0
        else { throw WireError("no pseudo-terminal") }
        let file = "/dev/pts/\(number)"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_RDWR | O_NOCTTY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var variables = ["HOME=/nowhere", "TERM=xterm", "COLUMNS=100"]
        for name in ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
        }
        let program = try LarderProcess.program()
        let arguments = ([program] + words).map { strdup($0) } + [nil]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        var child = pid_t()
        let code = posix_spawn(&child, program, &actions, &attributes, arguments, environment)
        guard code == 0 else { throw WireError("\(program): \(String(cString: strerror(code)))") }
        pid = child
    }

    deinit {
        if !hasEnded.withLock({ $0 }) {
            kill(pid, SIGKILL)
            _ = end()
        }
        close(terminal)
    }

    /// What is shown until the text appears, or until the command ends.
    func shown(until text: String?) throws -> String {
        var all = Bytes()
        var buffer = Bytes(repeating: 0, count: 4096)
        while text.map({ !all.lossyText.contains($0) }) ?? true {
            var wanted = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 30_000) > 0 else { throw WireError("shown so far: \(all.lossyText)") }
            // Reading fails with EIO when no process holds the other side any more.
            let count = read(terminal, &buffer, buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return all.lossyText
    }

    func interrupt() { kill(pid, SIGINT) }

    /// The exit status, or 128 plus the number of the signal that ended the command.
    func end() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) != pid, errno == EINTR {}
        hasEnded.withLock { $0 = true }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

@Suite struct TerminalScenarios {
    private let words = ["search", "fire", "--source", "itunes,newsapi,dnd5e", "--url"]
    /// So long that no call ends by its own limit while a test waits for the end of its connection.
    private let longLimits = "fetch: { deadline: 10min }\nsearch: { deadline: 5min }"

    @Test func sourcesAreShownAsTheyComeAndThenTheTable() async throws {
        let market = Market()
        let gate = Gate()
        defer {
            gate.open()
            market.origin.stop()
        }
        market.set("dnd5e", .await(gate), .send(ok(#"{"count":0,"results":[]}"#)))
        try await withLarder(market.configuration()) { larder in
            let (early, rest, status) = try await onOwnThread { [words, url = "http://\(larder.address)"] in
                let command = try TerminalCommand(words + [url])
                let early = try command.shown(until: " · waiting for dnd5e\u{1B}[K")
                gate.open()
                return (early, try command.shown(until: nil), command.end())
            }
            #expect(early.contains("\rwaiting for itunes, newsapi, dnd5e\u{1B}[K"), "\(early)")
            #expect(early.contains("itunes 3") && early.contains("newsapi 2"))
            #expect(status == 0)
            let table = try #require(rest.split(separator: "\r\u{1B}[K").last)
            #expect(table.contains("TITLE") && table.contains("zebra fire") && table.contains("dnd5e 0"), "\(rest)")
        }
    }

    @Test func interruptingEndsAtOnceAndCancelsInTheDaemon() async throws {
        let market = Market()
        let left = Gate()
        defer { market.origin.stop() }
        market.set("dnd5e", .hold, .call { left.open() })
        try await withLarder(market.configuration([:], longLimits)) { larder in
            let status = try await onOwnThread { [words, url = "http://\(larder.address)"] in
                let command = try TerminalCommand(words + [url])
                _ = try command.shown(until: " · waiting for dnd5e\u{1B}[K")
                command.interrupt()
                return command.end()
            }
            #expect(status == 130)
            let isLeft = try await onOwnThread { left.opens(within: .seconds(60)) }
            #expect(isLeft, "the call goes on")
            try await larder.eventually("it is cancelled") {
                try await larder.counter("larder_live_searches_total", #"state="cancelled""#) == 1
            }
        }
    }

    @Test func interruptingASearchInAPipeEndsItToo() async throws {
        let market = Market()
        let (asked, left) = (Gate(), Gate())
        defer { market.origin.stop() }
        market.set("dnd5e", .call { asked.open() }, .hold, .call { left.open() })
        try await withLarder(market.configuration([:], longLimits)) { larder in
            let status = try await onOwnThread { [words, url = "http://\(larder.address)"] in
                let command = try TerminalCommand(words + [url, "--json"])
                asked.wait()
                command.interrupt()
                return command.end()
            }
            #expect(status == 130)
            let isLeft = try await onOwnThread { left.opens(within: .seconds(60)) }
            #expect(isLeft, "the call goes on")
        }
    }

    @Test func aViewThatIsInterruptedPutsTheTerminalBack() async throws {
        try await withLarder { larder in
            let (shown, rest, status) = try await onOwnThread { [url = "http://\(larder.address)"] in
                let command = try TerminalCommand(["top", "--url", url])
                let shown = try command.shown(until: "requests/s")
                command.interrupt()
                return (shown, try command.shown(until: nil), command.end())
            }
            #expect(shown.contains("\u{1B}[?1049h"), "\(shown)")
            #expect(rest.contains("\u{1B}[?25h\u{1B}[?1049l"), "\(rest)")
            #expect(status == 130)
        }
    }
}
