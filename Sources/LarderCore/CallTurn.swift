// For whom a call is made, as far as it decides which waiting call goes first: how urgent it is, which tool asks, and
// which client of that tool.

/// How urgently a call is waited for. A smaller value goes first, as in RFC 9218.
public enum Urgency: Int, Sendable, Hashable, CaseIterable {
    /// A person waits (`Priority: u=0` to `u=2`, the command line, the console).
    case person
    /// A program waits.
    case ordinary
    /// Nobody waits: a refresh, or what its client calls background (`u=7`, RFC 9218 §4.1).
    case background

    public func isMoreUrgent(than other: Urgency) -> Bool { rawValue < other.rawValue }

    /// Whichever of the two is more urgent.
    public func raised(to other: Urgency) -> Urgency { other.isMoreUrgent(than: self) ? other : self }
}

/// Where a call stands among the calls that wait for places of one provider.
public struct CallTurn: Sendable, Hashable {
    public var urgency: Urgency
    /// The tool in whose turn the call is made. It is one that the settings know, so there are few.
    public var tool: String
    /// The client in whose turn, among those of its tool, the call is made.
    public var client: String

    public init(_ urgency: Urgency = .ordinary, tool: String = "", client: String = "") {
        self.urgency = urgency
        self.tool = tool
        self.client = client
    }

    /// The same turn with the client that the watcher names, if it names one.
    public func named(by watcher: (any FetchWatcher)?) -> CallTurn {
        guard let client = watcher?.client, !client.isEmpty else { return self }
        return CallTurn(urgency, tool: tool, client: client)
    }
}
