// The records of the settings for the tier that the hosts of a fleet share, and of the key for artwork handles.
import LarderCore

extension SettingsTable {
    static let sharedURL = Parameter(
        "shared.url", .text, default: nil,
        summary:
            "A Redis or Valkey through which several hosts share answers: redis://[user@]host[:port][/db] or unix:/path.",
        advice: """
            Without it nothing is shared. If this engine is away, each host goes on by itself. TLS (rediss://) is not \
            supported: use a tunnel such as stunnel or ssh. Needs shared.key.
            """)
    static let sharedPrefix = Parameter(
        "shared.prefix", .text, default: "larder", summary: "The prefix of every key of this fleet in the engine.",
        advice:
            "Fleets with different prefixes share nothing. It may have letters, digits, \".\", \"-\" and \"_\"."
    )
    static let sharedTimeout = Parameter(
        "shared.timeout", .duration(.milliseconds(1) ... .seconds(10)), default: "50ms",
        summary:
            "Time limit for one operation, connection and queue included. Then the answer comes without the engine.")
    static let sharedMaxObject = Parameter(
        "shared.maxObject", .size((1 << 10)...(64 << 20)), default: "1 MiB",
        summary: "The largest body that is shared. A larger one stays on the host that fetched it.")
    static let sharedPassword = Parameter(
        "shared.password", .text, default: nil,
        summary: "The password of the engine's user: file:/path, env:NAME or the password itself.",
        advice: "A file shared.password in $CREDENTIALS_DIRECTORY comes first. The user's name is part of shared.url.",
        isSecret: true)
    static let sharedKey = Parameter(
        "shared.key", .text, default: nil,
        summary: "The secret of the fleet, the same on each host: file:/path, env:NAME or the secret itself.",
        advice: """
            It signs every shared answer, so that nobody who can write to the engine can forge answers. It has at \
            least 32 characters: openssl rand -hex 32. A file shared.key in $CREDENTIALS_DIRECTORY comes first.
            """,
        isSecret: true)
    static let sharedLeases = Parameter(
        "shared.leases", .flag, default: "true",
        summary: "Whether a host waits for an answer that another host is fetching, so that the fleet makes one call.",
        advice: "A host waits at most 10 s, and at most 2 s for a host that died.")
    static let sharedQuota = Parameter(
        "shared.quota", .flag, default: "true",
        summary: "Whether all hosts share budgets (rate, quota) and suspensions by an API.",
        advice: """
            Each host holds a small lease of calls. While the engine is away, a host spends its lease and no more. \
            With false, each host counts for itself. The limits must be the same on each host.
            """)

    static let artworkKey = Parameter(
        "artwork.key", .text, default: nil,
        summary: "The secret that signs the handles of artwork: file:/path, env:NAME or the secret itself.",
        advice: """
            Without it each host makes a key at its first start. Hosts that share answers need the same key: then a \
            handle from one host works on all, and results with artwork are shared. It has at least 32 characters: \
            openssl rand -hex 32. A file artwork.key in $CREDENTIALS_DIRECTORY comes first.
            """,
        needsRestart: true, isSecret: true)
}
