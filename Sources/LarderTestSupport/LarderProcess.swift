// Runs the program as a child process, for tests of kills, signals, descriptors, limits, standard output, and the
// service manager's protocol. The child is always ended, by its own process id, even if the test fails.
import CLinux
import Glibc
import LarderCore
import LarderSettings

/// How a child is started.
public struct LarderLaunch: Sendable {
    /// The complete YAML of the configuration file.
    public var configuration: String
    /// The child's whole environment, apart from the variables that a sanitized or instrumented build needs.
    public var environment: [String: String] = [:]
    /// Shell text that runs before the shell executes the program, such as `ulimit -f 64` or `export LISTEN_PID=$$`.
    public var prelude: String?
    /// The descriptor that the child gets as number 3, at which service managers pass the first socket.
    public var third: Int32?

    public init(_ configuration: String) {
        self.configuration = configuration
    }
}

/// A `larder serve` process that belongs to one test.
public final class LarderProcess: Sendable {
    /// How a process ended.
    public enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    public let pid: pid_t
    /// The path of its configuration file, which a test may rewrite. The limits of `PatientLimits` are in the child's
    /// environment, which outranks the file.
    public let configurationFile: String
    private let errorFile: String
    private let output: Int32
    private struct State {
        var said = Bytes()
        var end: End?
    }
    private let state = Lock(State())

    /// Starts the program from the tests' build folder, with a configuration file in the directory.
    public init(_ launch: LarderLaunch, in directory: TemporaryDirectory) throws {
        let number = Self.count.withLock { count -> Int in
            count += 1
            return count
        }
        let file = directory.write("larder-\(number).yaml", launch.configuration)
        configurationFile = file
        errorFile = "\(directory.path)/stderr-\(number)"
        var words = [try Self.program(), "serve", "--config", file]
        if let prelude = launch.prelude { words = ["/bin/sh", "-c", "\(prelude)\nexec \"$0\" \"$@\""] + words }
        // A pair of sockets is used instead of a pipe because it can be created with close-on-exec, so no other child
        // inherits it. The end of the output then means that the child has ended.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw WireError("no socket pair") }
        defer { close(ends[1]) }
        var environment = ["HOME": directory.path, "PATH": "/usr/bin:/bin"]
        for name in ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        // As in `withLarder`: tests must not depend on the speed of disk and machine, unless that is their subject.
        if !launch.configuration.contains("patience:") { environment["LARDER_CACHE_PATIENCE"] = "30s" }
        environment.merge(launch.environment) { $1 }
        // A configuration that cannot be loaded here is the subject of its test.
        if let plain = try? SettingsLoader().load(file: file, environment: environment) {
            for (path, value) in PatientLimits.values(for: plain) {
                environment[SettingsTable.environmentName(of: path)] = value
            }
        }
        pid = try Self.spawn(words, environment, output: ends[1], errors: errorFile, third: launch.third)
        output = ends[0]
    }

    deinit {
        end()
        close(output)
    }

    // MARK: What it says

    /// Waits for this many lines on standard output and returns the addresses in them.
    /// - Throws: if a line is not "listening ADDRESS", or if the process ends or the time is over before that.
    public func listening(_ lines: Int = 1, within limit: Duration = .seconds(300)) throws -> [String] {
        let deadline = SystemTime().monotonic() + limit
        while true {
            let found = standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast().prefix(lines)
            if found.count == lines {
                return try found.map { line in
                    guard line.hasPrefix("listening ") else { throw WireError("said \(line)") }
                    return String(line.dropFirst("listening ".count))
                }
            }
            guard try readOutput(until: deadline) else {
                throw WireError("the daemon ended before it listened: \(standardError)")
            }
        }
    }

    /// The text that the child wrote to standard output, as far as it was read.
    public var standardOutput: String { state.withLock { $0.said.lossyText } }

    /// All text that the child has written to standard error so far.
    public var standardError: String { Self.text(of: errorFile) }

    /// The text of a file; empty if there is none.
    static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = Bytes()
        var buffer = Bytes(repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return bytes.lossyText }
            bytes += buffer[..<count]
        }
    }

    /// The lines of standard error with a level above notice, in the log's text format.
    public func complaints() -> [String] {
        standardError.split(separator: "\n").map(String.init).filter { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count > 1 else { return true }
            return !["debug", "info", "notice"].contains(words[1])
        }
    }

    // MARK: Its life

    public func signal(_ number: Int32) {
        state.withLock { state in
            // After the child was reaped, its process id may belong to another process.
            if state.end == nil { kill(pid, number) }
        }
    }

    /// Waits until the child has ended. A child that does not end in time is killed, and the method throws.
    @discardableResult
    public func waitForEnd(within limit: Duration = .seconds(300)) throws -> End {
        let deadline = SystemTime().monotonic() + limit
        do {
            while try readOutput(until: deadline) {}
        } catch {
            end()
            throw WireError("the process did not end in time: \(standardError)")
        }
        return reap()
    }

    /// Kills the child if it still runs.
    public func end() {
        signal(SIGKILL)
        _ = reap()
    }

    private func reap() -> End {
        state.withLock { state in
            if let known = state.end { return known }
            let end = Self.reap(pid)
            state.end = end
            return end
        }
    }

    /// Waits for a child, whose id is free after that.
    static func reap(_ pid: pid_t) -> End {
        var status: Int32 = 0
        // Repeats the call if a signal interrupted it.
        for _ in 0..<100 where waitpid(pid, &status, 0) == pid { break }
        let number = status & 0x7F
        return number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
    }

    /// Reads more of standard output. Returns false at its end.
    private func readOutput(until deadline: MonotonicTime) throws -> Bool {
        // Available output is read even after the deadline, because this thread may have waited for a processor since
        // the deadline was computed.
        var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        var found: Int32
        repeat {
            let rest = max(0, (deadline - SystemTime().monotonic()).milliseconds)
            found = poll(&wanted, 1, Int32(clamping: rest))
            // A signal that this process handles, such as SIGCHLD, is no end of the wait.
        } while found < 0 && errno == EINTR
        guard found > 0 else { throw WireError("the daemon said nothing in time: \(standardError)") }
        var buffer = Bytes(repeating: 0, count: 4096)
        var count: Int
        repeat { count = recv(output, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        guard count > 0 else { return false }
        state.withLock { $0.said += buffer[..<count] }
        return true
    }

    // MARK: Making it

    private static let count = Lock(0)

    /// The folder of the running test bundle. The link is read and not resolved: after another build has replaced the
    /// bundle, the link names a file that is gone, but still in this folder.
    private static let folder: String? = {
        var buffer = Bytes(repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            readlink("/proc/self/exe", bytes.bindMemory(to: CChar.self).baseAddress!, bytes.count)
        }
        guard count > 0 else { return nil }
        return Bytes(buffer[..<count]).lossyText.split(separator: "/").dropLast().joined(separator: "/")
    }()

    /// The path of `larder` in the folder of the running test bundle. Both come from the same build.
    public static func program() throws -> String {
        guard let folder else { throw WireError("no /proc") }
        let path = "/\(folder)/larder"
        guard access(path, X_OK) == 0 else { throw WireError("\(path) is not built") }
        return path
    }

    static func spawn(
        _ words: [String], _ environment: [String: String], output: Int32, errors: String, third: Int32?
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if let third { posix_spawn_file_actions_adddup2(&actions, third, 3) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var child = pid_t()
        let code = posix_spawn(&child, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else { throw WireError("\(words[0]): \(String(cString: strerror(code)))") }
        return child
    }
}

extension LarderProcess {
    /// Waits until the daemon has committed all stored answers. It commits them a little later than it gives them out,
    /// and a stop does not wait long for a slow disk. Blocks.
    /// - Parameter address: of the daemon's own interface.
    public static func awaitCommits(at address: String) throws {
        try blockUntil("all answers are committed") {
            try get("/metrics", at: address).text.contains("\nlarder_store_uncommitted 0\n")
        }
    }

    /// Sends one request over a new connection. Blocks.
    public static func get(
        _ target: String, at address: String, _ fields: (String, String)...
    ) throws -> WireResponse {
        let client = try WireClient(address)
        let more = fields.map { "\($0): \($1)\r\n" }.joined()
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(more)\r\n")
        return try client.receive()
    }
}
