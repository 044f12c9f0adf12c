// The client that a task works for, its tool, and whether a person waits. Clients and tools that wait for the same
// provider take turns, so each fetch carries the names of those that began it. The daemon's own work counts as one more
// client, without a name.
import LarderCore
import LarderHTTP
import LarderIO
import LarderSettings

/// The client that a task works for. A class, because every step of a request asks for it.
public final class AskingClient: Sendable {
    /// Nil if the daemon works by itself.
    @TaskLocal public static var current: AskingClient?

    private let peer: Peer
    private let fields: HeaderFields
    private let id: RequestID
    /// Tells when the client ends its input. Nil if the work does not depend on that.
    let halfClose: HalfClose?
    /// The tools of the settings, as they were when the request came.
    public let tools: [ToolSetting]
    private let isPerson: Bool

    /// The field by which a client names its tool.
    public static let toolField = "X-Larder-Tool"

    /// Keeps what identifies the client. The name is made only when a fetch needs it; most requests need none.
    public convenience init(
        peer: Peer, fields: HeaderFields, id: RequestID, halfClose: HalfClose? = nil, tools: [ToolSetting] = []
    ) {
        self.init(peer, fields, id, halfClose, tools, isPerson: false)
    }

    // More than six parameters: one for each property.
    private init(
        _ peer: Peer, _ fields: HeaderFields, _ id: RequestID, _ halfClose: HalfClose?, _ tools: [ToolSetting],
        isPerson: Bool
    ) {
        self.isPerson = isPerson
        self.tools = tools
        self.peer = peer
        self.fields = fields
        self.id = id
        self.halfClose = halfClose
    }

    /// The same client, for work that goes on without its connection.
    public var detached: AskingClient { AskingClient(peer, fields, id, nil, tools, isPerson: isPerson) }

    /// The same client, for a page at which a person looks.
    public var asPerson: AskingClient { AskingClient(peer, fields, id, halfClose, tools, isPerson: true) }

    /// How urgently the present task's client waits. Nobody waits for the daemon's own work.
    static var urgency: Urgency { current?.urgency ?? .background }

    /// The present task's tool.
    static var tool: AskingTool { current?.tool ?? .own }

    /// `Priority` (RFC 9218 §4.1). A field that breaks the grammar, and a value out of range, are ignored (§4).
    var urgency: Urgency {
        if isPerson { return .person }
        let values = fields.all(.priority)
        guard !values.isEmpty, case .item(let item)? = StructuredField.dictionary(values)?["u"],
            case .integer(let value) = item.value
        else { return .ordinary }
        return switch value {
        case 0...2: .person
        case 7: .background
        default: .ordinary
        }
    }

    /// The client's tool. A token says most, then the user of the Unix socket. Only if neither is one of a tool, the
    /// client's own word counts, and only for tools that have neither.
    var tool: AskingTool {
        guard !tools.isEmpty else { return .other }
        if fields.contains(.authorization), let found = ToolSetting.bearer(of: fields, among: tools) {
            return AskingTool(name: found.name, turn: found.name)
        }
        if case .unix(let uid, _) = peer, let found = tools.first(where: { $0.user == uid }) {
            return AskingTool(name: found.name, turn: found.name)
        }
        guard let said = fields.first(Self.toolField),
            let found = tools.first(where: { $0.name == said && !$0.isProven })
        else { return .other }
        return AskingTool(name: found.name, turn: AskingTool.other.turn)
    }

    /// The trace that the client's request belongs to; nil if it sent none or an invalid one.
    var trace: TraceContext? { TraceContext(fields) }

    /// The client's name. On a Unix socket it is the user, whom the kernel names. Otherwise it is the session, if the
    /// client names one; otherwise the address of another machine, or the connection on this machine.
    var name: String {
        if case .unix(let uid, _) = peer { return "user \(uid)" }
        if let session = fields.first(.xLarderSession) {
            // The session field's question number does not distinguish clients.
            return "session \(session.prefix { $0 != ";" }.prefix(128))"
        }
        guard case .tcp(let address?) = peer else { return "request \(id)" }
        switch address {
        case .ipv4(let bytes, _) where !address.isLoopback: return "machine \(Address.text(bytes))"
        case .ipv6(let bytes, _) where !address.isLoopback: return "machine \(Address.text(bytes))"
        case .ipv4, .ipv6, .unix: return "connection \(address)"
        }
    }
}

/// The tool of a client.
struct AskingTool: Sendable, Hashable {
    /// What its calls are counted under.
    var name: String
    /// In whose turn it waits. A name that the client only says gives it no turn of its own.
    var turn: String

    /// Clients of which no tool is known.
    static let other = AskingTool(name: ToolSetting.other, turn: ToolSetting.other)
    /// The daemon's own work.
    static let own = AskingTool(name: ToolSetting.own, turn: ToolSetting.own)
}
