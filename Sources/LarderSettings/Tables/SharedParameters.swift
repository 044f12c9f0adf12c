// The records of the settings for the tier that the hosts of a fleet share, and of the key for artwork handles.
import LarderCore

extension SettingsTable {
    static let sharedURL = Parameter(
        "shared.url", .text, default: nil,
        summary:
            "A Redis or Valkey through which several hosts share answers: redis://[user@]host[:port][/db] or unix:/path.",
        advice: """
            Without it Larder stands alone. It may be away at any time: each host then goes on by itself. TLS is not \
            spoken here (rediss://): put a tunnel such as stunnel or ssh between. Needs shared.key.
            """)
    static let sharedPrefix = Parameter(
        "shared.prefix", .text, default: "larder", summary: "What every key of this fleet begins with there.",
        advice:
            "Fleets of other prefixes on one engine know nothing of each other. Letters, digits, \".\", \"-\" and \"_\"."
    )
    static let sharedTimeout = Parameter(
        "shared.timeout", .duration(.milliseconds(1) ... .seconds(10)), default: "50ms",
        summary:
            "How long one operation there may take, connection and queue included; then the answer comes without it.")
    static let sharedMaxObject = Parameter(
        "shared.maxObject", .size((1 << 10)...(64 << 20)), default: "1 MiB",
        summary: "The largest body that is shared; larger ones stay on the host that fetched them.")
    static let sharedPassword = Parameter(
        "shared.password", .text, default: nil,
        summary: "The password of the engine's user: file:/path, env:NAME or the password itself.",
        advice: "A file shared.password in $CREDENTIALS_DIRECTORY comes first. The user's name stands in shared.url.",
        isSecret: true)
    static let sharedKey = Parameter(
        "shared.key", .text, default: nil,
        summary: "The secret of the fleet, the same on each host: file:/path, env:NAME or the secret itself.",
        advice: """
            Every shared answer carries a code made with it, so that whoever can write to the engine cannot forge answers. \
            At least 32 signs: openssl rand -hex 32. A file shared.key in $CREDENTIALS_DIRECTORY comes first.
            """,
        isSecret: true)
    static let sharedLeases = Parameter(
        "shared.leases", .flag, default: "true",
        summary: "Whether a host waits for what another one is fetching, so that the fleet makes one call.",
        advice: "It waits 10 s at most, and 2 s for a host that died.")
    static let sharedQuota = Parameter(
        "shared.quota", .flag, default: "true",
        summary: "Whether budgets (rate, quota) and suspensions by an API are those of all hosts together.",
        advice: """
            Each host holds a small lease of calls. While the engine is away it spends that and no more; with off, each host \
            counts for itself. The limits must be the same on each host.
            """)
    static let shared = [
        sharedURL, sharedPrefix, sharedTimeout, sharedMaxObject, sharedLeases, sharedQuota, sharedPassword, sharedKey,
    ]

    static let artworkKey = Parameter(
        "artwork.key", .text, default: nil,
        summary: "The secret that signs the handles of artwork: file:/path, env:NAME or the secret itself.",
        advice: """
            Without it each host makes one of its own at its first start. Hosts that share answers need the same one: a \
            handle from one is then good on all, and results with artwork are shared. At least 32 signs: openssl rand -hex \
            32. A file artwork.key in $CREDENTIALS_DIRECTORY comes first.
            """,
        needsRestart: true, isSecret: true)
}
