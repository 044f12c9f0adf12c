// Sends requests to the daemon, and turns its problems into messages and exit statuses.
import Glibc
import LarderCore
import LarderDaemon
import LarderHTTP
import LarderSettings

/// How one command reaches the daemon.
struct Conversation: Sendable {
    /// The options of every command that talks to the daemon.
    static let options: [CommandOption] = [
        CommandOption("--url", value: "URL", "the daemon's address: http://HOST:PORT or unix:/PATH ($LARDER_URL)"),
        CommandOption("--token", value: "TOKEN", "the admin token, for changes over TCP; safer in $LARDER_TOKEN"),
        CommandOption("--timeout", value: "DURATION", "give up after this time; default 60s"),
    ]

    let addresses: [DaemonAddress]
    let timeout: Duration
    /// The limit of a request for which the user must not wait, whatever `timeout` is.
    let shortLimit: Duration
    let token: String?
    /// The users to whose ports the token may be sent.
    var trusted: Set<UInt32>
    /// The variables of the command, as far as it is one of a person.
    private(set) var environment: [String: String] = [:]

    init(_ invocation: Invocation) throws(CommandFailure) {
        addresses = try DaemonAddress.candidates(url: invocation.value("--url"), environment: invocation.environment)
        timeout = try invocation.duration("--timeout", default: .seconds(60))
        shortLimit = invocation.tool.shortLimit
        guard timeout > .zero else {
            throw CommandFailure(
                .usage, "--timeout: \"\(invocation.value("--timeout") ?? "")\" leaves no time for an answer",
                advice: "Give a duration above zero, such as 500ms, 5s or 2min.")
        }
        token = invocation.value("--token") ?? invocation.environment["LARDER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        trusted = try PortOwner.trusted(environment: invocation.environment)
        environment = invocation.environment
    }

    /// The same conversation with another time limit.
    init(_ other: Conversation, timeout: Duration) {
        addresses = other.addresses
        token = other.token
        trusted = other.trusted
        shortLimit = other.shortLimit
        self.timeout = timeout
    }

    /// A conversation with one known daemon.
    /// - Parameter trusted: the users to whose ports the token may be sent. Root is always included.
    init(
        address: DaemonAddress, timeout: Duration = .seconds(60), token: String? = nil, trusted: Set<UInt32> = []
    ) {
        addresses = [address]
        self.timeout = timeout
        shortLimit = .seconds(2)
        self.token = token
        self.trusted = trusted.union([0])
    }

    /// The response of the first address at which a daemon answers, whatever its status.
    func ask(_ request: DaemonRequest) throws(CommandFailure) -> DaemonResponse {
        let connection = try connect()
        return try connection.exchange(try signed(request, for: connection), within: timeout)
    }

    /// Adds the fields of every request, and the token if the request needs it and the port's user is trusted.
    func signed(
        _ request: DaemonRequest, for connection: borrowing DaemonConnection
    ) throws(CommandFailure) -> DaemonRequest {
        var request = request
        request.fields.add(.userAgent, "larder/\(LarderVersion.text)")
        // A person waits at the terminal (RFC 9218), unless the command says otherwise.
        if !request.fields.contains(.priority) { request.fields.add(.priority, "u=1") }
        if let token, !request.method.isSafe || request.needsAuthority {
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw CommandFailure(
                    .usage, "the token contains spaces, line breaks or other characters that no token has")
            }
            try connection.checkOwner(trusted: trusted)
            request.fields.add(.authorization, "Bearer \(token)")
        }
        return request
    }

    /// Reads the events of a response as they arrive, until the stream ends or `take` returns false.
    /// - Parameters:
    ///   - showsToken: whether to send the token, because the daemon tells its holder more.
    ///   - take: receives each event. It returns false to stop.
    /// - Returns: the response, with its whole body if it was not a stream of events.
    func events(
        _ target: String, until deadline: MonotonicTime, showsToken: Bool = false,
        _ take: (EventTextReader.Event) throws(CommandFailure) -> Bool
    ) throws(CommandFailure) -> DaemonResponse {
        var request = DaemonRequest(.get, target, fields: ["Accept": EventText.mediaType])
        request.needsAuthority = showsToken
        var reader = EventTextReader()
        let connection = try connect()
        request = try signed(request, for: connection)
        return try connection.stream(request, until: deadline, timeout) { head, piece throws(CommandFailure) in
            guard head.status == 200 else { return .whole }
            let events: [EventTextReader.Event]
            do throws(EventTooLong) {
                events = try reader.feed(piece)
            } catch {
                throw CommandFailure(.broken, "an event of the daemon is longer than \(error.limit) bytes")
            }
            for event in events {
                guard try take(event) else { return .enough }
            }
            return .pieces
        }
    }

    /// The response if its status is 2xx; any other is thrown as a failure.
    func demand(_ request: DaemonRequest) throws(CommandFailure) -> DaemonResponse {
        let response = try ask(request)
        guard (200..<300).contains(response.status) else { throw failure(response) }
        return response
    }

    /// A JSON response.
    func json(_ request: DaemonRequest) throws(CommandFailure) -> (value: JSONValue, response: DaemonResponse) {
        try json(request, nil)
    }

    /// A JSON response, which the caller may already have.
    func json(
        _ request: DaemonRequest, _ there: DaemonResponse?
    ) throws(CommandFailure) -> (value: JSONValue, response: DaemonResponse) {
        let response = if let there { there } else { try ask(request) }
        guard (200..<300).contains(response.status) else { throw failure(response) }
        do {
            return (try JSON.parse(response.body), response)
        } catch {
            throw CommandFailure(.broken, "the daemon's answer is not JSON: \(error)")
        }
    }

    /// The failure that a response of an error is. If authority is missing, its advice says where the socket may be.
    func failure(_ response: DaemonResponse) -> CommandFailure {
        let problem = Problem(response)
        var failure = problem.asFailure
        if [401, 403].contains(problem.status), problem.code == "authorityNeeded" {
            failure.advice = [failure.advice, socketAdvice].compactMap { $0 }.joined(separator: "\n")
        }
        return failure
    }

    /// Where the daemon's Unix socket may be, for a user whom the daemon does not take for its owner.
    var socketAdvice: String {
        let own = addresses.filter { if case .unix = $0.place { true } else { false } }
        if let used = own.first {
            return "\(used) takes changes from root, the daemon's user and admin.users."
        }
        var variables = environment
        variables["LARDER_URL"] = nil
        let usual = (try? DaemonAddress.candidates(url: nil, environment: variables) { _ in true }) ?? []
        let sockets = usual.compactMap { if case .unix(let path) = $0.place { path } else { nil } }
        if let found = sockets.first(where: { access($0, F_OK) == 0 }) {
            return "If \(found) is this daemon's socket: set LARDER_URL=unix:\(found)"
        }
        return "Set LARDER_URL=unix:PATH; there is no socket at \(sockets.joined(separator: ", "))."
    }

    func connect() throws(CommandFailure) -> DaemonConnection {
        var reasons: [String] = []
        for address in addresses {
            do throws(CommandFailure) {
                return try DaemonConnection(to: address)
            } catch {
                reasons.append(error.message)
            }
        }
        throw CommandFailure(.noDaemon, reasons.joined(separator: "\n"), advice: "Start one with: larder serve")
    }
}

/// An error from the daemon (RFC 9457).
struct Problem {
    var status: Int
    var title: String?
    var detail: String?
    var code: String?
    var parameter: String?
    var allowed: [String]
    var provider: String?
    var failure: FailureClass?
    var retryAfter: Int?

    init(_ response: DaemonResponse) {
        self.init(try? JSON.parse(response.body), status: response.status)
        retryAfter = retryAfter ?? response.fields.first(.retryAfter).flatMap { Int($0) }
    }

    /// Reads a problem from inside a response.
    init(_ value: JSONValue?, status: Int) {
        self.status = value?["status"]?.integer ?? status
        title = value?["title"]?.string
        detail = value?["detail"]?.string
        code = value?["type"]?.string?.split(separator: "/").last.map(String.init)
        parameter = value?["parameter"]?.string
        allowed = value?["allowed"]?.elements.compactMap(\.string) ?? []
        provider = value?["provider"]?.string
        failure = value?["class"]?.string.flatMap(FailureClass.init(rawValue:))
        retryAfter = value?["retryAfter"]?.integer
    }

    /// The exit status, from the failure class if there is one, else from the HTTP status.
    var exitStatus: CommandStatus {
        if let failure { return CommandStatus(failure) }
        return switch status {
        case 401, 403: .refused
        case 404, 410: .noResults
        case 429: .limited
        case 400..<500: .usage
        case 502: .broken
        case 503: .limited
        case 504: .unreachable
        default: .failed
        }
    }

    var failureText: String {
        var text = Console.printable(detail ?? title ?? "the daemon answered \(status)")
        if let provider, !text.contains(provider) { text = "\(Console.printable(provider)): \(text)" }
        return text
    }

    var asFailure: CommandFailure { CommandFailure(exitStatus, failureText, advice: advice) }

    /// What the user can do about it, as far as the daemon says.
    private var advice: String? {
        var advice: [String] = []
        if let parameter, !allowed.isEmpty {
            advice.append("\(parameter) may be: \(allowed.map(Console.printable).joined(separator: ", "))")
        }
        if let retryAfter, retryAfter > 0 {
            advice.append("Try again in \(Units.format(duration: .seconds(retryAfter))).")
        }
        if status == 401 || status == 403, failure == nil, detail == nil {
            advice.append("Changes need the Unix socket or a token (LARDER_TOKEN).")
        }
        return advice.isEmpty ? nil : advice.joined(separator: "\n")
    }
}
