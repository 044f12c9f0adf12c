// The records of the settings for listening, authority, the server and the log.
import LarderCore

extension SettingsTable {
    static let listen = Parameter(
        "listen", .listeners, default: nil,
        summary: "Addresses to listen on: host and port, a Unix socket, or a mapping with address and provider.",
        advice: """
            Without it: 127.0.0.1:8787, [::1]:8787 where there is IPv6, and larder.sock in $RUNTIME_DIRECTORY or \
            $XDG_RUNTIME_DIR/larder. Port 0 lets the kernel choose; each address is printed as "listening ADDRESS". \
            A listener with a provider answers at that API's root, for clients whose base URL has no path.
            """,
        needsRestart: true)
    static let allowRemote = Parameter(
        "allowRemote", .flag, default: "false",
        summary: "Permits listening on addresses that other machines can reach.",
        advice: "Larder asks nobody who they are. Use it inside a container or behind something that does.",
        needsRestart: true)
    static let hostNames = Parameter(
        "hostNames", .texts, default: nil,
        summary: """
            Names and IP addresses accepted in Host besides localhost, *.localhost, 127.0.0.0/8, [::1] and the address \
            that the connection came to.
            """,
        advice: """
            Add the name or address under which another container or machine calls Larder, where a port is mapped or \
            forwarded: [larder.lan, 192.168.1.5, "[2001:db8::5]"]. What is not declared is refused.
            """)
    static let browserOrigins = Parameter(
        "browserOrigins", .texts, default: nil,
        summary: "Origins whose pages may read from this daemon in a browser, exactly as browsers write them (CORS).",
        advice: """
            For a web application under development: [http://localhost:3000]. GET and HEAD only, without cookies and never \
            a route that needs authority. Such a page sees what is asked here and spends the APIs' budgets.
            """)
    static let listening = [listen, allowRemote, hostNames, browserOrigins]

    static let adminToken = Parameter(
        "admin.token", .text, default: nil,
        summary: "The bearer token that permits purge and resume over TCP: file:/path, env:NAME or the token itself.",
        advice: """
            Without it these work over the Unix socket only. A file admin.token in $CREDENTIALS_DIRECTORY comes \
            first.
            """,
        isSecret: true)
    static let adminUsers = Parameter(
        "admin.users", .texts, default: nil,
        summary: "Users (names or numbers) who may purge and resume over the Unix socket.",
        advice: "root and the user Larder runs as always may.")
    static let admin = [adminToken, adminUsers]

    static let loops = Parameter(
        "server.loops", .count(0...256), default: "0",
        summary: "Event loops for clients; 0 is one a core, or as many as there are files for.",
        advice: "One is enough for most machines; more loops cost little.", needsRestart: true)
    static let serverMaxConnections = Parameter(
        "server.maxConnections", .count(1...1_000_000), default: "4096",
        summary: "Connections open at once; more wait to be accepted.",
        advice: """
            Near the limit those are closed that are idle for longest, and at the limit those whose request has been \
            incomplete for longest, two seconds at least. One in sixteen, 64 at most, is kept for Unix sockets. Where \
            the process may not open as many files, fewer are permitted, and the log says how many.
            """)
    static let serverHeadTimeout = Parameter(
        "server.headTimeout", .duration(.milliseconds(100) ... .seconds(300)), default: "10s",
        summary: "Within this a request's head must arrive, once begun. No pause within its body may be longer.")
    static let serverIdleTimeout = Parameter(
        "server.idleTimeout", .duration(.milliseconds(100) ... .seconds(86_400)), default: "75s",
        summary: "For this long a connection may stay open without a request.")
    static let serverWriteTimeout = Parameter(
        "server.writeTimeout", .duration(.milliseconds(100) ... .seconds(3600)), default: "30s",
        summary: "A client that takes nothing of its answer for this long is dropped.")
    static let serverMinimumRate = Parameter(
        "server.minimumRate", .size(0...(1 << 30)), default: "240 B",
        summary: """
            Bytes a second at which a client must send a body or take an answer, over server.rateWindow; 0 is any.
            """,
        advice: """
            Only time counts in which Larder waits for the client. A slower upload ends with 408, a slower reader is \
            cut off. No provider is held to blame.
            """)
    static let serverRateWindow = Parameter(
        "server.rateWindow", .duration(.seconds(1) ... .seconds(3600)), default: "30s",
        summary: "The time over which server.minimumRate is measured; what is over sooner is not.")
    static let serverDrainTimeout = Parameter(
        "server.drainTimeout", .duration(.zero ... .seconds(300)), default: "10s",
        summary: "A stop waits this long for answers in hand.",
        advice: "Keep it below TimeoutStopSec of the unit (30s).")
    static let serverMaxBody = Parameter(
        "server.maxBody", .size(0...(64 << 20)), default: "1 MiB", summary: "The largest request body.",
        advice: "Bodies for passthrough providers stream to them and have no limit here.")
    static let serverMaxEventStreams = Parameter(
        "server.maxEventStreams", .count(1...100_000), default: "256",
        summary: "Event streams (text/event-stream) open at once; further ones get 503.",
        advice: "Each is a connection of server.maxConnections.")
    static let server = [
        loops, serverMaxConnections, serverHeadTimeout, serverIdleTimeout, serverWriteTimeout, serverMinimumRate,
        serverRateWindow, serverDrainTimeout, serverMaxBody, serverMaxEventStreams,
    ]

    static let logLevel = Parameter(
        "log.level", .choice(LogLevel.allCases.map(\.word)), default: "info",
        summary: "The least important lines that are written.")
    static let logAccess = Parameter(
        "log.access", .choice(AccessLog.allCases.map(\.rawValue)), default: "misses",
        summary: "Which requests get a line: off (none), misses (all but hits from memory), or all.")
    static let logFormat = Parameter(
        "log.format", .choice(LogFormat.allCases.map(\.rawValue)), default: "auto",
        summary: "How lines are written; auto is journal under systemd and text elsewhere.", needsRestart: true)
    static let log = [logLevel, logAccess, logFormat]
}
