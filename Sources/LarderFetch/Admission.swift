// Who may start an exchange now, who waits and who is turned away. An exchange that its upstream paces ends soon; one that
// a client paces lasts for as long as its client takes. So each kind has places of its own, so many in all and so many
// of each holder (a provider, or an origin that is no provider's), and neither kind can use up the other's.
//
// Holders take turns, and so do the clients of one holder: nobody waits behind another's crowd. The queue of each kind is
// bounded, in all and by holder. A full one turns away the newcomer, or the last fetch of a client that has more waiting
// than the newcomer's. Where the queue is full in all, the holder that has the most waiting makes room for one that has
// fewer. Pure.
import LarderCore

struct Admission: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        case waits
        /// It waits, and that one is turned away in its favour.
        case replaces(UInt64)
        case refused
    }

    /// Who says how long a transfer lasts.
    enum Pace: Sendable, Hashable {
        case upstream
        case client
    }

    /// Whose places they are.
    enum Holder: Sendable, Hashable {
        case provider(String)
        /// An origin that is called for no provider, such as a host of pictures.
        case origin(Origin)
    }

    /// The places of one kind, and who waits for them.
    struct Kind: Sendable {
        private(set) var taken = 0
        private var takenBy: [Holder: Int] = [:]
        private var queues: [Holder: TurnQueue] = [:]
        /// The holders whose fetches wait, the next one first.
        private var turns: [Holder] = []
        private(set) var waiting = 0

        func taken(by holder: Holder) -> Int { takenBy[holder] ?? 0 }

        func waiting(for holder: Holder) -> Int { queues[holder]?.count ?? 0 }

        fileprivate mutating func take(_ holder: Holder) {
            taken += 1
            takenBy[holder, default: 0] += 1
        }

        fileprivate mutating func release(_ holder: Holder) {
            taken -= 1
            let left = taken(by: holder) - 1
            takenBy[holder] = left > 0 ? left : nil
        }

        fileprivate mutating func append(_ id: UInt64, _ holder: Holder, _ client: String) {
            if queues[holder] == nil { turns.append(holder) }
            queues[holder, default: TurnQueue()].append(id, client: client)
            waiting += 1
        }

        fileprivate mutating func remove(_ id: UInt64, _ holder: Holder, _ client: String) {
            change(holder) { $0.remove(id, client: client) }
        }

        /// Takes out the next one of the first holder for which there is room. That holder's next turn comes last.
        fileprivate mutating func removeNext(where hasRoom: (Holder, Kind) -> Bool) -> (id: UInt64, holder: Holder)? {
            guard let place = turns.firstIndex(where: { hasRoom($0, self) }) else { return nil }
            let holder = turns.remove(at: place)
            turns.append(holder)
            var id: UInt64?
            change(holder) { id = $0.removeNext() }
            return id.map { ($0, holder) }
        }

        /// Who makes room for a fetch of a client where the queue of its holder is full.
        fileprivate func displaced(of holder: Holder, by client: String) -> UInt64? {
            queues[holder]?.displaced(by: client)
        }

        /// Who makes room for a fetch of a holder where the queue is full in all: the last fetch of the holder with the most
        /// waiting, where that holder keeps at least as many as `holder` then has.
        fileprivate func displaced(by holder: Holder, _ client: String) -> UInt64? {
            let longest = turns.max { waiting(for: $0) < waiting(for: $1) }
            guard let longest, longest != holder, waiting(for: longest) > waiting(for: holder) + 1 else {
                return displaced(of: holder, by: client)
            }
            return queues[longest]?.lastOfLongest
        }

        private mutating func change(_ holder: Holder, _ body: (inout TurnQueue) -> Void) {
            guard var queue = queues.removeValue(forKey: holder) else { return }
            waiting -= queue.count
            body(&queue)
            waiting += queue.count
            if queue.isEmpty { turns.removeAll { $0 == holder } } else { queues[holder] = queue }
        }
    }

    private struct Asker: Sendable {
        var holder: Holder
        var pace: Pace
        var client: String
    }

    /// The exchanges that their upstream paces, and those that a client paces.
    private(set) var brief = Kind()
    private(set) var paced = Kind()
    private var settings: FetchSettings
    private var askers: [UInt64: Asker] = [:]

    init(_ settings: FetchSettings) {
        self.settings = settings
    }

    var waiting: Int { brief.waiting + paced.waiting }
    var active: Int { brief.taken + paced.taken }

    /// Puts other limits in force. What holds a place keeps it.
    mutating func apply(_ settings: FetchSettings) { self.settings = settings }

    /// Asks for a place. A granted one is given back by `release`; one that waits is named by `grant` later,
    /// or withdrawn.
    /// - Parameter hasWaited: it waited for a place of the other kind until now, and is not turned away.
    mutating func ask(
        _ id: UInt64, _ holder: Holder, client: String = "", pace: Pace = .upstream, hasWaited: Bool = false
    ) -> Verdict {
        if isFree(holder, pace) {
            self[pace].take(holder)
            return .granted
        }
        var replaced: UInt64?
        if !hasWaited {
            let isFull = self[pace].waiting(for: holder) >= settings.limits(of: holder).maxQueue
            if isFull || self[pace].waiting >= settings.maxQueue {
                replaced =
                    isFull
                    ? self[pace].displaced(of: holder, by: client) : self[pace].displaced(by: holder, client)
                guard let replaced else { return .refused }
                withdraw(replaced)
            }
        }
        self[pace].append(id, holder, client)
        askers[id] = Asker(holder: holder, pace: pace, client: client)
        return replaced.map { .replaces($0) } ?? .waits
    }

    /// The next one that may start, its place taken; nil where nobody may.
    mutating func grant() -> (id: UInt64, holder: Holder, pace: Pace)? {
        let settings = settings
        for pace in [Pace.upstream, .client] where self[pace].waiting > 0 && self[pace].taken < settings.most(pace) {
            let next = self[pace].removeNext { holder, kind in kind.taken(by: holder) < settings.most(holder, pace) }
            guard let (id, holder) = next else { continue }
            askers[id] = nil
            self[pace].take(holder)
            return (id, holder, pace)
        }
        return nil
    }

    /// A transfer turns out to be paced by a client: it takes one of those places and gives its own back. False where
    /// none is free; then nothing changes.
    mutating func moveAside(_ holder: Holder) -> Bool {
        guard isFree(holder, .client) else { return false }
        paced.take(holder)
        brief.release(holder)
        return true
    }

    /// Gives a place back.
    mutating func release(_ holder: Holder, pace: Pace = .upstream) { self[pace].release(holder) }

    /// Leaves the queue.
    mutating func withdraw(_ id: UInt64) {
        guard let asker = askers.removeValue(forKey: id) else { return }
        self[asker.pace].remove(id, asker.holder, asker.client)
    }

    private subscript(pace: Pace) -> Kind {
        get { pace == .upstream ? brief : paced }
        _modify {
            switch pace {
            case .upstream: yield &brief
            case .client: yield &paced
            }
        }
    }

    private func isFree(_ holder: Holder, _ pace: Pace) -> Bool {
        self[pace].taken < settings.most(pace) && self[pace].taken(by: holder) < settings.most(holder, pace)
    }
}

extension FetchSettings {
    /// The places of one kind, of all holders and of one.
    fileprivate func most(_ pace: Admission.Pace) -> Int { pace == .upstream ? maxTransfers : maxStreams }

    fileprivate func most(_ holder: Admission.Holder, _ pace: Admission.Pace) -> Int {
        let limits = limits(of: holder)
        return pace == .upstream ? limits.maxConnections : limits.maxStreams
    }

    /// What holds for one holder.
    fileprivate func limits(of holder: Admission.Holder) -> ExchangeLimits {
        switch holder {
        case .provider(let name): providers[name] ?? standard
        case .origin: standard
        }
    }
}
