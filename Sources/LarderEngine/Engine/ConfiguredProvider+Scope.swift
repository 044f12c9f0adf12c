// What the values of a provider in the shared tier depend on besides their keys.
import LarderCore
import LarderSettings

extension ConfiguredProvider {
    /// The digest of what a response depends on besides its key: the API behind the provider's name, and the rules by
    /// which responses are read and kept. Hosts with different scopes share nothing of the provider.
    static func scope(_ settings: ProviderSettings, normaliser: Int, retention: Duration?) -> Digest {
        var lines = [settings.name, "\(normaliser)", "\(settings.semantics)", settings.dialect ?? ""]
        if settings.isPassthrough {
            lines.append("\(settings.cookies) \(settings.personalCookies) \(settings.cdnCacheControl)")
            lines.append("\(settings.keyCredentials) \(settings.keyFields)")
            lines += settings.readOnlyPosts.map { "\($0)" }
            // An API may answer each of its callers differently.
            if let key = settings.key {
                lines.append("\(settings.keyIn) " + Base64URL.encode(Digest(of: Bytes(text: key)).bytes))
            }
        }
        lines += settings.requestFields.map { "\($0.name): \($0.value)" }
        lines += settings.baseURLs
        lines += settings.ttl.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.milliseconds)" }
        for span in [settings.emptyTTL, settings.negativeTTL, settings.staleFor, retention ?? .zero] {
            lines.append(String(span.milliseconds))
        }
        return Digest(of: Bytes(text: lines.joined(separator: "\n")))
    }
}
