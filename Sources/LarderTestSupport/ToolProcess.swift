// Runs a program of the machine to its end, for tests of Larder with the clients that people use.
import Glibc
import LarderCore

public struct ToolResult: Sendable {
    public var status: Int32
    public var output: Bytes
    public var text: String { output.lossyText }
}

public enum ToolProcess {
    /// Where programs are.
    public static var path: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin" }

    /// Whether the machine has a program.
    public static func exists(_ name: String) -> Bool {
        path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// Runs it with exactly this environment, besides PATH. Its errors are part of its output.
    public static func run(_ words: [String], environment: [String: String] = [:]) async throws -> ToolResult {
        try await onOwnThread { try start(words, environment) }
    }

    private static func start(_ words: [String], _ environment: [String: String]) throws -> ToolResult {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 else { throw WireError("no pipe") }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var variables = ["PATH": path]
        variables.merge(environment) { $1 }
        var arguments = words.map { strdup($0) } + [nil]
        var texts = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + texts { free(pointer) } }
        var child = pid_t()
        let code = posix_spawnp(&child, words[0], &actions, nil, &arguments, &texts)
        close(ends[1])
        guard code == 0 else { throw WireError("\(words[0]) cannot be started: \(code)") }
        var output = Bytes()
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        while true {
            let count = read(ends[0], &chunk, chunk.count)
            guard count > 0 else { break }
            output += chunk.prefix(count)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return ToolResult(status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F, output: output)
    }
}
