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

    /// The least length of a token in bytes. A shorter one could be guessed, or be an ordinary word of a field.
    static let leastToken = 16

    /// The tool that a request proves to be: the scheme Bearer, in any letter case, and the tool's token make up one field
    /// (RFC 9110 §11.6.2).
    public static func bearer(of fields: HeaderFields, among tools: [ToolSetting]) -> ToolSetting? {
        for given in fields.all(.authorization) where given.lowercased().hasPrefix("bearer") {
            let rest = given.dropFirst(6)
            guard rest.first == " " || rest.first == "\t" else { continue }
            if let found = tools.first(of: ASCII.trimmed(rest).utf8) { return found }
        }
        return nil
    }

    /// Whether a value of `Authorization` holds the token of a tool as a whole word, whatever stands around it: another
    /// scheme, a list, quotation marks; or as user or password of the scheme Basic (RFC 7617 §2). Such a field proves
    /// nothing, but it must not be sent on.
    public static func isToken(in value: String, of tools: [ToolSetting]) -> Bool {
        var rest = value.utf8[...]
        var isBasic = false
        while let word = Self.word(in: &rest) {
            if tools.first(of: word) != nil { return true }
            if isBasic, let login = decoded(word) {
                let halves = login.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
                if halves.contains(where: { tools.first(of: $0) != nil }) { return true }
            }
            isBasic = word.count == 5 && zip(word, "basic".utf8).allSatisfy { $0 | 0x20 == $1 }
        }
        return false
    }

    /// The next word, taken from the text: bytes of `token68` with the "=" at its end (RFC 9110 §11.2), or bytes beyond
    /// ASCII.
    private static func word(in text: inout Substring.UTF8View) -> Substring.UTF8View? {
        guard let start = text.firstIndex(where: isPart) else { return nil }
        let tail = text[start...].drop(while: isPart).drop { $0 == UInt8(ascii: "=") }
        defer { text = tail }
        return text[start..<tail.startIndex]
    }

    /// What a word says in Base64.
    private static func decoded(_ word: Substring.UTF8View) -> Bytes? {
        let text = word.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.decode(String(decoding: Bytes(text), as: UTF8.self))
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            || "-._~+/".utf8.contains(byte)
    }

    /// Checks that a token is one word that no field holds by chance.
    static func checkToken(_ text: String) throws(SettingFault) {
        let core = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard !core.isEmpty, core.allSatisfy({ $0 < 0x80 && isPart($0) }) else {
            throw SettingFault(
                "may hold letters, digits and \"-._~+/\", and \"=\" at its end (RFC 9110 §11.2): "
                    + "openssl rand -hex 16 makes one")
        }
        guard text.utf8.count >= leastToken else {
            throw SettingFault(
                "has \(text.utf8.count) bytes and needs \(leastToken) at least: openssl rand -hex 16 makes one")
        }
    }
}

extension [ToolSetting] {
    /// The tool whose token that is.
    fileprivate func first(of word: some Collection<UInt8>) -> ToolSetting? {
        first { $0.token.map { Secrets.equal(word, $0.utf8) } ?? false }
    }
}

extension Settings {
    /// What budgets keep for calls that others than the asking client make.
    public struct Quota: Sendable {
        /// The percentage of each limit that is kept for what a person waits for.
        public var reserve = 0
    }
}
