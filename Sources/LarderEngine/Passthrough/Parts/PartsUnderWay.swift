// The parts of each URL that are coming just now, and what they are to a request for another range: one whose bytes have come already
// is read from the same fetch. Nobody waits for bytes at the pace of a fetch that another began: of what has not come the request
// makes its own.
import LarderCache
import LarderCore
import LarderHTTP

/// One for each flight that brings a part with a strong validator, for as long as it is under way.
final class PartsUnderWay: Sendable {
    private struct State {
        var latest: UInt64 = 0
        var urls: [Digest: [UInt64: Made]] = [:]
    }
    private let state = Lock(State())

    /// - Returns: what `leave` is told.
    func enter(_ url: Digest, _ made: Made) -> UInt64 {
        state.withLock { state in
            state.latest += 1
            state.urls[url, default: [:]][state.latest] = made
            return state.latest
        }
    }

    func leave(_ url: Digest, _ number: UInt64) {
        // What it holds is let go without the lock.
        let made = state.withLock { state in
            let made = state.urls[url]?.removeValue(forKey: number)
            if state.urls[url]?.isEmpty ?? false { state.urls[url] = nil }
            return made
        }
        withExtendedLifetime(made) {}
    }

    /// Those of one URL.
    func all(of url: Digest) -> [Made] {
        state.withLock { $0.urls[url].map { Array($0.values) } ?? [] }
    }
}

extension PartsBody {
    /// What of the representation has come of the part that is coming.
    fileprivate var come: PartialContent? {
        guard let live, case .tape(let tape) = live.body, stored.content.validator != nil else { return nil }
        var come = PartialContent(
            stored.content.identity, length: stored.content.length, keptUntil: stored.content.keptUntil)
        let end = min(live.range.upperBound, live.range.lowerBound + tape.tape.count)
        _ = come.add(live.range.lowerBound..<max(live.range.lowerBound, end))
        return come
    }

    /// The same body for who wants nothing but what has come.
    fileprivate var joined: PartsBody {
        var live = live
        live?.isJoined = true
        return PartsBody(parts, stored, live)
    }
}

extension PassSelection {
    /// What another's fetch is just bringing, where all that the request wants of it has come and the request selects it.
    /// - Parameter found: what the asker's own look-up found.
    func underWay(_ found: EntryCache.Found) -> Made? {
        guard found.entry == nil, found.part != nil, request.wantsRange else { return nil }
        let now = engine.time.wall()
        for var made in engine.cache.partsUnderWay.all(of: request.primary.digest) {
            guard let body = made.entry.large as? PartsBody, let come = body.come,
                found.parts?.stored.map({ $0.content.isSame(as: come) }) ?? true,
                case .covered(let ranges) = PartRequest.decide(
                    method: request.method, requestFields: request.fields, content: come, fields: made.entry.fields,
                    now: now), ranges.count == 1,
                request.judge.decide(made.entry, request.directives, now: now).decision == .fresh,
                selects(made, found)
            else { continue }
            made.entry.large = body.joined
            return made
        }
        return nil
    }
}
