// Reads where a provider of the user's own takes its key.
import LarderCore
import LarderProviders

extension SettingsReader {
    /// - Parameter provider: the path of the provider's settings.
    mutating func keyPlacement(of provider: String, key: String?, plainHTTP: Bool) -> KeyPlacement {
        let text = text(
            SettingsTable.providerKeyIn, path: "\(provider).keyIn", default: KeyPlacement.bearer.description
        ) {
            text throws(SettingFault) in
            guard var placement = KeyPlacement(text) else { throw Self.fault(in: text) }
            if let server = placement.tokenServer {
                placement = .oauth2(try Self.checked(server, plainHTTP: plainHTTP))
            }
            if let name = placement.fieldName, !ASCII.equalFolded(name, "Authorization") {
                try KeyFieldName.checkKey(name)
            }
            return placement.description
        }
        let placement = text.flatMap(KeyPlacement.init) ?? .bearer
        if placement == .basic, let key, !key.contains(":") {
            issue("\(provider).key", "is not user:password, as keyIn: basic needs (RFC 7617 §2)")
        }
        if let server = placement.tokenServer, let key, TokenClient(server, key: key) == nil {
            issue("\(provider).key", "is not client_id:client_secret, as keyIn: oauth2 needs (RFC 6749 §2.3.1)")
        }
        return placement
    }

    private static func fault(in text: String) -> SettingFault {
        let words = text.split(separator: " ")
        guard let first = words.first, ASCII.equalFolded(String(first), "oauth2") else {
            return SettingFault(
                "\"\(text)\" is not bearer, basic, header NAME, header NAME SCHEME, query NAME or "
                    + "oauth2 TOKEN_URL SCOPE…")
        }
        let scope = words.dropFirst(2).first { !TokenServer.isScope($0) }
        return SettingFault(
            scope.map { "\"\($0)\" is not a scope (RFC 6749 §3.3)" }
                ?? "oauth2 needs the URL of a token server: oauth2 https://… SCOPE…")
    }

    /// The server with scheme and host in lower case. The URL may have a query, but no fragment (RFC 6749 §3.2).
    private static func checked(_ server: TokenServer, plainHTTP: Bool) throws(SettingFault) -> TokenServer {
        let query = server.url.drop { $0 != "?" }
        let path = server.url.dropLast(query.count)
        let base: String
        do {
            base = try BaseURL.check(String(path))
        } catch {
            throw SettingFault("the token server: \(error.message)")
        }
        guard query.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw SettingFault(
                "the token server: a query holds printable ASCII and no fragment; encode the rest as %XX")
        }
        guard plainHTTP || !BaseURL.isReadableOnTheWay(base) else {
            throw SettingFault(
                "the token server is reached by plain http beyond this machine: use https, or allow it with "
                    + "plainHTTP: true")
        }
        let slash = path.hasSuffix("/") || !query.isEmpty && !base.dropFirst(8).contains("/") ? "/" : ""
        return TokenServer(url: base + slash + query, scopes: server.scopes)
    }
}
