// How this host tells the fleet of removals. New generations make earlier values unreadable and keep them from being
// published, and an entry in the stream makes the other hosts remove them from their own stores. What cannot be told to
// the engine now is kept, also over a restart.
import LarderCache
import LarderCore
import LarderIO

/// The outcome of a removal in the fleet.
public struct SharedRemoval: Sendable {
    /// Whether the engine has confirmed the removal.
    public var isTold: Bool
    /// The place in the stream that a host has reached once it has carried out the removal.
    var place: SharedStreamID?
    /// The names of the hosts that have not confirmed the removal, silent ones included; filled by `confirm`. Nil if
    /// the engine does not tell.
    public var unconfirmed: [String]?

    /// - Parameter isTold: whether the engine knows of the removal.
    public init(isTold: Bool) { self.isTold = isTold }

    init(isTold: Bool, place: SharedStreamID?) {
        self.isTold = isTold
        self.place = place
    }
}

extension SharedTier {
    /// Whether a removal waits to be told to the engine.
    public var owesRemovals: Bool { state.withLock { !$0.removals.isEmpty } }

    /// Invalidates every value of a provider, or of all, on every host. If the engine cannot be told now, it is told
    /// when it is back; until then this host neither reads from it nor writes to it.
    /// - Parameter order: what the other hosts must remove from their own stores, in the form in which they receive it.
    @discardableResult
    public func remove(provider: String?, order: Bytes? = nil) async -> SharedRemoval {
        await remove { $0.add(provider, order: order) }
    }

    /// Invalidates everything under one URL, in all scopes.
    /// - Parameter order: nil if only the engine's values are invalidated.
    @discardableResult
    public func remove(url target: Digest, provider: String, order: Bytes? = nil) async -> SharedRemoval {
        // Without a prefix: a waiting removal may be told under another one.
        let end = SharedNames.end(of: target, provider: provider)
        return await remove { $0.add(url: end, of: provider, order: order) }
    }

    func remove(_ add: (inout SharedRemovals) -> Void) async -> SharedRemoval {
        let next = state.withLock { state -> SharedTier? in
            if let next = state.next { return next }
            add(&state.removals)
            return nil
        }
        if let next { return await next.remove(add) }
        let (isDone, place) = await tellRemovals()
        if !isDone {
            count(SharedCounters.removals, "waiting")
            await keepRemovals()
        }
        return SharedRemoval(isTold: isDone, place: place)
    }

    /// Waits for a short time for the other hosts that are alive. Then lists the hosts that have not carried out the
    /// removal. Silent hosts are listed too, since they may still serve what was removed.
    public func confirm(_ removal: SharedRemoval) async -> SharedRemoval {
        var removal = removal
        guard removal.isTold, let place = removal.place else { return removal }
        let end = loop.clock.monotonic() + Self.confirming
        while true {
            guard let members = await members() else {
                removal.unconfirmed = nil
                return removal
            }
            let late = members.filter { !$0.isSelf && ($0.place.map { $0 < place } ?? true) }
            removal.unconfirmed = late.map(\.name)
            if !late.contains(where: \.isAlive) || loop.clock.monotonic() >= end { return removal }
            await pause(.milliseconds(20))
        }
    }

    private static let confirming = Duration.milliseconds(500)

    // MARK: Telling

    /// Tells the engine all waiting removals.
    private func tellRemovals() async -> (isDone: Bool, place: SharedStreamID?) {
        let told = state.withLock { $0.removals }
        guard !told.isEmpty else { return (true, nil) }
        let keys = told.isGlobal ? [names.global] : told.providers.sorted().map { names.generation(of: $0) }
        var commands = keys.map { Command("SET", $0, SharedGeneration.random().text) }
        if !told.isGlobal, !told.urls.isEmpty {
            var delete = Command("DEL")
            delete.words += told.urls.sorted { $0.lexicographicallyPrecedes($1) }.map { names.url($0) }
            commands.append(delete)
        }
        for order in told.orders { commands.append(entry(order.bytes)) }
        if told.isOverflown { commands.append(entry(Self.dropAll)) }
        if let replies = await perform("remove", commands) {
            if let failure = replies.lazy.compactMap(\.failure).first {
                note(failure: failure)
            } else {
                let isDone = state.withLock { state in
                    state.removals.subtract(told)
                    return state.removals.isEmpty
                }
                count(SharedCounters.removals, "done")
                await keepRemovals()
                let last = replies.last?.bytes.flatMap { SharedStreamID(text: String(decoding: $0, as: UTF8.self)) }
                return (isDone, last)
            }
        }
        tellLater()
        return (false, nil)
    }

    /// An order in place of too many orders: remove everything that came from the shared tier.
    static let dropAll = Bytes(text: "*")

    /// Retries while something waits. A pause precedes each try, so an engine that is away is not asked all the time.
    func tellLater() {
        let begins = state.withLock { state -> Bool in
            guard !state.isTelling, !state.isClosed else { return false }
            state.isTelling = true
            return true
        }
        guard begins else { return }
        loop.post { [weak self, loop] in
            _ = loop.schedule(at: loop.monotonic + .milliseconds(250)) { self?.tellAgain() }
        }
    }

    private func tellAgain() {
        state.withLock { $0.isTelling = false }
        guard !isClosed else { return }
        Task(executorPreference: loop) {
            _ = await self.tellRemovals()
            await self.tellOwed()
        }
    }

    // MARK: Over a restart

    private static let keptRemovals = "shared.removals"

    /// Writes down the waiting removals if they have changed.
    private func keepRemovals() async {
        let (bytes, isNew) = state.withLock { state -> (Bytes, Bool) in
            // The tier that has taken over the waiting removals writes them down.
            guard state.next == nil else { return ([], false) }
            let bytes = state.removals.isEmpty ? [] : state.removals.encoded
            defer { state.keptRemovals = bytes }
            return (bytes, bytes != state.keptRemovals)
        }
        if isNew { await keeping.keep(Self.keptRemovals, bytes.isEmpty ? nil : bytes) }
    }

    private static let alone = "shared.alone"

    /// Records that this host stands alone from now on. Removals on it are then told to nobody.
    public static func noteAlone(_ keeping: any SharedKeeping) async {
        guard await hasShared(keeping), await keeping.kept(alone) == nil else { return }
        await keeping.keep(alone, Bytes(text: "1"))
    }

    /// Restores the removals that an earlier run, or the tier before this one, could not tell. Must be called before
    /// the first look-up.
    public func recallRemovals() async {
        let bytes = await keeping.kept(Self.keptRemovals)
        let stoodAlone = await keeping.kept(Self.alone) != nil
        state.withLock { state in
            if let bytes {
                state.keptRemovals = bytes
                state.removals.recall(bytes)
            }
            // The removals made in the meantime are not known any more. They may have concerned anything.
            if stoodAlone { state.removals.recallAll() }
        }
        guard stoodAlone else { return }
        await keepRemovals()
        await keeping.keep(Self.alone, nil)
    }

    private static let apart = "shared.apart"

    /// Sets which providers share nothing on this host. Removals of these are told to nobody, so a provider that shares
    /// again counts as removed once. Must be called before the new settings are in force.
    /// - Returns: the providers that share again.
    public func setApart(_ names: Set<String>) async -> [String] {
        let kept = await keeping.kept(Self.apart).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let before = Set(kept.split(separator: "\n").map(String.init))
        guard before != names else { return [] }
        let again = before.subtracting(names).sorted()
        for name in again { await remove(provider: name) }
        let text = names.sorted().joined(separator: "\n")
        await keeping.keep(Self.apart, names.isEmpty ? nil : Bytes(text: text))
        return again
    }

    func tellRecalled() async {
        guard owesRemovals, await !tellRemovals().isDone else { return }
        count(SharedCounters.removals, "waiting")
    }

    // MARK: The hosts

    /// The generations in force: the one of all ("*"), then those of the providers that have one.
    public func generations(of providers: [String]) async -> [(name: String, generation: String)] {
        var get = Command("MGET", names.global)
        get.words += providers.map { names.generation(of: $0) }
        guard let values = await perform("generations", [get])?.first?.elements, values.count == providers.count + 1
        else { return [] }
        return zip(["*"] + providers, values).compactMap { name, value in
            value.bytes.flatMap(SharedGeneration.init(text:)).map { (name, String(decoding: $0.text, as: UTF8.self)) }
        }
    }
}
