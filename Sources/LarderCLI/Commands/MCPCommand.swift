// larder mcp: a server of the Model Context Protocol on standard input and output (2025-11-25, stdio: one JSON message a
// line). The daemon's route /mcp is the server. This command passes each message on, so all sessions
// share the daemon's cache, budgets and calls under way.
import Glibc
import LarderCore
import LarderIO

enum MCPCommand {
    static let command = Subcommand(
        "mcp", "serve a language model: the Model Context Protocol on standard input and output",
        details: [
            "An MCP host starts this command and speaks with it. Its tools search all sources or what is stored, put a "
                + "question to one source, get a URL of a configured API, and tell budgets and reasons. Docs/mcp.md "
                + "shows the configuration of hosts.",
            "The answers come from the running daemon. If there is none, the command starts one for itself, with your "
                + "own configuration and cache. A daemon serves hosts that speak HTTP at /mcp.",
        ],
        options: Conversation.options + [ServeCommand.configOption],
        examples: [
            ("larder mcp", "what a host starts"),
            ("larder mcp --url unix:/run/larder/larder.sock", "with the daemon of the service alone"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        var conversation = try Conversation(invocation)
        // A host ends the command by SIGTERM (modelcontextprotocol.io, Lifecycle).
        let started = Lock<(daemon: RunDaemon?, directory: String?)>((nil, nil))
        let interruption = Interruption {
            let (daemon, directory) = started.withLock { $0 }
            daemon?.stop()
            if let directory { Folder.remove(directory) }
        }
        defer { interruption.clear() }
        do throws(CommandFailure) {
            _ = try conversation.connect()
        } catch {
            guard invocation.value("--url") == nil else { throw error }
            let made = try RunCommand.makeDirectory("mcp", invocation.environment)
            started.withLock { $0.directory = made }
            let daemon = try RunDaemon(invocation, directory: made, parentProxy: nil)
            started.withLock { $0.daemon = daemon }
            conversation = Conversation(
                address: DaemonAddress(place: .unix(daemon.socket), authority: "localhost"),
                timeout: conversation.timeout)
        }
        await MCPBridge(conversation, invocation.console).run()
        return .done
    }
}

/// Passes messages on and writes the answers, each in one line.
struct MCPBridge: Sendable {
    /// The most messages under way, and the most bytes of one.
    private static let (mostUnderWay, longest) = (64, 4 << 20)

    private let conversation: Conversation
    private let console: Console
    private let output = Lock(())

    init(_ conversation: Conversation, _ console: Console) {
        (self.conversation, self.console) = (conversation, console)
    }

    /// Returns when standard input has ended and everything is answered.
    func run() async {
        let lines = Lock(LineReader(limit: Self.longest))
        await withTaskGroup(of: Void.self) { group in
            var underWay = 0
            while let line = await Self.onOwnThread({ lines.withLock { $0.next() } }) {
                if underWay < Self.mostUnderWay { underWay += 1 } else { await group.next() }
                group.addTask {
                    switch line {
                    case .whole(let message): await Self.onOwnThread { pass(message) }
                    case .tooLong: fail(Bytes(text: "null"), "A message has more than \(Self.longest) bytes.")
                    }
                }
            }
        }
    }

    private func pass(_ line: Bytes) {
        let id = (try? JSON.parse(line))?["id"]?.raw
        do throws(CommandFailure) {
            let response = try ask(line)
            guard response.status != 202 else { return }
            let isAnswer = (try? JSON.parse(response.body))?["jsonrpc"] != nil
            if isAnswer { write(response.body) } else { fail(id, Problem(response).failureText) }
        } catch {
            fail(id, [error.message, error.advice ?? ""].joined(separator: " "))
        }
    }

    private func ask(_ line: Bytes) throws(CommandFailure) -> DaemonResponse {
        // A program asks, not a person (RFC 9218).
        var request = DaemonRequest(
            .post, "/mcp",
            fields: ["Content-Type": "application/json", "Accept": "application/json", "Priority": "u=3"])
        request.body = line
        let connection = try conversation.connect()
        return try connection.exchange(try conversation.signed(request, for: connection), within: conversation.timeout)
    }

    private func fail(_ id: Bytes?, _ message: String) {
        guard let id else { return console.note("larder: \(Console.printable(message))") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.member("id", raw: id)
            writer.name("error")
            writer.object { writer in
                // Of the codes that JSON-RPC leaves to servers (§5.1).
                writer.member("code", -32000)
                writer.member("message", message)
            }
        }
        write(writer.bytes)
    }

    private func write(_ message: Bytes) {
        output.withLock { _ in _ = console.write(message + [0x0A]) }
    }

    private static func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await handover { (continuation: TaskContinuation<Result, Never>) in
            let work: @Sendable () -> Void = { continuation.resume(returning: body()) }
            guard let thread = try? SystemThread.start(work) else { return work() }
            thread.detach()
        }
    }
}

/// Reads standard input line by line.
struct LineReader: Sendable {
    let limit: Int
    private var rest = Bytes()
    /// Whether the rest of a line that is too long is still to come.
    private var isSkipping = false

    enum Line: Sendable {
        case whole(Bytes)
        /// A line that is longer than the limit. It was left out.
        case tooLong
    }

    init(limit: Int) { self.limit = limit }

    /// The next line that is not empty, without its end; nil at the end of the input.
    mutating func next() -> Line? {
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        var seen = 0
        while true {
            if let end = rest[seen...].firstIndex(of: 0x0A) {
                let line = rest[..<end]
                rest = Bytes(rest[(end + 1)...])
                seen = 0
                if isSkipping {
                    isSkipping = false
                    return .tooLong
                }
                let text = line.last == 0x0D ? line.dropLast() : line
                if text.isEmpty { continue }
                return .whole(Bytes(text))
            }
            if rest.count > limit { isSkipping = true }
            if isSkipping { rest = [] }
            seen = rest.count
            guard case .bytes(let count) = chunk.withUnsafeMutableBytes({ Syscall.read(STDIN_FILENO, into: $0) }) else {
                defer { (rest, isSkipping) = ([], false) }
                if isSkipping { return .tooLong }
                return rest.isEmpty ? nil : .whole(rest)
            }
            rest += chunk.prefix(count)
        }
    }
}
