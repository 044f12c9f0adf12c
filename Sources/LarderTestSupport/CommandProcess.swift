// Runs a command of the program as a child process, for tests of signals and exit statuses.
import Glibc
import LarderCore

/// `larder …` with its outputs in files. If it still runs when the last reference is released, it is killed.
public final class CommandProcess: Sendable {
    public let pid: pid_t
    private let outputFile: String
    private let errorFile: String
    private let end = Lock<LarderProcess.End?>(nil)

    /// - Parameter hasReader: false connects the output to a pipe whose reading end is closed.
    public init(
        _ words: [String], environment: [String: String] = [:], hasReader: Bool = true,
        in directory: TemporaryDirectory
    ) throws {
        let number = Self.count.withLock { count -> Int in
            count += 1
            return count
        }
        outputFile = directory.write("output-\(number)", "")
        errorFile = directory.write("errors-\(number)", "")
        var variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin"]
        for name in ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        variables.merge(environment) { $1 }
        var output = open(outputFile, O_WRONLY | O_APPEND | O_CLOEXEC)
        if !hasReader {
            close(output)
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else {
                throw WireError("no pipe for the output")
            }
            close(ends[0])
            output = ends[1]
        }
        guard output >= 0 else { throw WireError("no file for the output") }
        defer { close(output) }
        pid = try LarderProcess.spawn(
            [try LarderProcess.program()] + words, variables, output: output, errors: errorFile, third: nil)
    }

    deinit {
        signal(SIGKILL)
        _ = waitForEnd()
    }

    private static let count = Lock(0)

    public func signal(_ number: Int32) {
        end.withLock { end in
            // After the child was reaped, its process id may belong to another process.
            if end == nil { kill(pid, number) }
        }
    }

    /// Blocks until the process has ended.
    @discardableResult
    public func waitForEnd() -> LarderProcess.End {
        if let known = end.withLock({ $0 }) { return known }
        // WNOWAIT leaves the child unreaped until `end` is set under the lock. So no signal goes to another process
        // with the same id.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return end.withLock { end in
            if let end { return end }
            let made = LarderProcess.reap(pid)
            end = made
            return made
        }
    }

    public var output: String { LarderProcess.text(of: outputFile) }
    public var errors: String { LarderProcess.text(of: errorFile) }
}
