// Where the engine is and how it is spoken to: one value, made of the settings.
import LarderCore
import LarderIO

/// The engine's address.
public enum SharedAddress: Sendable, Hashable {
    /// A Unix socket's file.
    case unix(String)
    /// A name or an IP address without brackets, and a port.
    case tcp(host: String, port: UInt16)
}

/// What the shared tier is made of.
public struct SharedSettings: Sendable, Hashable {
    public var address: SharedAddress
    /// For `AUTH`; without a password neither is sent.
    public var user: String?
    public var password: String?
    /// For `SELECT`.
    public var database: Int
    /// What every key begins with.
    public var prefix: String
    /// Of one operation, connection and queue included.
    public var timeout: Duration
    /// The largest body, in bytes.
    public var maxObject: Int64
    /// The secret key of the codes on values, the same on each host.
    public var key: String
    /// Whether hosts wait for each other's fetches.
    public var hasLeases: Bool
    /// Whether budgets are the fleet's.
    public var hasQuota: Bool
    /// For status and log: the address without a password.
    public var shown: String

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

    /// Bytes that one reply may have: a value, and what is around it. Heads are bounded where answers are read.
    var replyLimit: Int { Int(clamping: maxObject) + (1 << 20) }

    /// What is said first on a connection.
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
