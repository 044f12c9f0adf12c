// Runs a real engine of the shared tier for tests: the distribution's redis-server or valkey-server, on a Unix socket
// in its own directory, without a port and without files for its data.
import Glibc
import LarderCore

/// A running engine. It is killed when the last reference is released.
public final class SharedEngine: Sendable {
    /// The suitable programs. The first that exists is used.
    private static let programs = ["/usr/bin/redis-server", "/usr/bin/valkey-server"]
    private static var program: String? { programs.first { access($0, X_OK) == 0 } }

    /// Whether tests with an engine run. Without an engine they are skipped, except under CI.
    public static var mayRun: Bool { program != nil || getenv("CI") != nil }

    private let directory = TemporaryDirectory()
    private let options: [String]
    private let child = Lock<pid_t?>(nil)
    public var socket: String { "\(directory.path)/engine.sock" }
    /// The value for `shared.url`.
    public var url: String { "unix:\(socket)" }

    /// - Parameter options: additional words for the engine's command line.
    public init(_ options: String...) throws {
        self.options = options
        try start()
    }

    deinit { kill() }

    /// Starts the engine. After `kill` it is empty.
    public func start() throws {
        guard let program = Self.program else { throw WireError("no redis-server here, and CI is set") }
        let output = open("\(directory.path)/output", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(output) }
        let words =
            [program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"]
            + ["--dir", directory.path] + options
        let pid = try LarderProcess.spawn(
            words, ["PATH": "/usr/bin:/bin"], output: output, errors: "\(directory.path)/errors", third: nil)
        child.withLock { $0 = pid }
        try blockUntil("the engine answers") { (try? command("PING"))?.first.map { "+-".contains($0) } ?? false }
    }

    /// Ends the engine at once, like a crash.
    public func kill() {
        guard let pid = child.withLock({ child in child.take() }) else { return }
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        unlink(socket)
    }

    /// Suspends the engine. The kernel still accepts connections to its socket.
    public func freeze() { signal(SIGSTOP) }
    public func thaw() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        child.withLock { if let pid = $0 { Glibc.kill(pid, number) } }
    }

    /// The engine's reply to a command: "+OK", ":1", "$-1" or the text of a string, unparsed; for an array, its lines.
    @discardableResult
    public func command(_ words: String...) throws -> String { try command(words) }

    @discardableResult
    public func command(_ words: [String]) throws -> String {
        let client = try WireClient("unix:\(socket)")
        var text = "*\(words.count)\r\n"
        for word in words { text += "$\(word.utf8.count)\r\n\(word)\r\n" }
        // The engine closes the connection after QUIT. Everything before that is the reply.
        try client.send(Bytes(text: text + "*1\r\n$4\r\nQUIT\r\n"))
        let all = String(decoding: try client.receiveRest(), as: UTF8.self)
        return all.hasSuffix("+OK\r\n") ? String(all.dropLast("+OK\r\n".count)) : all
    }

    /// The names and values of all keys that hold a string. This excludes the table of hosts and the stream of
    /// removals with its nonce.
    public func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for line in try command("KEYS", "*").split(separator: "\r\n") where !"*$".contains(line.first ?? "*") {
            guard !line.hasSuffix(":x:n") else { continue }
            guard try command("TYPE", String(line)).hasPrefix("+string") else { continue }
            contents[String(line)] = try command("GET", String(line))
        }
        return contents
    }

    /// The names of the shared answers, which are neither generations nor leases.
    public func values() throws -> [String] {
        try contents().keys.filter { $0.contains(":v1:") && !$0.hasSuffix(":l") }
    }
}
