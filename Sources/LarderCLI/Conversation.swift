// Questions to the daemon, and its problems turned into messages and exit statuses at one place.
import LarderCore
import LarderDaemon

/// How to reach the daemon for one command.
struct Conversation: Sendable {
    /// Options that every command of the client half has.
    static let options: [CommandOption] = [
        CommandOption("--url", value: "URL", "the daemon's address: http://HOST:PORT or unix:/PATH ($LARDER_URL)"),
        CommandOption("--token", value: "TOKEN", "the token for changes over TCP; better in $LARDER_TOKEN"),
        CommandOption("--timeout", value: "DURATION", "give up after this long; 60s unless set"),
    ]

    let addresses: [DaemonAddress]
    let timeout: Duration
    let token: String?

    init(_ invocation: Invocation) throws(CommandFailure) {
        addresses = try DaemonAddress.candidates(url: invocation.value("--url"), environment: invocation.environment)
        timeout = try invocation.duration("--timeout", default: .seconds(60))
        token = invocation.value("--token") ?? invocation.environment["LARDER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A conversation with one daemon that is known.
    init(address: DaemonAddress, timeout: Duration = .seconds(60), token: String? = nil) {
        addresses = [address]
        self.timeout = timeout
        self.token = token
    }

    /// The answer, whatever its status, of the first place where a daemon answers.
    func ask(_ request: LocalRequest) throws(CommandFailure) -> LocalResponse {
        var request = request
        request.fields.add("User-Agent", "larder/\(LarderVersion.text)")
        if let token, !request.method.isSafe {
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw CommandFailure(.usage, "the token holds spaces, line breaks or other signs that no token has")
            }
            request.fields.add("Authorization", "Bearer \(token)")
        }
        let connection = try connect()
        return try connection.exchange(request, within: timeout)
    }

    /// The answer where it is a success; otherwise the problem as a failure.
    func demand(_ request: LocalRequest) throws(CommandFailure) -> LocalResponse {
        let response = try ask(request)
        guard (200..<300).contains(response.status) else { throw Problem(response).asFailure }
        return response
    }

    /// A JSON answer.
    func json(_ request: LocalRequest) throws(CommandFailure) -> (value: JSONValue, response: LocalResponse) {
        let response = try demand(request)
        do {
            return (try JSON.parse(response.body), response)
        } catch {
            throw CommandFailure(.broken, "the daemon's answer is not JSON: \(error)")
        }
    }

    private func connect() throws(CommandFailure) -> LocalConnection {
        var reasons: [String] = []
        for address in addresses {
            do throws(CommandFailure) {
                return try LocalConnection(to: address)
            } catch {
                reasons.append(error.message)
            }
        }
        throw CommandFailure(.noDaemon, reasons.joined(separator: "\n"), advice: "Start one with: larder serve")
    }
}

/// An error of the daemon as it came (RFC 9457).
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

    init(_ response: LocalResponse) {
        status = response.status
        let value = try? JSON.parse(response.body)
        title = value?["title"]?.string
        detail = value?["detail"]?.string
        code = value?["type"]?.string?.split(separator: "/").last.map(String.init)
        parameter = value?["parameter"]?.string
        allowed = value?["allowed"]?.elements.compactMap(\.string) ?? []
        provider = value?["provider"]?.string
        failure = value?["class"]?.string.flatMap(FailureClass.init(rawValue:))
        retryAfter = value?["retryAfter"]?.integer ?? response.fields.first("Retry-After").flatMap { Int($0) }
    }

    /// The exit status: by class where there is one, else by what the HTTP status promises.
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

    /// What to do about it, as far as the daemon told.
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
