// Publishing a response. It happens behind the client's response, and only under the generations that were read before
// the fetch.
import LarderCache
import LarderCore
import LarderIO

extension SharedTier {
    /// The maximum number of responses being published at once; more are dropped.
    private static let mostPublishing = 64

    /// Sets the value if its generations are still in force.
    private static let publish = """
        if redis.call('GET',KEYS[2])~=ARGV[1] or redis.call('GET',KEYS[3])~=ARGV[2] then return 0 end \
        redis.call('SET',KEYS[1],ARGV[3],'PX',ARGV[4]) return 1
        """

    /// Why the response is not published; nil if it is.
    public func obstacle(to entry: StoredResponse) -> SharedStorability.Obstacle? {
        SharedStorability.obstacle(entry, maxObject: settings.maxObject, now: time.wall())
    }

    /// Publishes a response in the background. The caller does not wait.
    /// - Parameter lease: given back when the response has been published or will not be.
    public func publish(_ entry: StoredResponse, _ ticket: Ticket, _ lease: SharedLease? = nil) {
        if let obstacle = obstacle(to: entry) {
            if let lease { release(lease, isSettled: true) }
            return count(SharedCounters.published, obstacle.rawValue)
        }
        let mayGo = state.withLock { state -> Bool in
            guard state.publishing < Self.mostPublishing, !state.isClosed else { return false }
            state.publishing += 1
            return true
        }
        guard mayGo else {
            if let lease { release(lease, isSettled: true) }
            return count(SharedCounters.published, "dropped")
        }
        Task(executorPreference: loop) {
            let result = await self.put(entry, ticket)
            self.state.withLock { $0.publishing -= 1 }
            if let lease { self.release(lease, isSettled: result != "done") }
            self.count(SharedCounters.published, result)
        }
    }

    func put(_ entry: StoredResponse, _ ticket: Ticket) async -> String {
        let now = time.wall()
        let (clock, isRemoving) = state.withLock { ($0.clock, !$0.removals.isEmpty) }
        // A removal has not been told to the engine yet. Publishing now could restore what it removed.
        guard !isRemoving else { return "overtaken" }
        guard let clock else { return "failed" }
        let engine = clock.engine + (loop.clock.monotonic() - clock.at)
        let left = (entry.staleUntil - now).milliseconds
        guard left > 0 else { return SharedStorability.Obstacle.expired.rawValue }
        guard
            let script = await compute.run(
                reading: entry.body.count, { self.publishing(entry, ticket, left, engine - now) })
        else { return SharedStorability.Obstacle.unnamed.rawValue }
        switch await perform("publish", [script])?.first {
        case .integer(1): return "done"
        case .integer(0): return "overtaken"
        case let reply:
            if let reply { note(failure: reply.failure ?? .garbage) }
            return "failed"
        }
    }

    /// The command that publishes the response; nil if a response with such a `Vary` cannot be kept.
    private func publishing(
        _ entry: StoredResponse, _ ticket: Ticket, _ left: Int64, _ ahead: Duration
    ) -> Command? {
        let value = { (name: Bytes) in
            self.codec.encode(entry, ticket.generations, name: name, ahead: ahead)
        }
        let left = Bytes(text: String(left))
        if let url = ticket.url { return publishing(url, entry, ticket, value, left: left) }
        return Command(
            "EVAL", Bytes(text: Self.publish), Bytes(text: "3"), ticket.name, names.global,
            names.generation(of: ticket.provider), ticket.generations.global.text, ticket.generations.provider.text,
            value(ticket.name), left)
    }
}
