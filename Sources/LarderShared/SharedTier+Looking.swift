// Look-ups in the shared tier. One operation reads the value and the generations in force. A value is used only if it
// was written under these generations.
import LarderCache
import LarderCore
import LarderIO

extension SharedTier {
    /// The result of a look-up.
    public struct Look: Sendable {
        /// The response, fresh or stale. Its instants are by this host's clock.
        public var entry: StoredResponse?
        /// The right to publish a response that is fetched now; nil if it must not be published.
        public var ticket: Ticket?
        /// The part of the tier in the response.
        public var part: SharedPart
    }

    /// The right to publish one response, as long as no removal concerns it.
    public struct Ticket: Sendable {
        let scope: Digest
        let provider: String
        let generations: SharedGenerations
        /// The name of the value to be fetched, as far as it is known beforehand.
        let name: Bytes
        /// The URL, if request fields select one of its several responses.
        var url: SharedURL?

        /// The instants of the value that was found under the name; empty if there was none.
        var instants = Bytes()
        /// The length in bytes of the engine's value for the URL.
        var length = 0

        /// Whether the engine has, or had, responses of the URL.
        public var hasAnswers: Bool { url.map { !$0.lists.isEmpty } ?? false }
    }

    /// Looks up a response. Returns within the tier's timeout.
    /// - Parameter scope: the provider's scope (`SharedNames`).
    public func look(_ key: CacheKey, scope: Digest, provider: String) async -> Look {
        if let obstacle = obstacle(isEverybodys: key.isEverybodys) { return Look(part: obstacle) }
        let name = names.value(key.digest, scope: scope)
        let found: Found
        switch await find(provider: provider, [], [name]) {
        case .failure(let part): return Look(part: part.part)
        case .success(let value): found = value
        }
        let instants = found.values[0].map(SharedCodec.instants) ?? []
        let ticket = found.generations.map {
            Ticket(scope: scope, provider: provider, generations: $0, name: name, instants: instants)
        }
        guard let value = found.values[0], let generations = found.generations, !found.areNew else {
            count(SharedCounters.lookups, "absent")
            return Look(ticket: ticket, part: .absent)
        }
        switch await decode(value, key, name, generations, ahead: found.ahead) {
        case .success(let entry):
            count(SharedCounters.lookups, "hit")
            return Look(entry: entry, ticket: ticket, part: .hit)
        case .failure(let miss):
            count(SharedCounters.lookups, miss.rawValue)
            note(miss, provider)
            return Look(ticket: ticket, part: .absent)
        }
    }

    /// Why the tier is not asked; nil if it is.
    func obstacle(isEverybodys: Bool) -> SharedPart? {
        guard isEverybodys else { return .notForIt }
        guard owesRemovals else { return nil }
        count(SharedCounters.lookups, "notAsked")
        return .removalWaits
    }

    func note(_ miss: SharedCodec.Miss, _ provider: String) {
        guard miss == .forged else { return }
        log.warning("a value of the shared tier is not signed with shared.key", ["provider": provider])
    }

    /// The result of one operation.
    struct Found {
        /// The engine's clock minus this host's.
        var ahead: Duration
        /// The generations in force; nil if there are none and none could be made.
        var generations: SharedGenerations?
        /// Whether the generations were made just now. Then no value belongs to them.
        var areNew = false
        var values: [Bytes?]
        /// The replies to the other commands.
        var others: [Reply]
    }

    /// Why nothing was found.
    struct NoReply: Error {
        var part: SharedPart
    }

    /// Reads values together with the generations in force.
    /// - Parameters:
    ///   - commands: sent before the values are read.
    ///   - keys: the names of the values.
    func find(provider: String, _ commands: [Command], _ keys: [Bytes]) async -> Result<Found, NoReply> {
        let names = [names.global, names.generation(of: provider)]
        var get = Command("MGET")
        get.words += keys + names
        guard let replies = await perform("look", [Command("TIME")] + commands + [get]) else {
            return .failure(
                NoReply(
                    part: state.withLock { state in
                        state.breaker.word == "closed" ? .failed : .breakerOpen(since: state.openSince)
                    }))
        }
        guard let engine = Self.engineTime(replies[0]), let values = replies.last?.elements,
            values.count == keys.count + 2
        else {
            note(failure: replies.lazy.compactMap(\.failure).first ?? .garbage)
            count(SharedCounters.lookups, "failed")
            return .failure(NoReply(part: .failed))
        }
        // A full engine refuses to write, but still reads.
        if let failure = replies.lazy.compactMap(\.failure).first { note(failure: failure) }
        let now = time.wall()
        state.withLock { $0.clock = (engine, loop.clock.monotonic()) }
        var found = Found(
            ahead: engine - now, values: values.prefix(keys.count).map(\.bytes),
            others: Array(replies[1..<(1 + commands.count)]))
        let known = values.suffix(2).map { $0.bytes.flatMap(SharedGeneration.init(text:)) }
        if let global = known[0], let own = known[1] {
            found.generations = SharedGenerations(global: global, provider: own)
        } else {
            found.generations = await makeGenerations(names, known)
            found.areNew = true
        }
        return .success(found)
    }

    /// Decodes a value, not on the loop.
    func decode(
        _ value: Bytes, _ key: CacheKey, _ name: Bytes, _ generations: SharedGenerations, ahead: Duration
    ) async -> Result<StoredResponse, SharedCodec.Miss> {
        let question = SharedCodec.Question(
            key: key, name: name, generations: generations, ahead: ahead, maxObject: settings.maxObject)
        return await compute.run(reading: value.count) { [codec] () -> Result<StoredResponse, SharedCodec.Miss> in
            do throws(SharedCodec.Miss) {
                return .success(try codec.decode(value, question))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Makes random generations in place of those that the engine lacks or has lost. If several hosts do so, the first
    /// one's count.
    private func makeGenerations(_ names: [Bytes], _ read: [SharedGeneration?]) async -> SharedGenerations? {
        var commands: [Command] = []
        for (name, known) in zip(names, read) where known == nil {
            commands.append(Command("SET", name, SharedGeneration.random().text, Bytes(text: "NX")))
        }
        var get = Command("MGET")
        get.words += names
        guard let replies = await perform("generations", commands + [get]), let values = replies.last?.elements,
            let global = values.first?.bytes.flatMap(SharedGeneration.init(text:)),
            let own = values.last?.bytes.flatMap(SharedGeneration.init(text:))
        else { return nil }
        for reply in replies { if let failure = reply.failure { note(failure: failure) } }
        return SharedGenerations(global: global, provider: own)
    }
}
