// Runs Debian's Chromium without a window. The browser is controlled with the Chrome DevTools Protocol over its
// descriptors 3 and 4. Each message is JSON and ends with a zero byte. The browser ends by itself when the descriptors
// are closed, so no browser is left behind, even if the test fails.
import Glibc
import LarderCore

/// One browser. Its calls block, so they belong in `onOwnThread`.
public final class Browser: Sendable {
    /// The path of the program; nil if the machine has none.
    public static let program: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        access($0, X_OK) == 0
    }

    /// Whether tests that need a browser are skipped: the machine has none. Under CI they are not skipped, so a missing
    /// browser is a failure.
    public static var isMissingAndMayBe: Bool { program == nil && getenv("CI") == nil }

    private let pid: pid_t
    private let socket: Int32
    private let directory: TemporaryDirectory

    private struct State {
        var isGone = false
        var next = 1
        var answers: [Int: JSONValue] = [:]
        var events: [BrowserEvent] = []
    }
    private let state = Lock(State())
    /// The thread that reads what the browser says. The socket is closed when it has ended, so that no other file gets
    /// its number before.
    private let reader: SystemThread

    /// Starts a browser with a new profile.
    public init() throws {
        guard let program = Self.program else { throw WireError("there is no chromium: make deps installs it") }
        directory = TemporaryDirectory()
        // A pair of sockets is used instead of pipes because it can be created with close-on-exec, so no other child
        // inherits it.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw WireError("no socket pair")
        }
        // A number above 3 and 4, at which the browser expects the descriptor.
        let end = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
        defer { for descriptor in [ends[1], end] { close(descriptor) } }
        let words =
            [
                program, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--disable-extensions", "--mute-audio", "--hide-scrollbars",
                "--user-data-dir=\(directory.path)/profile", "about:blank",
            ]
        let variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"]
        pid = try Self.spawn(words, variables, pipe: end, errors: "\(directory.path)/errors")
        socket = ends[0]
        let (state, descriptor) = (state, socket)
        reader = startThread { Self.listen(descriptor, state) }
    }

    deinit { end() }

    /// Ends the browser. No other call may be under way.
    public func end() {
        let isFirst = state.withLock { state -> Bool in
            defer { (state.isGone, state.next) = (true, -1) }
            return state.next >= 0
        }
        guard isFirst else { return }
        shutdown(socket, Int32(SHUT_RDWR))
        reader.join()
        close(socket)
        var status: Int32 = 0
        for _ in 0..<500 {
            if waitpid(pid, &status, WNOHANG) == pid { return }
            poll(nil, 0, 10)
        }
        kill(pid, SIGKILL)
        waitpid(pid, &status, 0)
    }

    /// Opens a page with its own storage.
    public func page() throws -> BrowserPage {
        let context = try call("Target.createBrowserContext")["browserContextId"]?.string ?? ""
        let target = try call("Target.createTarget") { writer in
            writer.member("url", "about:blank")
            writer.member("browserContextId", context)
        }
        let session = try call("Target.attachToTarget") { writer in
            writer.member("targetId", target["targetId"]?.string ?? "")
            writer.member("flatten", true)
        }
        return try BrowserPage(browser: self, session: session["sessionId"]?.string ?? "")
    }

    // MARK: Messages

    /// Calls a method and waits for its result.
    @discardableResult
    func call(
        _ method: String, session: String? = nil, _ parameters: (inout JSONWriter) -> Void = { _ in }
    ) throws -> JSONValue {
        let id = try state.withLock { state -> Int in
            guard !state.isGone else { throw WireError("the browser is gone") }
            defer { state.next += 1 }
            return state.next
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id)
            writer.member("method", method)
            if let session { writer.member("sessionId", session) }
            writer.name("params")
            writer.object(parameters)
        }
        try send(writer.bytes + [0])
        var answer: JSONValue?
        try blockUntil("\(method) is answered") {
            try state.withLock { state in
                answer = state.answers.removeValue(forKey: id)
                if answer == nil, state.isGone { throw WireError("the browser is gone: \(method)") }
            }
            return answer != nil
        }
        guard let result = answer?["result"] else {
            throw WireError("\(method): \(answer?.raw.lossyText ?? "")")
        }
        return result
    }

    /// The events of a page since it was opened.
    func events(of session: String) -> [BrowserEvent] { state.withLock { $0.events.filter { $0.session == session } } }

    private func send(_ bytes: Bytes) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw WireError("the browser does not listen") }
            sent += count
        }
    }

    private static func listen(_ descriptor: Int32, _ state: Lock<State>) {
        var pending = Bytes()
        var buffer = Bytes(repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: 0) {
                take(Bytes(pending[..<end]), state)
                pending.removeSubrange(...end)
            }
        }
        state.withLock { $0.isGone = true }
    }

    private static func take(_ message: Bytes, _ state: Lock<State>) {
        guard let value = try? JSON.parse(message, maxDepth: 512) else { return }
        state.withLock { state in
            if let id = value["id"]?.integer {
                state.answers[id] = value
            } else if let method = value["method"]?.string, let parameters = value["params"] {
                state.events.append(
                    BrowserEvent(session: value["sessionId"]?.string ?? "", method: method, parameters: parameters))
            }
        }
    }

    private static func spawn(
        _ words: [String], _ variables: [String: String], pipe: Int32, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, pipe, 3)
        posix_spawn_file_actions_adddup2(&actions, pipe, 4)
        let arguments = words.map { strdup($0) } + [nil]
        let environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        var child = pid_t()
        let code = posix_spawn(&child, words[0], &actions, nil, arguments, environment)
        guard code == 0 else { throw WireError("\(words[0]): \(String(cString: strerror(code)))") }
        return child
    }
}

/// An event of one of the browser's pages.
struct BrowserEvent: Sendable {
    var session: String
    var method: String
    var parameters: JSONValue
}
