// Where request fields select one of several answers of a URL (RFC 9111 §4.1), the engine keeps one small value for the URL: a
// random number, its epoch, and the lists of field names by which its answers were selected, the most recent first. The names of the
// answers are made of the epoch too. So a removal of the URL deletes one key, and whatever lay under it is never found again; an
// epoch that is lost or evicted is made anew by chance. Of several answers that a request selects the most recent one is used.
import LarderCache
import LarderCore
import LarderHTTP

/// A URL in the engine, as a look-up found it.
struct SharedURL: Sendable, Hashable {
    /// More lists of names are not kept: an origin seldom has two.
    static let mostLists = 4
    /// Bytes that one list may have.
    static let longestList = 512

    /// Of the URL's own value.
    var name: Bytes
    var epoch: SharedGeneration
    /// Lower case, sorted; empty for an answer that no field selected.
    var lists: [[String]]

    /// - Parameter value: as the engine holds it: 32 digits, then a line for each list.
    init?(name: Bytes, value: Bytes) {
        guard value.count <= 32 + Self.mostLists * (Self.longestList + 1),
            let epoch = SharedGeneration(text: Bytes(value.prefix(32)))
        else { return nil }
        self.name = name
        self.epoch = epoch
        lists = []
        guard value.count > 32 else { return }
        guard value[32] == 0x0A else { return nil }
        for line in value[33...].split(separator: 0x0A, omittingEmptySubsequences: false) {
            let names = line.split(separator: 0x2C).map { String(decoding: $0, as: UTF8.self) }
            guard names.allSatisfy({ $0.utf8.allSatisfy(ASCII.isToken) }) else { return nil }
            lists.append(names)
        }
    }

    /// A list as it is written; nil where it is too long to be.
    static func line(_ names: [String]) -> Bytes? {
        let line = Bytes(text: names.joined(separator: ","))
        return line.count <= longestList ? line : nil
    }
}

extension SharedTier {
    /// Which answer of a URL is wanted.
    public struct Selecting: Sendable {
        /// The URL's own key: a removal names this one.
        public var target: Digest
        /// The key of what is to be fetched, as far as can be told before: hosts that want the same fetch it once.
        public var flight: CacheKey
        /// The key of the answer that these fields select in the request.
        public var key: @Sendable ([String]) -> CacheKey

        public init(target: Digest, flight: CacheKey, key: @escaping @Sendable ([String]) -> CacheKey) {
            self.target = target
            self.flight = flight
            self.key = key
        }
    }

    /// A URL of which nothing is published is forgotten after this time, in milliseconds.
    private static let idle = Bytes(text: "600000")

    /// Looks for the answer that a request selects. Two operations where the URL is known to the engine, each within the tier's time.
    /// - Parameter scope: of the provider (`SharedNames`).
    public func look(_ wanted: Selecting, scope: Digest, provider: String) async -> Look {
        if let obstacle = obstacle(wanted.flight) { return Look(part: obstacle) }
        let url = names.url(wanted.target, provider: provider)
        var random = SystemRandomNumberGenerator()
        let make = Command(
            "SET", url, SharedGeneration.random(&random).text, Bytes(text: "NX"), Bytes(text: "PX"), Self.idle)
        let found: Found
        switch await find(provider: provider, [make], [url]) {
        case .failure(let part): return Look(part: part.part)
        case .success(let value): found = value
        }
        // An engine that is full without eviction has no epoch: nothing is read, and nothing published.
        guard let generations = found.generations,
            let known = found.values[0].flatMap({ SharedURL(name: url, value: $0) })
        else {
            count(SharedCounters.lookups, "absent")
            return Look(part: .absent)
        }
        let ticket = Ticket(
            scope: scope, provider: provider, generations: generations,
            name: names.value(wanted.flight.digest, scope: scope, under: known.epoch), url: known,
            length: found.values[0]?.count ?? 0)
        guard !known.lists.isEmpty else {
            count(SharedCounters.lookups, "absent")
            return Look(ticket: ticket, part: .absent)
        }
        return await best(of: known, wanted, ticket)
    }

    /// The most recent of the answers that a request selects.
    private func best(of url: SharedURL, _ wanted: Selecting, _ ticket: Ticket) async -> Look {
        let keys = url.lists.map { wanted.key($0) }
        // One command each, so that each reply has its own bound.
        let gets = keys.map { Command("GET", names.value($0.digest, scope: ticket.scope, under: url.epoch)) }
        let found: Found
        switch await find(provider: ticket.provider, gets, []) {
        case .failure(let part): return Look(part: part.part)
        case .success(let value): found = value
        }
        guard let generations = found.generations else { return Look(ticket: ticket, part: .absent) }
        var ticket = ticket
        var best: StoredResponse?
        var why = "absent"
        for (place, reply) in found.others.enumerated() {
            guard let value = reply.bytes else { continue }
            let name = names.value(keys[place].digest, scope: ticket.scope, under: url.epoch)
            if name == ticket.name { ticket.instants = SharedCodec.instants(value) }
            switch await decode(value, keys[place], name, generations, ahead: found.ahead) {
            case .failure(let miss):
                note(miss, ticket.provider)
                why = miss.rawValue
            case .success(let entry):
                guard Self.names(entry) == url.lists[place] else { continue }
                if best.map({ $0.responseTime < entry.responseTime }) ?? true { best = entry }
            }
        }
        count(SharedCounters.lookups, best == nil ? why : "hit")
        return Look(entry: best, ticket: ticket, part: best == nil ? .absent : .hit)
    }

    /// What the answer's own `Vary` names; nil where nothing selects it ("*").
    static func names(_ entry: StoredResponse) -> [String]? {
        switch Vary(entry.fields) {
        case .names(let names): names
        case .any: nil
        }
    }

    /// Sets the value while its generations and its URL's epoch are still those and no more recent one is there; and puts its field
    /// names first, under the next epoch, which is mostly the same. The instant of an answer's head lies at that place of a value
    /// (`SharedCodec`).
    private static let publish = """
        if redis.call('GET',KEYS[2])~=ARGV[1] or redis.call('GET',KEYS[3])~=ARGV[2] then return 0 end \
        local u=redis.call('GET',KEYS[4]) if not u or string.sub(u,1,32)~=ARGV[5] then return 0 end \
        local o=redis.call('GETRANGE',KEYS[1],47,54) \
        if #o==8 and struct.unpack('>i8',o)>struct.unpack('>i8',string.sub(ARGV[3],48,55)) then return 0 end \
        local r,n=ARGV[8]..'\\n'..ARGV[6],1 \
        for l in string.gmatch(string.sub(u,33),'\\n([^\\n]*)') do \
        if l~=ARGV[6] and n<tonumber(ARGV[7]) then r=r..'\\n'..l n=n+1 end end \
        redis.call('SET',KEYS[4],r,'PX',string.format('%d',math.max(redis.call('PTTL',KEYS[4]),ARGV[4]))) \
        redis.call('SET',KEYS[1],ARGV[3],'PX',ARGV[4]) return 1
        """

    /// - Parameter value: makes the value under a name.
    /// - Returns: nil where no list of that length is kept.
    func publishing(
        _ url: SharedURL, _ entry: StoredResponse, _ ticket: Ticket, _ value: (Bytes) -> Bytes, left: Bytes
    ) -> Command? {
        guard let line = Self.names(entry).flatMap(SharedURL.line) else { return nil }
        // An answer that says that there is nothing puts the others of the URL in doubt: they are not found any more.
        let isLast = Displacement.putsOthersInDoubt(status: entry.status)
        var random = SystemRandomNumberGenerator()
        let epoch = isLast ? SharedGeneration.random(&random) : url.epoch
        let name = names.value(entry.key.digest, scope: ticket.scope, under: epoch)
        var command = Command(
            "EVAL", Bytes(text: Self.publish), Bytes(text: "4"), name, names.global,
            names.generation(of: ticket.provider), url.name)
        command.words += [
            ticket.generations.global.text, ticket.generations.provider.text, value(name), left, url.epoch.text, line,
            Bytes(text: String(isLast ? 1 : SharedURL.mostLists)), epoch.text,
        ]
        return command
    }
}
