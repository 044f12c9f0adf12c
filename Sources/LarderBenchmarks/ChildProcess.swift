// A child process of the harness. It has its own process group, and its output goes to files and never to a pipe, so a
// server cannot stall because nothing reads its output. A child is ended by its own process id, and its whole group
// only if that had no effect. If the harness itself is killed, the kernel ends the child (PR_SET_PDEATHSIG through
// setpriv).
import Glibc

/// A running child. The code that starts it stops it in a `defer`.
final class ChildProcess {
    let name: String
    let pid: pid_t
    private let outputFile: String
    private let errorFile: String
    private let signals: Signals
    private var status: Int32?

    /// - Parameter core: the core to which the child is pinned; nil for any core.
    init(_ name: String, _ command: [String], core: Int?, stand: Stand) throws(Failure) {
        self.name = name
        self.signals = stand.signals
        let base = stand.newFile(name)
        outputFile = base + ".out"
        errorFile = base + ".err"
        var words = ["setpriv", "--pdeathsig", "TERM"]
        if let core { words += ["taskset", "-c", "\(core)"] }
        pid = try Self.spawn(words + command, output: outputFile, errors: errorFile)
    }

    private static func spawn(_ words: [String], output: String, errors: String) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        // All children get the same small environment, so the variables of the user's shell do not change a figure.
        let environment = ["PATH", "HOME", "TMPDIR"].compactMap { (name: String) in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        let arguments = words.map { strdup($0) } + [nil]
        let variables = (environment + ["LC_ALL=C.UTF-8"]).map { strdup($0) } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else { throw .failed(words[0], String(cString: strerror(code))) }
        return pid
    }

    /// Whether the child still runs. Its exit status is remembered.
    var isRunning: Bool {
        guard status == nil else { return false }
        var code: Int32 = 0
        guard waitpid(pid, &code, WNOHANG) != 0 else { return true }
        status = code
        return false
    }

    /// Whether the child has ended with exit code 0.
    var hasSucceeded: Bool { !isRunning && status == 0 }

    /// How the child ended: "exit 1", "signal 9".
    var ending: String {
        guard !isRunning, let status else { return "it runs" }
        return status & 0x7F == 0 ? "exit \(status >> 8)" : "signal \(status & 0x7F)"
    }

    /// The child's standard output so far.
    var output: String { Files.text(of: outputFile) }

    /// The child's standard error so far.
    var errors: String { Files.text(of: errorFile) }

    /// The last lines of the child's standard error, or of its standard output if standard error is empty.
    var complaint: String {
        let text = [errorFile, outputFile].map(Files.text).first { !$0.isEmpty } ?? "it said nothing"
        return text.split(separator: "\n").suffix(5).joined(separator: "; ")
    }

    /// Waits until the test holds. Fails if the child ends before that, or after this many seconds.
    func wait(for what: String, seconds: Int = 20, until test: () -> Bool) throws(Failure) {
        let deadline = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
        while !test() {
            guard isRunning else { throw .failed(name, "ended before \(what): \(complaint)") }
            guard monotonicNanoseconds() < deadline else {
                throw .failed(name, "no \(what) after \(seconds) s: \(complaint)")
            }
            try signals.pause(milliseconds: 1)
        }
    }

    /// Waits until the child has ended, with any status.
    func waitForEnd(seconds: Int) throws(Failure) {
        let deadline = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
        while isRunning {
            guard monotonicNanoseconds() < deadline else { throw .failed(name, "still runs after \(seconds) s") }
            try signals.pause(milliseconds: 50)
        }
    }

    /// Waits until the child has ended, and returns its standard output. Any exit code except 0 is a failure.
    func finish(seconds: Int) throws(Failure) -> String {
        try waitForEnd(seconds: seconds)
        guard status == 0 else { throw .failed(name, complaint) }
        return output
    }

    /// Kills the child at once.
    func killOutright() {
        guard isRunning else { return }
        kill(pid, SIGKILL)
        var code: Int32 = 0
        waitpid(pid, &code, 0)
        status = code
    }

    /// Stops the child: sends SIGTERM, waits five seconds, then kills its whole group.
    func stop() {
        guard isRunning else { return }
        kill(pid, SIGTERM)
        let deadline = monotonicNanoseconds() + 5_000_000_000
        while isRunning, monotonicNanoseconds() < deadline {
            // A further interruption is ignored, because the child is already being stopped.
            try? signals.pause(milliseconds: 20)
        }
        guard isRunning else { return }
        kill(-pid, SIGKILL)
        var code: Int32 = 0
        waitpid(pid, &code, 0)
        status = code
    }
}
