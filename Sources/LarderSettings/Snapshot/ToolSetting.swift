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

    /// The tool that a request proves to be: the scheme Bearer, in any letter case, and the tool's token make up one field
    /// (RFC 9110 §11.6.2).
    public static func bearer(of fields: HeaderFields, among tools: [ToolSetting]) -> ToolSetting? {
        for given in fields.all("Authorization") where given.lowercased().hasPrefix("bearer") {
            let rest = given.dropFirst(6)
            guard rest.first == " " || rest.first == "\t" else { continue }
            let found = tools.first {
                $0.token.map { Secrets.equal(Bytes(text: $0), bytes(ASCII.trimmed(rest))) } ?? false
            }
            if let found { return found }
        }
        return nil
    }

    /// Whether a value of `Authorization` holds the token of a tool as a whole word, whatever stands around it: another
    /// scheme, a list, quotation marks. Such a field proves nothing, but it must not be sent on.
    public static func isToken(in value: String, of tools: [ToolSetting]) -> Bool {
        let text = bytes(value[...])
        return tools.contains { tool in
            guard let token = tool.token.map(Bytes.init(text:)), token.count <= text.count else { return false }
            return (0...(text.count - token.count)).contains { start in
                let end = start + token.count
                guard start == 0 || !isPart(text[start - 1]), end == text.count || !isPart(text[end]) else {
                    return false
                }
                return Secrets.equal(Bytes(text[start..<end]), token)
            }
        }
    }

    /// Whether a byte continues a word: those of `token68` except "=", which also stands between name and value.
    private static func isPart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            || "-._~+/".utf8.contains(byte)
    }

    /// The bytes of a field's value, which has a scalar for each.
    private static func bytes(_ value: Substring) -> Bytes {
        value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

extension Settings {
    /// What budgets keep for calls that others than the asking client make.
    public struct Quota: Sendable {
        /// The percentage of each limit that is kept for what a person waits for.
        public var reserve = 0
    }
}
