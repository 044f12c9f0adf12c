// Request fields may select one of several responses of a URL (RFC 9111 §4.1). For such a URL the engine keeps one
// small value: a random number, its epoch, and the lists of field names by which its responses were selected, the most
// recent list first. The epoch is part of the names of the responses. So a removal of the URL deletes one key, and no
// response stored under it is ever found again. A lost or evicted epoch is replaced by a new random one. If a request
// selects several responses, the most recent one is used.
import LarderCache
import LarderCore
import LarderHTTP

/// A URL in the engine, as a look-up found it.
struct SharedURL: Sendable, Hashable {
    /// The maximum number of lists of names. An origin seldom has two.
    static let mostLists = 4
    /// The maximum size of one list in bytes.
    static let longestList = 512

    /// The name of the URL's own value.
    var name: Bytes
    var epoch: SharedGeneration
    /// Lower-case, sorted names. Empty for a response that no field selects.
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

    /// A list as a line of the value; nil if it is too long.
    static func line(_ names: [String]) -> Bytes? {
        let line = Bytes(text: names.joined(separator: ","))
        return line.count <= longestList ? line : nil
    }
}

extension SharedTier {
    /// Describes which response of a URL is wanted.
    public struct Selecting: Sendable {
        /// The digest of the URL's own key. A removal names this one.
        public var target: Digest
        /// The key of what will be fetched, as far as it is known beforehand. Hosts with the same key fetch once.
        public var flight: Digest
        /// Whether all clients share the response.
        public var isEverybodys: Bool
        /// Returns the key of the response that these fields select in the request.
        public var key: @Sendable ([String]) -> CacheKey

        public init(
            target: Digest, isEverybodys: Bool, flight: Digest, key: @escaping @Sendable ([String]) -> CacheKey
        ) {
            self.target = target
            self.isEverybodys = isEverybodys
            self.flight = flight
            self.key = key
        }
    }

    /// The time in milliseconds after which a URL without published responses is forgotten.
    private static let idle = Bytes(text: "600000")

    /// Looks for the response that a request selects. Takes two operations if the engine knows the URL, each within the
    /// tier's timeout.
    /// - Parameter scope: the provider's scope (`SharedNames`).
    public func look(_ wanted: Selecting, scope: Digest, provider: String) async -> Look {
        if let obstacle = obstacle(isEverybodys: wanted.isEverybodys) { return Look(part: obstacle) }
        let url = names.url(wanted.target, provider: provider)
        let make = Command(
            "SET", url, SharedGeneration.random().text, Bytes(text: "NX"), Bytes(text: "PX"), Self.idle)
        let found: Found
        switch await find(provider: provider, [make], [url]) {
        case .failure(let part): return Look(part: part.part)
        case .success(let value): found = value
        }
        // A full engine without eviction has no epoch. Nothing is read then, and nothing is published.
        guard let generations = found.generations,
            let known = found.values[0].flatMap({ SharedURL(name: url, value: $0) })
        else {
            count(SharedCounters.lookups, "absent")
            return Look(part: .absent)
        }
        let ticket = Ticket(
            scope: scope, provider: provider, generations: generations,
            name: names.value(wanted.flight, scope: scope, under: known.epoch), url: known,
            length: found.values[0]?.count ?? 0)
        guard !known.lists.isEmpty else {
            count(SharedCounters.lookups, "absent")
            return Look(ticket: ticket, part: .absent)
        }
        return await best(of: known, wanted, ticket)
    }

    /// The most recent of the responses that a request selects.
    private func best(of url: SharedURL, _ wanted: Selecting, _ ticket: Ticket) async -> Look {
        let keys = url.lists.map { wanted.key($0) }
        // One command for each value, so each reply has its own size limit.
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

    /// The field names in the response's own `Vary`; nil if it cannot be selected ("*").
    static func names(_ entry: StoredResponse) -> [String]? {
        switch Vary(entry.fields) {
        case .names(let names): names
        case .any: nil
        }
    }

    /// Sets the value if its generations and its URL's epoch are still in force and no more recent value is there. Puts
    /// its field names first in the list, under the next epoch, which is usually the same one. Bytes 47 to 54 of a
    /// value hold the instant of the response head (`SharedCodec`).
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

    /// - Parameter value: makes the value for a name.
    /// - Returns: nil if the list of names is too long to be kept.
    func publishing(
        _ url: SharedURL, _ entry: StoredResponse, _ ticket: Ticket, _ value: (Bytes) -> Bytes, left: Bytes
    ) -> Command? {
        guard let line = Self.names(entry).flatMap(SharedURL.line) else { return nil }
        // A response that says that nothing is there puts the other responses of the URL in doubt. They are no longer
        // found.
        let isLast = Displacement.putsOthersInDoubt(status: entry.status)
        let epoch = isLast ? SharedGeneration.random() : url.epoch
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
