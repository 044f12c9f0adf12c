// A tool: a program, or several, whose calls are counted together and that takes turns with other tools. A user of the
// Unix socket or a token proves it. A tool with neither has only the client's word, which is enough to count calls.
import LarderCore

/// One tool of the settings.
public struct ToolSetting: Sendable, Hashable {
    /// The name of clients of which no tool is known.
    public static let other = "other"
    /// The name of the daemon's own work.
    public static let own = "larder"

    public var name: String
    /// The user of the Unix socket who is this tool.
    public var user: UInt32?
    /// The bearer token that clients of this tool send.
    public var token: String?
    /// The percentage of each limit that other tools leave to it.
    public var share: Int

    public init(_ name: String, user: UInt32? = nil, token: String? = nil, share: Int = 0) {
        self.name = name
        self.user = user
        self.token = token
        self.share = share
    }

    /// Whether a client can prove to be this tool.
    public var isProven: Bool { user != nil || token != nil }

    /// The tool whose token a request carries.
    public static func bearer(of fields: HeaderFields, among tools: [ToolSetting]) -> ToolSetting? {
        for given in fields.all("Authorization") where given.lowercased().hasPrefix("bearer ") {
            let token = Bytes(text: String(ASCII.trimmed(given.dropFirst(7))))
            let found = tools.first { $0.token.map { Secrets.equal(Bytes(text: $0), token) } ?? false }
            if let found { return found }
        }
        return nil
    }
}

extension Settings {
    /// What budgets keep for calls that others than the asking client make.
    public struct Quota: Sendable {
        /// The percentage of each limit that is kept for what a person waits for.
        public var reserve = 0
    }
}
