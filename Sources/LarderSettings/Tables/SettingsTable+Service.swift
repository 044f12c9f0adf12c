// The records of the settings for listening, authority, the server and the log.
import LarderCore

extension SettingsTable {
    static let listen = Parameter(
        "listen", .listeners, default: nil,
        summary:
            "Addresses to listen on: host and port, a Unix socket, or a mapping with address, and provider or proxy.",
        advice: """
            - Without this setting: 127.0.0.1:8787, [::1]:8787 if there is IPv6, and larder.sock in $RUNTIME_DIRECTORY \
            or $XDG_RUNTIME_DIR/larder, or else in the directory of the state. The setting replaces all of them.
            - With port 0 the kernel chooses the port. Larder prints each address as "listening ADDRESS".
            - A listener with a provider serves that API at /, for clients whose base URL has no path.
            - A listener with proxy: true is a proxy for programs that take one (http_proxy).
            """,
        needsRestart: true)
    static let allowRemote = Parameter(
        "allowRemote", .flag, default: "false",
        summary: "Whether Larder may listen on addresses that other machines can reach.",
        advice: "Larder does not authenticate clients. Use it inside a container or behind a proxy that does.",
        needsRestart: true)
    static let hostNames = Parameter(
        "hostNames", .texts, default: nil,
        summary: """
            Names and IP addresses accepted in Host besides localhost, *.localhost, 127.0.0.0/8, [::1] and the \
            connection's own address.
            """,
        advice: """
            If a port is mapped or forwarded, add the name or address under which another container or machine calls \
            Larder: [larder.lan, 192.168.1.5, "[2001:db8::5]"]. Requests with any other Host are refused.
            """)
    static let browserOrigins = Parameter(
        "browserOrigins", .texts, default: nil,
        summary: "Web origins whose pages may read from this daemon (CORS), written exactly as browsers write them.",
        advice: """
            For a web application under development: [http://localhost:3000]. Its pages may use GET and HEAD only, \
            without cookies, and no route that needs authority. They can see what is requested here and can spend the \
            APIs' budgets. On a listener with a provider, requests of such pages are refused; they use /raw/NAME on a \
            listener without one.
            """)

    static let adminToken = Parameter(
        "admin.token", .text, default: nil,
        summary: "The bearer token that permits purge and resume over TCP: file:/path, env:NAME or the token itself.",
        advice: """
            Without it purge and resume work over the Unix socket only. A file admin.token in $CREDENTIALS_DIRECTORY \
            comes first.
            """,
        isSecret: true)
    static let adminUsers = Parameter(
        "admin.users", .texts, default: nil,
        summary: "Users (names or numbers) who may purge and resume over the Unix socket.",
        advice: "root and the user that Larder runs as always may.")

    static let loops = Parameter(
        "server.loops", .count(0...256), default: "0",
        summary: "Event loops for clients. 0 is one for each core that the process may use, or fewer if the limit of "
            + "open files is low.",
        advice: "One is enough for most machines. More loops cost little.", needsRestart: true)
    static let serverMaxConnections = Parameter(
        "server.maxConnections", .count(1...1_000_000), default: "4096",
        summary: "The most open client connections at once. Further ones wait to be accepted.",
        advice: """
            Near the limit, Larder closes the connections that are idle for longest. At the limit, it closes those \
            whose request has been incomplete for longest, for at least two seconds. One connection in sixteen, at \
            most 64, is kept for Unix sockets. If the limit of open files is too low, fewer connections are permitted, \
            and the log says how many.
            """)
    static let serverHeadTimeout = Parameter(
        "server.headTimeout", .duration(.milliseconds(100) ... .seconds(300)), default: "10s",
        summary: "Time limit for the head of a request, from its first byte.")
    static let serverBodyTimeout = Parameter(
        "server.bodyTimeout", .duration(.milliseconds(100) ... .seconds(3600)), default: "30s",
        summary: "The longest pause within the body of a request.",
        advice: "Only the time in which Larder waits for the client counts. server.minimumRate applies as well.")
    static let serverIdleTimeout = Parameter(
        "server.idleTimeout", .duration(.milliseconds(100) ... .seconds(86_400)), default: "75s",
        summary: "A connection without a request is closed after this time.")
    static let serverHalfClose = Parameter(
        "server.halfClose", .duration(.zero ... .seconds(600)), default: "5s",
        summary: """
            A call that waits in a queue is dropped this long after all clients that wait for it have ended their \
            input.
            """,
        advice: """
            A client may close its sending side after the request (nc -N) and still gets its answer. Over TCP, a \
            client that is gone looks the same. A call that was sent, and a request to change something, are never \
            dropped.
            """)
    static let serverWriteTimeout = Parameter(
        "server.writeTimeout", .duration(.milliseconds(100) ... .seconds(3600)), default: "30s",
        summary: "The connection of a client that reads nothing of its answer for this long is closed.")
    static let serverMinimumRate = Parameter(
        "server.minimumRate", .size(0...(1 << 30)), default: "240 B",
        summary: """
            The lowest rate in bytes a second at which a client may send a body or read an answer. 0 permits any rate.
            """,
        advice: """
            It is measured over server.rateWindow. Only the time in which Larder waits for the client counts. A slower \
            upload ends with 408, and a slower reader is cut off. Neither counts as a failure of the provider.
            """)
    static let serverRateWindow = Parameter(
        "server.rateWindow", .duration(.seconds(1) ... .seconds(3600)), default: "30s",
        summary: "The time over which server.minimumRate is measured. Shorter transfers are not measured.")
    static let serverDrainTimeout = Parameter(
        "server.drainTimeout", .duration(.zero ... .seconds(300)), default: "10s",
        summary: "On a stop, Larder waits this long for unfinished answers.",
        advice: "Keep it below TimeoutStopSec of the unit (30s).")
    static let serverMaxBody = Parameter(
        "server.maxBody", .size(0...(64 << 20)), default: "1 MiB", summary: "The largest request body.",
        advice: "Bodies for passthrough providers are streamed to them without this limit.")
    static let serverMaxEventStreams = Parameter(
        "server.maxEventStreams", .count(1...100_000), default: "256",
        summary: "The most open event streams (text/event-stream) at once. Further ones get 503.",
        advice: "Each stream is also a connection of server.maxConnections.")

    static let logLevel = Parameter(
        "log.level", .choice(LogLevel.allCases.map(\.word)), default: "info",
        summary: "The lowest level of the lines that are written.")
    static let logAccess = Parameter(
        "log.access", .choice(AccessLog.allCases.map(\.rawValue)), default: "misses",
        summary: "Which requests get a log line: off (none), misses (all but hits from memory), or all.")
    static let logFormat = Parameter(
        "log.format", .choice(LogFormat.allCases.map(\.rawValue)), default: "auto",
        summary: "The format of the log. auto is journal under systemd and text elsewhere.", needsRestart: true)
}
