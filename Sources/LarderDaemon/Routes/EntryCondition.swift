// The marks by which a request chooses entries: prefix, kind and age, with a provider. A purge and a listing read them alike.
import LarderCore
import LarderEngine
import LarderProviders
import LarderSettings

struct EntryCondition: Sendable {
    /// Without the prefix.
    private var condition: PurgeCondition
    /// What a URL may begin with, in the spellings that entries have; empty where no prefix is asked for.
    private var prefixes: [String] = []

    /// - Parameter provider: the configured name, where one is asked for.
    init(_ query: QueryParameters, provider: String?, _ engine: Engine) throws(ClientFacingError) {
        condition = PurgeCondition(provider: provider)
        let words = CacheKey.Layer.allCases.map(\.word)
        if let kind = query["kind"] {
            guard let layer = CacheKey.Layer(word: kind) else {
                throw .invalid("kind", "\"kind\" is one of these.", allowed: words)
            }
            condition.layer = layer
        }
        if let age = query["olderThan"] {
            guard let span = try? Units.duration(age), span >= .zero else {
                throw .invalid("olderThan", "\"olderThan\" is a duration such as 90s, 12h or 7d.")
            }
            condition.receivedBefore = engine.time.wall() + (.zero - span)
        }
        if let prefix = query["prefix"] { prefixes = try Self.prefixes(prefix, engine.snapshot.providers) }
    }

    /// Whether more is asked for than a provider.
    var isAsked: Bool { condition.layer != nil || condition.receivedBefore != nil || !prefixes.isEmpty }

    /// One for each spelling of the prefix.
    var all: [PurgeCondition] {
        if prefixes.isEmpty { return [condition] }
        return prefixes.map { prefix in
            var one = condition
            one.prefix = prefix
            return one
        }
    }

    /// "provider, kind and age".
    var words: String {
        var words: [String] = []
        if condition.provider != nil { words.append("provider") }
        if !prefixes.isEmpty { words.append("prefix") }
        if condition.layer != nil { words.append("kind") }
        if condition.receivedBefore != nil { words.append("age") }
        guard let last = words.popLast() else { return "" }
        return words.isEmpty ? last : words.joined(separator: ", ") + " and " + last
    }

    /// An absolute URL stands for itself; "/raw/NAME/…" for each base URL of that provider with the rest behind it.
    private static func prefixes(
        _ text: String, _ providers: ProviderSet
    ) throws(ClientFacingError) -> [String] {
        guard let rest = text.dropping(prefix: "/raw/") else {
            // "http" alone would name the entries of every API.
            guard ["http://", "https://"].contains(where: { text.hasPrefix($0) && text.count > $0.count }) else {
                throw .invalid("prefix", "\"prefix\" is the beginning of an http or https URL, or of /raw/NAME/….")
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
