// Reads the requests that were answered: those with a task from the explanation log, and hits that never left their
// loop from the loops' rings. Nothing is read while nobody looks, and the amount of each reading is bounded.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderStore

/// How far a reader has read.
struct RequestCursor: Sendable {
    fileprivate var answered: UInt64
    fileprivate var hits: HitCursor?
    fileprivate var nameless = NamelessEntries()
}

/// Entries that the database has no name for. A repeated look does not ask for them again.
struct NamelessEntries: Sendable {
    /// The most entries that are remembered. One more, and all are forgotten.
    static let capacity = 256
    /// After this many looks all entries are forgotten, because a database that was busy may know the name by then.
    static let looks = 64

    private var digests: Set<Digest> = []
    private var age = 0

    /// Notes that another look begins.
    mutating func look() {
        age += 1
        guard age > Self.looks else { return }
        age = 0
        digests = []
    }

    mutating func insert(_ digest: Digest) {
        if digests.count >= Self.capacity { digests = [] }
        digests.insert(digest)
    }

    func contains(_ digest: Digest) -> Bool { digests.contains(digest) }
}

/// Reads the requests that were answered recently.
struct RequestWatch: Sendable {
    /// Asks the loops for their last hits. Nil until the server exists.
    typealias Hits = Hook<(@Sendable (HitCursor?, Int) async -> RecentHits?)?>

    /// The most requests that one reading returns of each kind.
    static let capacity = 1000
    /// The most hits read from each loop between two looks; further hits count as dropped. At thousands of hits a
    /// second, a reader then costs as much as at a few hundred: less than a hundredth of what answering the hits costs.
    static let hitsAtOnce = 32
    /// The most entries of an earlier run whose names one look asks the database for.
    private static let namesAtOnce = 16

    let engine: Engine
    let explanations: ExplanationLog
    let hits: Hits
    let routes: RoutesInForce

    /// The result of a reading.
    struct Seen: Sendable {
        /// The oldest first.
        var requests: [SeenRequest]
        /// The number of requests since the cursor that are not in `requests`.
        var dropped: Int
        var cursor: RequestCursor
    }

    /// Reads the last requests, at most `capacity` of each kind.
    func latest() async -> Seen {
        await read(answeredAfter: nil, hitsAfter: nil, hitsAtMost: Self.capacity, NamelessEntries())
    }

    /// Reads the requests answered since the cursor.
    func since(_ cursor: RequestCursor) async -> Seen {
        await read(
            answeredAfter: cursor.answered, hitsAfter: cursor.hits, hitsAtMost: Self.hitsAtOnce, cursor.nameless)
    }

    private func read(
        answeredAfter number: UInt64?, hitsAfter place: HitCursor?, hitsAtMost limit: Int, _ before: NamelessEntries
    ) async -> Seen {
        var nameless = before
        nameless.look()
        let recent = await hits.get()?(place, limit)
        let answered = explanations.answered(after: number, atMost: Self.capacity)
        let table = routes.table
        var requests = answered.requests.compactMap { SeenRequest($0, table) }
        if let recent { requests += await told(recent.hits, &nameless) }
        requests.sort { $0.at < $1.at }
        return Seen(
            requests: requests, dropped: answered.missed + (recent?.missed ?? 0),
            cursor: RequestCursor(answered: answered.answered, hits: recent?.cursor ?? place, nameless: nameless))
    }

    /// The hits, with what is known of the entries that they came from.
    private func told(_ hits: [RecentHits.Hit], _ nameless: inout NamelessEntries) async -> [SeenRequest] {
        let providers = engine.snapshot.providers
        var known: [Digest: HitEntry] = [:]
        var asked = 0
        for hit in hits where known[hit.record.entry] == nil {
            let digest = hit.record.entry
            if let kept = explanations.request(digest) {
                known[digest] = HitEntry(kept.part, kept.request, providers, routes.table.tellable)
            } else if asked < Self.namesAtOnce, !nameless.contains(digest) {
                asked += 1
                let entry = await named(digest, providers)
                if entry == nil { nameless.insert(digest) }
                known[digest] = entry ?? HitEntry()
            }
        }
        return hits.map { SeenRequest($0, known[$0.record.entry] ?? HitEntry()) }
    }

    /// An entry of an earlier run that only the loops have answered from. The database is asked for its name once.
    private func named(_ digest: Digest, _ providers: ProviderSet) async -> HitEntry? {
        guard let name = await engine.cache.store.name(of: digest) else { return nil }
        var part = ExplainedPart(provider: name.provider)
        part.key = [KeyParameter("label", name.label)]
        explanations.keep(digest, part, for: nil)
        return HitEntry(part, nil, providers)
    }
}

/// What is known of an entry that a loop answered from.
struct HitEntry: Sendable {
    var provider: String?
    var target = SeenTarget(path: "")
    /// The route of the request for which the answer was kept.
    var route: String?
    var bytes: Int?

    /// An entry of which nothing is known.
    init() {}

    /// - Parameter tellable: the parameters of a route whose values may be shown.
    init(
        _ part: ExplainedPart, _ request: KeptRequest?, _ providers: ProviderSet,
        _ tellable: (RouteName) -> Set<String> = { _ in [] }
    ) {
        // A merged answer belongs to no single provider.
        provider = part.provider == "search" ? nil : part.provider
        guard let request else {
            let label = EntryLabel.url(part.key.first { $0.name == "label" }?.value ?? "")
            let pieces = label.split(separator: "?", maxSplits: 1)
            // A pass-through request may hold a credential in any parameter.
            let isOurs = providers.named(part.provider)?.isPassthrough == false
            let query = pieces.count > 1 ? String(pieces[1]) : nil
            target = SeenTarget(
                path: pieces.first.map(String.init) ?? "", query: query,
                tellable: isOurs ? Self.names(query) : [])
            return
        }
        let hidden = RedactedPath.raw(request.path, listenerProvider: request.listenerProvider, providers)
        target = SeenTarget(
            path: hidden ?? request.path, query: request.query,
            tellable: hidden == nil ? tellable(request.route) : [])
        route = request.route.text
        bytes = request.bytes
    }

    /// All parameter names: a canonical request holds no credential, so every value may be shown.
    private static func names(_ query: String?) -> Set<String> {
        Set((query ?? "").split(separator: "&").map { String($0.prefix { $0 != "=" }) })
    }
}

extension SeenRequest {
    /// A hit without a task. The loop's record has the figures, and the explanation log knows the entry.
    init(_ hit: RecentHits.Hit, _ entry: HitEntry) {
        let record = hit.record
        let isHead = record.method == .head
        self.init(
            id: hit.id, at: record.answeredAt, method: isHead ? "HEAD" : "GET", target: entry.target,
            route: entry.route ?? (record.isFromStore ? RouteName.store.text : RouteName.memory.text),
            status: Int(record.status),
            // The record does not say how many bytes a range had.
            bytes: isHead || record.status == 304 ? 0 : record.status == 200 ? entry.bytes : nil,
            providers: entry.provider.map { [$0] } ?? [], outcome: .hit, tier: record.isFromStore ? .database : .memory,
            rule: .fresh,
            sentence: "A stored answer was used; it is fresh for another \(record.ttl) s. It was "
                + (record.isFromStore ? "read from the database." : "answered from memory."))
    }

    /// Nil if the request is not answered yet.
    init?(_ explanation: Explanation, _ table: RouteTable) {
        guard let answered = explanation.answered else { return nil }
        let part = explanation.parts.first
        let isSingle = explanation.parts.count == 1
        let named = explanation.parts.map(\.provider).filter { !$0.isEmpty }
        self.init(
            id: explanation.id, at: explanation.at, method: explanation.method,
            target: SeenTarget(
                path: explanation.path, query: answered.query,
                tellable: answered.isPathHidden ? [] : table.tellable(explanation.route)),
            route: explanation.route.text, status: explanation.status, bytes: answered.bytes, took: answered.took,
            client: answered.peer.client,
            providers: named.isEmpty ? answered.provider.map { [$0] } ?? [] : named,
            outcome: answered.outcome == .none && isSingle ? part?.outcome ?? .none : answered.outcome,
            rule: isSingle ? part?.rule ?? part?.storing : nil, sentence: Self.sentence(explanation))
        if let refusal = explanation.refusal { fullSentence = refusal.detail }
    }

    private static func sentence(_ explanation: Explanation) -> String {
        if let refusal = explanation.refusal { return refusal.sentence }
        guard let part = explanation.parts.first else { return "Neither a provider nor the cache took part in it." }
        guard explanation.parts.count == 1 else {
            return "Several sources were asked: "
                + explanation.parts.map { "\($0.provider) \($0.outcome.rawValue)" }.joined(separator: ", ") + "."
        }
        return part.headline(at: explanation.at)
    }
}
