// Which request fields and parameters look like credentials, and whose credentials a request carries. APIs agree on no
// name (X-Api-Key, Private-Token, access_token), so names are judged by how they end. The log hides values by the same
// rule.

/// The credentials of a request, of which only a digest is kept. Two requests with equal credentials come from the same
/// caller, as far as an API can tell.
public struct RequestCredentials: Sendable, Hashable {
    /// A digest of the names and values of the credentials. Empty if the request has none.
    public let identity: Bytes

    /// The request carries no credentials.
    public static let none = RequestCredentials(fields: [:])

    /// Whether the request carries no credentials.
    public var isEmpty: Bool { identity.isEmpty }

    /// - Parameters:
    ///   - fields: the request fields that go upstream.
    ///   - query: the query without "?" if its parameters count too, or nil.
    public init(fields: HeaderFields, query: String? = nil) {
        var lines: [String] = []
        fields.visit { line in
            guard Self.isField(line.name) else { return true }
            // No field value contains a line end, so different credentials give different texts.
            lines.append(HeaderField.text(line.name).lowercased() + ":" + HeaderField.text(line.value))
            return true
        }
        for pair in (query ?? "").utf8.split(separator: 0x26) {
            let name = pair.prefix { $0 != 0x3D }
            guard let name = try? PercentCoding.decode(name, plusIsSpace: true), Self.isParameter(name) else {
                continue
            }
            lines.append("?" + String(decoding: pair, as: UTF8.self))
        }
        // Fields of different names may come in any order (RFC 9110 §5.3).
        identity = lines.isEmpty ? [] : Digest(of: Bytes(text: lines.sorted().joined(separator: "\n"))).bytes
    }

    /// Whether a request field with this name looks like a credential.
    public static func isField(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { isField($0) }
    }

    /// Whether a request field with this name looks like a credential.
    public static func isField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard mayEndField(name), !begins(name, with: "sec-") else { return false }
        return (endsAsSecret(name) || fieldEndings.contains { ends(name, with: $0) }) && !isNoCredential(name)
    }

    /// Whether a field name ends with two letters that a credential's name may end with. This is all that a head with
    /// other fields pays.
    @inlinable @inline(__always)
    public static func mayEndField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count > 2 else { return false }
        switch UInt16(name[name.count - 2] | 0x20) << 8 | UInt16(name[name.count - 1] | 0x20) {
        // The last letters of `endings` and `fieldEndings`: key, token, secret and ticket, authorization and session,
        // cookie, password, auth, credential, credentials, signature, jwt, sessionid and sid; passwd and pwd,
        // passphrase, bearer and user, otp, pass.
        case 0x6579, 0x656E, 0x6574, 0x6F6E, 0x6965, 0x7264, 0x7468, 0x616C, 0x6C73, 0x7265, 0x7774, 0x6964: return true
        case 0x7764, 0x7365, 0x6572, 0x7470, 0x7373: return true
        default: return false
        }
    }

    /// Whether a parameter of a URL with this name looks like a credential.
    public static func isParameter(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            let isKnown = parameters.contains { bytes.count == $0.utf8.count && ends(bytes, with: $0) }
            guard isKnown || endsAsSecret(bytes) else { return false }
            return !isNoCredential(bytes)
        }
    }

    /// Whether a name ends like that of a secret. The log hides such values.
    static func isSecret(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { endsAsSecret($0) }
    }

    private static func endsAsSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        endings.contains { ends(name, with: $0) }
    }

    private static func ends(_ name: UnsafeBufferPointer<UInt8>, with ending: String) -> Bool {
        guard name.count >= ending.utf8.count else { return false }
        return zip(name.suffix(ending.utf8.count), ending.utf8).allSatisfy { ASCII.lowercased($0) == $1 }
    }

    private static func begins(_ name: UnsafeBufferPointer<UInt8>, with beginning: String) -> Bool {
        guard name.count >= beginning.utf8.count else { return false }
        return zip(name, beginning.utf8).allSatisfy { ASCII.lowercased($0) == $1 }
    }

    /// How the names of secrets end, in lower case.
    static let endings = [
        "key", "token", "secret", "authorization", "cookie", "password", "auth", "credential", "credentials",
        "signature", "session", "jwt", "session-id", "session_id", "sessionid", "passwd", "passphrase", "bearer",
    ]
    /// How the names of further request fields end that carry a credential or the name of a signed-in user. A parameter
    /// with such a name may be anything.
    static let fieldEndings = ["-ticket", "-otp", "-sid", "-pass", "-pwd", "-user"]
    /// Parameters that carry credentials and whose names end otherwise.
    private static let parameters = ["appid", "app_id", "client_id", "sig", "sid", "pass", "pwd"]
    /// Names that end like a credential and say something else, such as a mark that each request makes anew.
    private static let notCredentials = [
        "idempotency-key", "idempotency_key", "idempotencykey", "sort_key", "sortkey", "orderkey", "order_key",
        "x-larder-session",
    ]
    /// What a token marks that names a place in a list: `nextToken`, `page_token`.
    private static let places = ["page", "next", "cursor", "continuation", "pagination", "sync"]

    private static func isNoCredential(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        notCredentials.contains { ends(name, with: $0) } || isPlaceInList(name)
    }

    private static func isPlaceInList(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard ends(name, with: "token") else { return false }
        var length = name.count - "token".utf8.count
        if length > 0, name[length - 1] == 0x2D || name[length - 1] == 0x5F { length -= 1 }
        let subject = UnsafeBufferPointer(rebasing: name[..<length])
        return places.contains { ends(subject, with: $0) }
    }
}
