// `/v1/entries`: the stored entries. Everybody sees the list, with labels without values. Clients that may change the
// daemon's state see whole labels and digests, and may look into one entry.
import LarderCore
import LarderEngine
import LarderProviders
import LarderServer
import LarderStore

struct EntriesRoute: Sendable {
    let engine: Engine

    static let parameters: [RouteParameter] = [
        .query(
            "order", "The order of the entries.", .choice(EntryOrder.allCases.map(\.rawValue)),
            default: EntryOrder.recentlyUsed.rawValue),
        .query("provider", "Only entries of this provider (its name in the configuration).", example: "itunes"),
        .query(
            "prefix", "Only entries whose URL begins with this, the API's own or one below /raw. Needs authority.",
            .url, example: "/raw/itunes/"),
        .query(
            "limit", "The most entries to return.", .number(1...mostEntries), example: "5",
            default: String(usualEntries)),
        .query(
            "after", "Continue where an answer with this \"next\" ended, in the same order.",
            .pattern("^[0-9]{1,18}$|^[0-9]{1,18}[.][0-9]{1,18}$"), example: "1041"),
    ]

    static let mostEntries = 200
    static let usualEntries = 50
    /// How long a look for a client without authority may take.
    static let strangersTime = Duration.milliseconds(10)

    func list(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let settings = engine.snapshot.settings
        // A client without authority must not see values, and must not be able to guess them one by one.
        if try request.parameters()["prefix"] != nil {
            try Authority.check(request, settings, what: "Searches for \"prefix\"")
        }
        let query = try request.values(Self.parameters)
        let isRedacted = try !Authority.isGiven(request, settings)
        var question = try question(query)
        if isRedacted { question.time = Self.strangersTime }
        let listing: EntryListing
        do {
            listing = try await engine.cache.store.entries(question)
        } catch {
            throw .storeUnreadable
        }
        var writer = JSONWriter(reserving: 256 + listing.entries.count * 384)
        writer.object { writer in
            writer.member("redacted", isRedacted)
            if !listing.isComplete { writer.member("complete", false) }
            writer.member(ifPresent: "next", listing.next?.text)
            writer.name("entries")
            writer.array { writer in
                for entry in listing.entries {
                    writer.object { append(entry, isRedacted: isRedacted, to: &$0) }
                }
            }
        }
        return .json(writer.bytes, route: route)
    }

    private func question(_ query: ParameterValues) throws(ClientFacingError) -> EntryQuestion {
        let providers = engine.snapshot.providers
        var question = EntryQuestion()
        question.order = query["order"].flatMap(EntryOrder.init) ?? question.order
        question.limit = query.number("limit") ?? Self.usualEntries
        question.after = query["after"].flatMap { EntryPlace(text: $0) }
        let provider = try query["provider"].map { (name) throws(ClientFacingError) -> String in
            guard let known = providers.named(name) else {
                let all = providers.all.map(\.name)
                throw .invalid("provider", UnknownProvider.sentence("provider", name, among: all), allowed: all)
            }
            return known.name
        }
        // A provider with two base URLs has a condition for each. One query keeps the order over both.
        question.conditions = try EntryCondition(query, provider: provider, engine).all
        return question
    }

    private static func digest(_ key: String) throws(ClientFacingError) -> Digest {
        guard let bytes = Base64URL.decode(key), let digest = Digest(bytes: bytes) else {
            throw .invalid("key", "\"key\" must be the base64url form of a key's digest.")
        }
        return digest
    }

    // MARK: One entry

    func detail(_ key: String, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let digest = try Self.digest(key)
        let detail: EntryDetail?
        do {
            detail = try await engine.cache.store.detail(of: digest)
        } catch {
            throw .storeUnreadable
        }
        guard let detail, let stored = await engine.cache.open(detail.key) else {
            throw ClientFacingError(
                status: 404, code: "unknownEntry", detail: "No entry has that digest.", parameter: "key")
        }
        let preview = await EntryPreview.of(stored, engine.compute)
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            append(detail.entry, isRedacted: false, to: &writer)
            writer.name("fields")
            writer.array { writer in
                for line in stored.fields {
                    writer.array { writer in
                        writer.string(line.name)
                        writer.string(line.value)
                    }
                }
            }
            writer.name("preview")
            writer.object { preview.append(to: &$0) }
            for (name, entries) in [
                ("parents", detail.parents), ("children", detail.children), ("variants", detail.variants),
            ] {
                writer.name(name)
                writer.array { writer in
                    for entry in entries { writer.object { append(entry, isRedacted: false, to: &$0) } }
                }
            }
        }
        return .json(writer.bytes, route: route)
    }

    // MARK: Rendering

    private func append(_ entry: EntrySummary, isRedacted: Bool, to writer: inout JSONWriter) {
        if !isRedacted { writer.member("key", Base64URL.encode(entry.digest.bytes)) }
        writer.member("provider", entry.provider)
        writer.member("kind", entry.layer.word)
        writer.member(
            "label",
            isRedacted
                ? EntryLabel.redacted(entry.label, engine.snapshot.providers.named(entry.provider)?.about)
                : EntryLabel.url(entry.label))
        writer.member("status", entry.status)
        writer.member("bytes", entry.size)
        if let uses = entry.uses { writer.member("uses", uses) }
        writer.member("receivedAt", entry.receivedAt.rfc3339)
        writer.member("freshUntil", entry.freshUntil.rfc3339)
        writer.member("staleUntil", entry.staleUntil.rfc3339)
        writer.member("lastUsedAt", entry.lastUsed.rfc3339)
    }
}

extension ClientFacingError {
    /// 503, if the store cannot be read.
    static let storeUnreadable = ClientFacingError(
        status: 503, code: "storeUnavailable", detail: "The store cannot be read at the moment.", retryable: true)
}
