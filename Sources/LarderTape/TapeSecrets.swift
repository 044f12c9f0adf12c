// What never reaches a tape. Values of secret fields, parameters, JSON members and parts are replaced by one word where
// they stand, so the rest of a text keeps its bytes; literal secrets are replaced wherever they stand, in all spellings
// that `SecretRedactor` knows. What is cut when an exchange is written is not compared when it is matched. Names are
// compared without case, "-" and "_". They are an exact list: many APIs have a member "key" that is none.
import LarderCore
import LarderHTTP

/// The secrets of one tape.
public struct TapeSecrets: Sendable {
    /// What stands in place of a secret.
    public static let word = SecretRedactor.replacement

    private let names: Set<String>
    let redactor: SecretRedactor

    /// Names that are secret in every tape. The last are the parts of a signed URL (AWS Signature Version 4, and the
    /// form of it that Google uses).
    static let standard = [
        "access_token", "refresh_token", "id_token", "client_secret", "api_key", "password", "secret", "passwd",
        "client_assertion", "assertion", "code_verifier", "token", "auth_token", "oauth_token", "private_token",
        "session_token", "csrf_token", "pwd", "private_key", "subscription-key", "sig", "signature", "jwt", "x-api-key",
        "x-amz-signature", "x-amz-credential",
        "x-amz-security-token", "x-goog-signature", "x-goog-credential",
    ]
    private static let fields: FieldNameSet = [
        "Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Set-Cookie", "Set-Cookie2",
    ]
    /// Fields whose value is a URL.
    private static let references: FieldNameSet = ["Location", "Content-Location", "Referer"]
    /// What a redirect hands over in its parameters besides tokens (RFC 6749 §4.1.2).
    private static let handedOver: Set<String> = ["code", "state"]

    /// - Parameters:
    ///   - names: further names of secret parameters, fields, members and parts.
    ///   - literals: secrets as such, such as configured keys. Those shorter than `SecretRedactor.leastLength` are not
    ///     searched for.
    public init(names: [String] = [], literals: [String] = []) {
        self.names = Set((Self.standard + names).map(Self.folded))
        redactor = SecretRedactor(literals)
    }

    /// Whether a parameter, member or part with this name is secret.
    func isSecret(_ name: String) -> Bool { names.contains(Self.folded(name)) }

    /// Whether a field with this name is secret. Of a request it is enough to look like a credential. Of an answer it
    /// is not: `Access-Control-Allow-Credentials` is none, and `Surrogate-Key` neither.
    func isSecretField(_ name: String, ofAnswer: Bool = false) -> Bool {
        if Self.fields.contains(name) || isSecret(name) { return true }
        return RequestCredentials.isField(name) && (!ofAnswer || name.lowercased().hasSuffix("token"))
    }

    private static func folded(_ name: String) -> String {
        var out = Bytes()
        for byte in name.utf8 where byte != 0x2D && byte != 0x5F { out.append(ASCII.lowercased(byte)) }
        return out.lossyText
    }

    /// The exchange without its secrets.
    public func cut(_ exchange: TapeExchange) -> TapeExchange {
        TapeExchange(cut(exchange.request), cut(exchange.answer))
    }

    /// The request without its secrets.
    public func cut(_ request: TapeRequest) -> TapeRequest {
        let type = request.fields.first(.contentType)
        return TapeRequest(
            request.method, cut(request.url), fields: cut(request.fields, ofAnswer: false),
            content: cut(request.content, type: type))
    }

    /// The answer without its secrets.
    public func cut(_ answer: TapeAnswer) -> TapeAnswer {
        let type = answer.fields.first(.contentType)
        return TapeAnswer(
            status: answer.status, fields: cut(answer.fields, ofAnswer: true), body: cut(answer.body, type: type))
    }

    private func cut(_ url: HTTPURL) -> HTTPURL {
        let text = redactor.redacted(cut(reference: url.text, isSecret: isSecret))
        // A literal in the host may leave no valid one.
        return HTTPURL(text) ?? HTTPURL("\(url.scheme)://hidden.invalid/") ?? url
    }

    private func cut(_ fields: HeaderFields, ofAnswer: Bool) -> HeaderFields {
        let changed = fields.changed { line in
            if isSecretField(line.name, ofAnswer: ofAnswer) { return line.with(value: Self.word) }
            guard Self.references.contains(line) else {
                let value = line.withLine { Bytes($0.value) }
                let cut = cut(links: value)
                return cut == value ? line : line.with(value: HeaderField.text(cut))
            }
            return line.with(
                value: cut(reference: line.value) { name in
                    isSecret(name) || RequestCredentials.isParameter(name) || Self.handedOver.contains(name)
                })
        }
        return redactor.redacted(changed)
    }

    /// A URL with the values of secret parameters replaced, in the query and in a fragment (RFC 6749 §4.2.2).
    private func cut(reference: String, isSecret: (String) -> Bool) -> String {
        let bytes = Bytes(reference.utf8)
        let isMark = { (byte: UInt8) in byte == 0x3F || byte == 0x23 }
        var out = Bytes(bytes.prefix { !isMark($0) })
        var place = out.count
        while place < bytes.count {
            let piece = bytes[(place + 1)...].prefix { !isMark($0) }
            out += [bytes[place]] + cut(pairs: piece, isSecret: isSecret)
            place = piece.endIndex
        }
        return out.lossyText
    }

    /// Pairs `name=value` between "&" with secret values replaced (WHATWG URL §5.1).
    func cut(pairs: some Collection<UInt8>, isSecret: (String) -> Bool) -> Bytes {
        let pieces = pairs.split(separator: 0x26, omittingEmptySubsequences: false).map { piece -> Bytes in
            let name = Bytes(piece.prefix { $0 != 0x3D })
            guard piece.count > name.count + 1, isSecret(TapeFacts.decoded(name)) else { return Bytes(piece) }
            return name + [0x3D] + Self.word.utf8
        }
        return Bytes(pieces.joined(separator: [0x26]))
    }
}
