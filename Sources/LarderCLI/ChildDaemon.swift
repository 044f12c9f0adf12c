// A temporary daemon: this program as a child process with `serve`, on ports that the kernel chooses.
import Glibc
import LarderCore
import LarderIO

/// A child process that runs the daemon.
final class ChildDaemon: Sendable {
    let pid: pid_t
    /// The addresses it listens on, in the order of its configuration.
    let addresses: [String]
    private let output: Int32
    private let isEnded = Lock(false)

    /// Starts `larder serve --config` and reads its `listening ADDRESS` lines.
    convenience init(
        configuration: String, listeners: Int, environment: [String: String]
    ) throws(CommandFailure) {
        try self.init(["serve", "--config", configuration], listeners: listeners, environment: environment)
    }

    /// Starts `larder` with these words and reads its `listening ADDRESS` lines.
    /// - Parameters:
    ///   - listeners: the number of such lines to wait for.
    ///   - environment: the child's whole environment.
    init(
        _ words: [String], listeners: Int, environment: [String: String], endsWithParent: Bool = false,
        within limit: Duration = .seconds(20)
    ) throws(CommandFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CommandFailure(.failed, "a pipe cannot be created") }
        let (reader, writer) = (ends[0], ends[1])
        // Other children must not hold it.
        _ = fcntl(reader, F_SETFD, FD_CLOEXEC)
        var life: [Int32] = [-1, -1]
        if endsWithParent, pipe(&life) == 0 { _ = fcntl(life[1], F_SETFD, FD_CLOEXEC) }
        defer { if life[0] >= 0 { Syscall.close(life[0]) } }
        // The other end stays open as long as this process lives.
        let child = Self.spawn(
            ["larder"] + words, input: life[0], environment: environment, output: writer, closing: reader)
        Syscall.close(writer)
        guard let child else {
            Syscall.close(reader)
            throw CommandFailure(.failed, "a second process of this program cannot be started")
        }
        do throws(CommandFailure) {
            addresses = try Self.listening(reader, count: listeners, within: limit)
        } catch {
            kill(child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
            Syscall.close(reader)
            throw error
        }
        pid = child
        output = reader
    }

    /// Asks the child to stop and waits until it has ended.
    /// - Returns: whether it ended within the time and without an error.
    func stop() -> Bool {
        let isFirst = isEnded.withLock { ended in
            defer { ended = true }
            return !ended
        }
        guard isFirst else { return true }
        kill(pid, SIGTERM)
        // The end of the child's output means the end of the child, because no other process holds the pipe. Half a
        // minute is also the limit in the unit file.
        var wanted = pollfd(fd: output, events: 0, revents: 0)
        let isGone = poll(&wanted, 1, 30_000) > 0
        if !isGone { kill(pid, SIGKILL) }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        Syscall.close(output)
        return isGone && status == 0
    }

    private static func spawn(
        _ words: [String], input: Int32, environment: [String: String], output: Int32, closing: Int32
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if input >= 0 {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, closing)
        posix_spawn_file_actions_addclose(&actions, output)
        // The child gets its own process group, so that Ctrl-C reaches only the parent, which then stops the child in
        // order. No signals are blocked in the child.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in arguments + variables { free(pointer) }
        }
        var child = pid_t()
        return posix_spawn(&child, "/proc/self/exe", &actions, &attributes, &arguments, &variables) == 0 ? child : nil
    }

    /// The addresses in the child's first lines.
    private static func listening(
        _ reader: Int32, count: Int, within limit: Duration
    ) throws(CommandFailure) -> [String] {
        let clock = SystemTime()
        let deadline = clock.monotonic() + limit
        var text = Bytes()
        var chunk = Bytes(repeating: 0, count: 4096)
        while true {
            let found = text.lossyText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .compactMap { $0.hasPrefix("listening ") ? String($0.dropFirst("listening ".count)) : nil }
            if found.count >= count { return found }
            let rest = (deadline - clock.monotonic()).milliseconds
            var wanted = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard rest > 0, poll(&wanted, 1, Int32(clamping: rest)) > 0 else {
                throw CommandFailure(.noDaemon, "the daemon did not start to listen in time")
            }
            guard case .bytes(let size) = chunk.withUnsafeMutableBytes({ Syscall.read(reader, into: $0) }) else {
                throw CommandFailure(.noDaemon, "the daemon ended before it started to listen")
            }
            text += chunk.prefix(size)
        }
    }
}
