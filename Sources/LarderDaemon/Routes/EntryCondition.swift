// The criteria by which a purge selects entries: prefix, kind and age, with a provider. A listing takes the prefix and
// the provider.
import LarderCore
import LarderEngine
import LarderProviders
import LarderSettings

struct EntryCondition: Sendable {
    /// The criteria without the prefix.
    private var condition: PurgeCondition
    /// The beginnings of URLs to match, as entries spell them; empty if no prefix was given.
    private var prefixes: [String] = []

    /// - Parameter provider: the configured name of the provider, if one was given.
    init(_ query: ParameterValues, provider: String?, _ engine: Engine) throws(ClientFacingError) {
        condition = PurgeCondition(provider: provider)
        condition.layer = query["kind"].flatMap { CacheKey.Layer(word: $0) }
        condition.receivedBefore = try query.duration("olderThan").map { engine.time.wall() + (.zero - $0) }
        if let prefix = query["prefix"] { prefixes = try Self.prefixes(prefix, engine.snapshot.providers) }
    }

    /// Whether a criterion other than the provider was given.
    var isAsked: Bool { condition.layer != nil || condition.receivedBefore != nil || !prefixes.isEmpty }

    /// One condition for each spelling of the prefix.
    var all: [PurgeCondition] {
        if prefixes.isEmpty { return [condition] }
        return prefixes.map { prefix in
            var one = condition
            one.prefix = prefix
            return one
        }
    }

    /// The given criteria in words, such as "provider, kind and age".
    var words: String {
        var words: [String] = []
        if condition.provider != nil { words.append("provider") }
        if !prefixes.isEmpty { words.append("prefix") }
        if condition.layer != nil { words.append("kind") }
        if condition.receivedBefore != nil { words.append("age") }
        guard let last = words.popLast() else { return "" }
        return words.isEmpty ? last : words.joined(separator: ", ") + " and " + last
    }

    /// An absolute URL is used as it is. "/raw/NAME/…" becomes one prefix for each base URL of that provider.
    private static func prefixes(
        _ text: String, _ providers: ProviderSet
    ) throws(ClientFacingError) -> [String] {
        guard let rest = text.dropping(prefix: "/raw/") else {
            // "http" alone would match the entries of every API.
            guard ["http://", "https://"].contains(where: { text.hasPrefix($0) && text.count > $0.count }) else {
                throw .invalid("prefix", "\"prefix\" must be the beginning of an http or https URL, or of /raw/NAME/….")
            }
            return [text]
        }
        let name = String(rest.prefix { $0 != "/" })
        guard let provider = providers.named(name) else {
            let all = providers.all.map(\.name)
            throw .invalid("prefix", UnknownProvider.sentence("provider", name, among: all), allowed: all)
        }
        let path = String(rest[rest.index(rest.startIndex, offsetBy: name.count)...])
        return Set(
            provider.settings.baseURLs.map { base in
                (base.hasSuffix("/") ? String(base.dropLast()) : base) + (path.isEmpty ? "/" : path)
            }
        ).sorted()
    }
}
