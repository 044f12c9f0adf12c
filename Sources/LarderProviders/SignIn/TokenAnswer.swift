// Reads the response of the token endpoint: tokens, a refusal that ends the sign-in, or a failure after which the
// present tokens are still valid. Success has the members of RFC 6749 at the top level; an error has the API's envelope
// or the standard's form.
import LarderCore

/// The response of a token endpoint.
public enum TokenAnswer: Sendable, Hashable {
    case granted(GrantedTokens)
    /// The grant is no longer valid. The text is the API's own message.
    case refused(String)
    /// Nothing is known about the grant: the endpoint was overloaded, rate limited or not reached, or it rejected the
    /// application's id and secret.
    case failed(FailureClass, String)

    /// Reads a response whose content coding has been undone.
    /// - Parameter secrets: texts that no message may repeat, even if the endpoint does.
    public init(_ response: UpstreamResponse, secrets: [String]) {
        let root = try? JSON.parse(response.body)
        switch response.status {
        case 200..<300:
            guard let root, let granted = GrantedTokens(root) else {
                self = .failed(.broken, "The answer of the token endpoint has no tokens.")
                return
            }
            self = .granted(granted)
        case 408, 429: self = .failed(.limited, "The token endpoint answered \(response.status).")
        case 400..<500:
            // A page from a device in between (a portal, a block list) says nothing about the grant.
            guard let message = root.flatMap(Self.message) else {
                self = .failed(.broken, "The token endpoint answered \(response.status) in an unexpected form.")
                return
            }
            // A limit on the client's address is also sent as a refusal (Imgur: 403 "temporarily over capacity").
            let told = root?["status"]?.integer ?? response.status
            guard told != 429, told < 500, !message.lowercased().contains("temporarily") else {
                self = .failed(.limited, "The token endpoint answered \(response.status): try again later.")
                return
            }
            if let fault = Self.fault(root?["data"]?["error"]?.string ?? root?["error"]?.string, response.status) {
                self = fault
                return
            }
            let isSafe = !secrets.contains { !$0.isEmpty && message.contains($0) }
            self = .refused(isSafe ? "\(response.status) \(message)" : "\(response.status)")
        default: self = .failed(.broken, "The token endpoint answered \(response.status).")
        }
    }

    /// The failure for a standard error that says nothing about the grant (RFC 6749 §5.2). A wrong secret, which a
    /// person can correct, must not end the sign-in. Nil for any other error.
    private static func fault(_ word: String?, _ status: Int) -> TokenAnswer? {
        switch word {
        case "invalid_scope": .failed(.notConfigured, "The token endpoint refuses the scope (\(status)).")
        case "invalid_grant": nil
        case "invalid_client", "unauthorized_client",
            _ where status == 401:
            .failed(.notConfigured, "The token endpoint refuses the application's id and secret (\(status)).")
        case "invalid_request", "unsupported_grant_type":
            .failed(.broken, "The token endpoint does not understand the request (\(status)).")
        default: nil
        }
    }

    /// The message of an error: `{data: {error: text or {message}}}`, `{errors: [{detail}]}`, or RFC 6749 §5.2.
    static func message(_ root: JSONValue) -> String? {
        let error = root["data"]?["error"] ?? root["error"]
        let text =
            root["error_description"]?.string ?? error?.string ?? error?["message"]?.string
            ?? root["errors"]?.elements.first { _ in true }?["detail"]?.string
        guard let text, !text.isEmpty else { return nil }
        let plain = text.unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : " " }
        return String(plain.prefix(200))
    }
}
