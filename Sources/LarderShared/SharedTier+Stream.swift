// Reads and writes the stream of removals. Others may write to it too, so nothing in it is trusted without its code, and
// each reply is bounded: the engine cuts entries that are too long for this fleet's.
import LarderCache
import LarderCore
import LarderIO

extension SharedTier {
    /// What one question about the stream brought.
    struct Reading {
        var tip: SharedStreamEntry?
        var entries: [SharedStreamEntry] = []
    }

    /// Writes a sign of life with the engine's time. A table without a living host expires by itself. A host that joins
    /// deletes the rows of hosts that were silent for ten minutes; otherwise hosts that come only once would fill the
    /// table.
    private static let sign = """
        local t=redis.call('TIME') redis.call('HSET',KEYS[1],ARGV[1],t[1]..' '..ARGV[2]) \
        redis.call('PEXPIRE',KEYS[1],600000) if ARGV[3]=='1' then local h=redis.call('HGETALL',KEYS[1]) \
        for i=1,#h,2 do local s=tonumber(string.match(h[i+1],'^(%d+)')) \
        if not s or math.abs(t[1]-s)>600 then redis.call('HDEL',KEYS[1],h[i]) end end end return t
        """

    /// Returns the last entry, then those after a place. Of an entry that cannot be one of this fleet's only the ID.
    private static let look = """
        local function cut(e) local f,n=e[2],0 if #f~=8 then return {e[1]} end \
        for i=1,8 do n=n+#f[i] end if n>\(SharedRemovals.longestOrder + 512) then return {e[1]} end return e end \
        local t=redis.call('XREVRANGE',KEYS[1],'+','-','COUNT',1) if not t[1] then return {} end \
        local r={cut(t[1])} if ARGV[1]=='' then return r end \
        local x=redis.call('XREAD','COUNT',128,'STREAMS',KEYS[1],ARGV[1]) \
        if x and x[1] then for i,e in ipairs(x[1][2]) do r[i+1]=cut(e) end end return r
        """

    /// Gives a sign of life and reads new entries.
    /// - Parameters:
    ///   - waits: whether to wait for the next entry if there is none.
    ///   - time: the time limit, if not as usual.
    func read(
        _ cursor: SharedStreamCursor, waits: Bool, within time: Duration? = nil
    ) async -> Result<Reading, SharedFailure> {
        var sign = Command("EVAL", Bytes(text: Self.sign), one, names.hosts, Bytes(text: host.id))
        sign.words.append(signOfLife(place: cursor.place?.id))
        sign.words.append(Bytes(text: time == nil ? "" : "1"))
        let place = Bytes(text: cursor.place?.id.text ?? "")
        var commands = [sign, Command("EVAL", Bytes(text: Self.look), one, names.stream, place)]
        if waits, cursor.place != nil {
            // Only a wake-up: what has come is read by the next look. If there are entries already, this returns at once.
            let patience = Bytes(text: String(SharedFollower.patience.milliseconds))
            var wait = Command("XREAD", Bytes(text: "BLOCK"), patience, Bytes(text: "COUNT"), one)
            wait.words += [Bytes(text: "STREAMS"), names.stream, place]
            commands.append(wait)
        }
        switch await follower.ask(commands, within: time) {
        case .failure(let failure): return .failure(failure)
        case .success(let replies):
            if let engine = Self.engineTime(replies[0]) {
                state.withLock { $0.clock = (engine, loop.clock.monotonic()) }
            }
            guard var found = entries(replies[1]) else { return .failure(.garbage) }
            guard !found.isEmpty else {
                // There is no stream yet. A host that finds none creates it.
                if case .failure(let failure) = await follower.ask([entry([], isFirst: true)], within: time) {
                    return .failure(failure)
                }
                return .success(Reading())
            }
            let tip = found.removeFirst()
            return .success(Reading(tip: tip, entries: found))
        }
    }

    var one: Bytes { Bytes(text: "1") }

    /// Parses stream entries: each is an id, and names and values in the order in which they were added.
    private func entries(_ reply: Reply) -> [SharedStreamEntry]? {
        guard let items = reply.elements else { return nil }
        var found: [SharedStreamEntry] = []
        for item in items {
            guard let parts = item.elements, let first = parts.first?.bytes,
                let id = SharedStreamID(text: String(decoding: first, as: UTF8.self))
            else { return nil }
            let words = parts.count == 2 ? parts[1].elements?.compactMap(\.bytes) ?? [] : []
            guard words.count == 8, let nonce = SharedGeneration(text: words[1]) else {
                found.append(
                    SharedStreamEntry(
                        id: id, nonce: SharedGeneration(high: id.milliseconds, low: id.number), before: nil, order: [],
                        isGenuine: false))
                continue
            }
            let code = codec.code(of: nonce.text + words[5], names.stream).bytes
            found.append(
                SharedStreamEntry(
                    id: id, nonce: nonce, before: SharedGeneration(text: words[3]), order: words[5],
                    isGenuine: Secrets.equal(code, words[7])))
        }
        return found
    }

    // MARK: Writing

    /// Appends an entry that names the one before it. If the fourth argument is "first", appends only if there is no
    /// stream yet.
    private static let append = """
        if ARGV[4]=='first' then local t=redis.call('XREVRANGE',KEYS[1],'+','-','COUNT',1) \
        if t[1] then return t[1][1] end end \
        local b=redis.pcall('GET',KEYS[2]) if type(b)~='string' or #b~=32 then b='' end \
        local i=redis.call('XADD',KEYS[1],'MAXLEN','~','4096','*','n',ARGV[1],'b',b,'w',ARGV[2],'m',ARGV[3]) \
        redis.call('SET',KEYS[2],ARGV[1]) return i
        """

    /// The command that appends an entry to the stream.
    /// - Parameter order: empty for the mark at the beginning of the stream.
    func entry(_ order: Bytes, isFirst: Bool = false) -> Command {
        let nonce = SharedGeneration.random()
        state.withLock { state in
            if state.own.count >= SharedRemovals.mostOrders { state.own.removeFirst() }
            state.own.append(nonce)
        }
        var command = Command("EVAL", Bytes(text: Self.append), Bytes(text: "2"), names.stream, names.chain)
        command.words += [nonce.text, order, codec.code(of: nonce.text + order, names.stream).bytes]
        command.words.append(Bytes(text: isFirst ? "first" : ""))
        return command
    }

    /// Whether this host wrote the entry. True at most once for each entry.
    func takeOwn(_ nonce: SharedGeneration) -> Bool {
        state.withLock { state in
            guard let place = state.own.firstIndex(of: nonce) else { return false }
            state.own.remove(at: place)
            return true
        }
    }

    /// Logs what others may cause at any rate, each text once a minute.
    func noteRarely(_ text: String) {
        let now = loop.clock.monotonic()
        let isDue = state.withLock { state -> Bool in
            if let last = state.noted[text], now - last < .seconds(60) { return false }
            state.noted[text] = now
            return true
        }
        if isDue { log.notice(text) }
    }
}
