// Decides which exchanges may start now, which wait and which are refused. An exchange paced by its upstream ends soon,
// one paced by a client lasts as long as that client takes. So each kind has its own places, limited in total and per
// holder (a provider, or an origin that belongs to no provider).
//
// A holder's place in the order is that of the most urgent fetch that waits for it: `Precedence` decides whose urgency
// has the turn, and holders of one urgency take turns. `TurnQueue` is the order within one holder. Queues are bounded in
// total and per holder. A full one never drops what is more urgent than the newcomer. Pure: no I/O, no clock.
import LarderCore

struct Admission: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        case waits
        /// The fetch waits. The fetch with this id is refused to make room for it.
        case replaces(UInt64)
        case refused
    }

    /// Which side decides how long a transfer lasts.
    enum Pace: Sendable, Hashable {
        case upstream
        case client
    }

    /// The owner of a place.
    enum Holder: Sendable, Hashable {
        case provider(String)
        /// An origin that is called for no provider, such as a host of images.
        case origin(Origin)
    }

    /// The places of one kind, and the fetches that wait for them.
    struct Kind: Sendable {
        private(set) var taken = 0
        private var takenBy: [Holder: Int] = Dictionary(minimumCapacity: 8)
        private var queues: [Holder: TurnQueue] = [:]
        /// The holders that have waiting fetches, in the order of their turns.
        private var turns: [Holder] = []
        private var precedence = Precedence()
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

        fileprivate mutating func append(_ id: UInt64, _ holder: Holder, _ turn: CallTurn) {
            if queues[holder] == nil { turns.append(holder) }
            queues[holder, default: TurnQueue()].append(id, turn)
            waiting += 1
        }

        fileprivate mutating func remove(_ id: UInt64, _ holder: Holder, _ turn: CallTurn) {
            change(holder) { $0.remove(id, turn) }
        }

        /// Removes the next fetch of a holder that has room, and whose most urgent fetch has the urgency that has the
        /// turn; of the first one, if there are several. That holder moves to the end of the turns. What is removed may
        /// be less urgent: a turn that the holder's own queue owes is paid here, and costs no other holder a turn.
        fileprivate mutating func removeNext(where hasRoom: (Holder, Kind) -> Bool) -> (id: UInt64, holder: Holder)? {
            var places: [Int?] = Urgency.allCases.map { _ in nil }
            for (place, holder) in turns.enumerated() where hasRoom(holder, self) {
                guard let urgency = queues[holder]?.mostUrgent?.rawValue, places[urgency] == nil else { continue }
                places[urgency] = place
            }
            guard let urgency = precedence.next(where: { places[$0.rawValue] != nil }),
                let place = places[urgency.rawValue]
            else { return nil }
            precedence.note(urgency) { places[$0.rawValue] != nil }
            let holder = turns.remove(at: place)
            turns.append(holder)
            var id: UInt64?
            change(holder) { id = $0.removeNext() }
            return id.map { ($0, holder) }
        }

        /// The fetch to drop so that a fetch of that turn can enter the full queue of `holder`.
        fileprivate func displaced(of holder: Holder, by turn: CallTurn) -> UInt64? {
            queues[holder]?.displaced(by: turn)
        }

        /// The fetch to drop so that a fetch of `holder` can enter a queue that is full in total. If what is less urgent
        /// is more than a quarter of all that wait, the holder that has most of it loses the last. Otherwise the holder
        /// with the most fetches of that urgency loses the last of them, if it keeps at least as many as `holder` then
        /// has. Otherwise `holder` itself makes room, if its own tools and clients do by the same rule.
        fileprivate func displaced(by holder: Holder, _ turn: CallTurn) -> UInt64? {
            func below(_ holder: Holder) -> Int { queues[holder]?.count(below: turn.urgency) ?? 0 }
            let isCrowded = TurnQueue.isCrowded(turns.reduce(0) { $0 + below($1) }, of: waiting)
            if isCrowded, let least = turns.max(by: { below($0) < below($1) }) {
                return queues[least]?.last(below: turn.urgency)
            }
            func equal(_ holder: Holder) -> Int { queues[holder]?.count(of: turn.urgency) ?? 0 }
            let longest = turns.max { equal($0) < equal($1) }
            if let longest, equal(longest) > equal(holder) + 1 { return queues[longest]?.last(of: turn.urgency) }
            return queues[holder]?.displaced(amongEqual: turn)
        }

        private mutating func change(_ holder: Holder, _ body: (inout TurnQueue) -> Void) {
            guard var queue = queues.removeValue(forKey: holder) else { return }
            waiting -= queue.count
            body(&queue)
            waiting += queue.count
            if queue.isEmpty { turns.removeAll { $0 == holder } } else { queues[holder] = queue }
            precedence.settle { urgency in queues.values.contains { $0.mostUrgent == urgency } }
        }
    }

    private struct Asker: Sendable {
        var holder: Holder
        var pace: Pace
        var turn: CallTurn
    }

    /// The places of exchanges paced by their upstream (`brief`), and of exchanges paced by a client (`paced`).
    private(set) var brief = Kind()
    private(set) var paced = Kind()
    private var settings: FetchSettings
    private var askers: [UInt64: Asker] = [:]

    init(_ settings: FetchSettings) {
        self.settings = settings
    }

    var waiting: Int { brief.waiting + paced.waiting }
    var active: Int { brief.taken + paced.taken }

    /// Puts new limits in force. An exchange that holds a place keeps it.
    mutating func apply(_ settings: FetchSettings) { self.settings = settings }

    /// Asks for a place. The turn is made only for an exchange that waits. The caller returns a granted place with `release`. An exchange that waits is named by `grant`
    /// later, unless it is withdrawn.
    /// - Parameter hasWaited: whether the exchange was waiting for a place of the other kind. It is then not refused.
    mutating func ask(
        _ id: UInt64, _ holder: Holder, turn: @autoclosure () -> CallTurn = CallTurn(), pace: Pace = .upstream,
        hasWaited: Bool = false
    ) -> Verdict {
        if isFree(holder, pace) {
            self[pace].take(holder)
            return .granted
        }
        let turn = turn()
        var replaced: UInt64?
        if !hasWaited {
            let isFull = self[pace].waiting(for: holder) >= settings.limits(of: holder).maxQueue
            if isFull || self[pace].waiting >= settings.maxQueue {
                replaced =
                    isFull
                    ? self[pace].displaced(of: holder, by: turn) : self[pace].displaced(by: holder, turn)
                guard let replaced else { return .refused }
                withdraw(replaced)
            }
        }
        self[pace].append(id, holder, turn)
        askers[id] = Asker(holder: holder, pace: pace, turn: turn)
        return replaced.map { .replaces($0) } ?? .waits
    }

    /// Takes a place for the next exchange that may start. Returns nil if none may start.
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

    /// Moves a transfer that turns out to be paced by a client: it takes a place of the client-paced kind and returns
    /// its own. Returns false, and changes nothing, if no such place is free.
    mutating func moveAside(_ holder: Holder) -> Bool {
        guard isFree(holder, .client) else { return false }
        paced.take(holder)
        brief.release(holder)
        return true
    }

    /// Returns a place.
    mutating func release(_ holder: Holder, pace: Pace = .upstream) { self[pace].release(holder) }

    /// Removes a waiting exchange from the queue.
    mutating func withdraw(_ id: UInt64) {
        guard let asker = askers.removeValue(forKey: id) else { return }
        self[asker.pace].remove(id, asker.holder, asker.turn)
    }

    /// Moves a waiting exchange to the end of its client's fetches of a higher urgency. No effect if it is as urgent.
    mutating func rise(_ id: UInt64, to urgency: Urgency) {
        guard var asker = askers[id], urgency.isMoreUrgent(than: asker.turn.urgency) else { return }
        withdraw(id)
        asker.turn.urgency = urgency
        self[asker.pace].append(id, asker.holder, asker.turn)
        askers[id] = asker
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
    /// The number of places of one kind: for all holders together, and for one holder.
    fileprivate func most(_ pace: Admission.Pace) -> Int { pace == .upstream ? maxTransfers : maxStreams }

    fileprivate func most(_ holder: Admission.Holder, _ pace: Admission.Pace) -> Int {
        let limits = limits(of: holder)
        return pace == .upstream ? limits.maxConnections : limits.maxStreams
    }

    /// The limits of one holder.
    fileprivate func limits(of holder: Admission.Holder) -> ExchangeLimits {
        switch holder {
        case .provider(let name): providers[name] ?? standard
        case .origin: standard
        }
    }
}
