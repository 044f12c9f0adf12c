// The settings of the shared tier as one value: where the engine is, and how Larder speaks to it.
import LarderCache
import LarderCore
import LarderIO

/// The engine's address.
public enum SharedAddress: Sendable, Hashable {
    /// The path of a Unix socket.
    case unix(String)
    /// A host name or an IP address without brackets, and a port.
    case tcp(host: String, port: UInt16)
}

/// How long hosts wait for each other. No setting changes this. A test of such waits sets longer times, so that a slow
/// machine does not end them.
public struct SharedTimes: Sendable, Hashable {
    /// How long a lease holds without being renewed.
    public var leaseTerm = SharedWait.term
    /// How long the engine keeps the note that nothing was published.
    public var settledFor = SharedWait.settledFor
    /// The longest time that a host waits for another host's fetch.
    public var leasePatience = Duration.seconds(10)
    /// How long a call waits for a new ledger, which opens after a few seconds.
    public var ledgerPatience = QuotaLedger.grace + .seconds(1)

    public init() {}

    /// The same span for all of them.
    public init(all span: Duration) {
        (leaseTerm, settledFor, leasePatience, ledgerPatience) = (span, span, span, span)
    }
}

/// The settings of the shared tier.
public struct SharedSettings: Sendable, Hashable {
    public var address: SharedAddress
    /// The user for `AUTH`. Without a password, neither is sent.
    public var user: String?
    public var password: String?
    /// The database for `SELECT`.
    public var database: Int
    /// The prefix of every key.
    public var prefix: String
    /// The time limit of one operation, connecting and queue included.
    public var timeout: Duration
    /// The maximum size of a body in bytes.
    public var maxObject: Int64
    /// The secret key for the codes of values. It is the same on each host.
    public var key: String
    /// Whether hosts wait for each other's fetches.
    public var hasLeases: Bool
    /// Whether the hosts share their budgets.
    public var hasQuota: Bool
    /// The address without a password, for status and log.
    public var shown: String
    public var times = SharedTimes()

    // More than six parameters: the settings, one for one.
    public init(
        address: SharedAddress, user: String? = nil, password: String? = nil, database: Int = 0,
        prefix: String = "larder", timeout: Duration = .milliseconds(50), maxObject: Int64 = 1 << 20, key: String,
        hasLeases: Bool = true, hasQuota: Bool = true, shown: String = ""
    ) {
        self.address = address
        self.user = user
        self.password = password
        self.database = database
        self.prefix = prefix
        self.timeout = timeout
        self.maxObject = maxObject
        self.key = key
        self.hasLeases = hasLeases
        self.hasQuota = hasQuota
        self.shown = shown
    }

    /// The maximum size of one reply in bytes: a value and what surrounds it. Heads are bounded when responses are
    /// read.
    var replyLimit: Int { Int(clamping: maxObject) + (1 << 20) }

    /// The first commands on a connection.
    var greeting: [Command] {
        var commands: [Command] = []
        if let password {
            var words = [Bytes(text: "AUTH")]
            if let user { words.append(Bytes(text: user)) }
            var command = Command()
            command.words = words + [Bytes(text: password)]
            commands.append(command)
        }
        if database != 0 { commands.append(Command("SELECT", Bytes(text: String(database)))) }
        commands.append(Command("PING"))
        return commands
    }
}
