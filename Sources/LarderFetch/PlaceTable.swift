// The places of all fetch loops, the exchanges that wait for them, and the responses that stay in a place of the other
// kind. Each change is one step. The step also decides who gets a freed place, so no other exchange can ask for it in
// between.
//
// A free place goes first to a response that is already under way in a place of the other kind: the response moves.
// Next it goes to a waiting exchange. If an exchange still waits, a response that must leave is cut. A cut frees its
// place only when the response's loop has ended the response. Until then the place counts as freed, so one waiting
// exchange cuts only one response. Pure: no I/O, no clock.
import LarderCore

/// A place granted to an exchange that waited.
struct PlaceGrant: Sendable, Hashable {
    var holder: Admission.Holder
    var pace: Admission.Pace
}

/// Work that the loop of an exchange has to do for it. Each action is handed out once.
struct PlaceAction: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// The exchange waited, and its place is now taken.
        case granted(PlaceGrant)
        /// The exchange was removed from the queue in favour of another one.
        case replaced
        /// The response of the exchange now has a client-paced place.
        case moved
        /// The response of the exchange is to be cut, if `confirmCut` still says so.
        case cut
    }

    var exchange: UInt64
    /// The number of the loop that the exchange belongs to.
    var core: Int
    var kind: Kind
}

struct PlaceTable: Sendable {
    /// The outcome of asking for a place.
    enum Verdict: Sendable, Hashable {
        case granted
        case waits
        case refused
    }

    /// A response that holds an upstream-paced place and waits to move to a client-paced one.
    private struct Stay: Sendable {
        enum Stage: Sendable {
            case mayStay
            /// The response's grace period (`FetchCore.moment`) is over. It is cut if an exchange waits for its place.
            case mustLeave
            /// The response's loop has been told to cut it.
            case isCut
        }

        var exchange: UInt64
        var core: Int
        var holder: Admission.Holder
        var stage = Stage.mayStay
    }

    private(set) var admission: Admission
    /// The loop of each exchange that waits.
    private var cores: [UInt64: Int] = [:]
    /// Oldest first.
    private var stays: [Stay] = []
    /// Responses that have moved. The loop of such a response might not know it yet when the response ends.
    private var moved: Set<UInt64> = []
    private var actions: [PlaceAction] = []
    /// The number of request bodies that are being gathered before their exchanges ask for a place.
    private var gathering = 0

    init(_ settings: FetchSettings) { admission = Admission(settings) }

    /// Puts new limits in force. An exchange that holds a place keeps it.
    mutating func apply(_ settings: FetchSettings) {
        admission.apply(settings)
        settle()
    }

    /// Removes and returns the next action. The caller must perform it or pass it to the exchange's loop.
    mutating func next() -> PlaceAction? { actions.isEmpty ? nil : actions.removeFirst() }

    // MARK: Asking

    /// Asks for a place. The caller returns a granted place with `release`. An exchange that waits is granted a place
    /// later, unless it is withdrawn.
    /// - Parameter hasWaited: whether the exchange was waiting for a place of the other kind. It is then not refused.
    mutating func ask(
        _ id: UInt64, _ holder: Admission.Holder, core: Int, turn: @autoclosure () -> CallTurn = CallTurn(),
        pace: Admission.Pace = .upstream, hasWaited: Bool = false
    ) -> Verdict {
        switch admission.ask(id, holder, turn: turn(), pace: pace, hasWaited: hasWaited) {
        case .granted: return .granted
        case .refused: return .refused
        case .waits: break
        case .replaces(let other):
            if let core = cores.removeValue(forKey: other) {
                actions.append(PlaceAction(exchange: other, core: core, kind: .replaced))
            }
        }
        cores[id] = core
        settle()
        return .waits
    }

    /// Notes that an exchange is more urgent than it was. No effect if it does not wait any more.
    mutating func rise(_ id: UInt64, to urgency: Urgency) { admission.rise(id, to: urgency) }

    /// Removes an exchange from the queue. A grant whose action no loop has taken yet is returned here. A grant that is
    /// already on its way is returned by the loop that receives it.
    mutating func withdraw(_ id: UInt64) {
        cores[id] = nil
        admission.withdraw(id)
        let isGranted = actions.firstIndex { action in
            if case .granted = action.kind { action.exchange == id } else { false }
        }
        if let isGranted, case .granted(let grant) = actions.remove(at: isGranted).kind { giveBack(grant) }
    }

    /// Returns a place whose exchange no longer waits for it.
    mutating func giveBack(_ grant: PlaceGrant) {
        admission.release(grant.holder, pace: grant.pace)
        settle()
    }

    /// Returns the place of an exchange.
    /// - Parameter pace: the kind of place that the exchange's loop believes it has.
    mutating func release(_ id: UInt64, _ holder: Admission.Holder, pace: Admission.Pace) {
        stays.removeAll { $0.exchange == id }
        admission.release(holder, pace: moved.remove(id) == nil ? pace : .client)
        settle()
    }

    // MARK: The other kind of place

    /// Notes that the readers of a response now set its pace. The response moves to a client-paced place once one is
    /// free.
    mutating func stay(_ id: UInt64, _ holder: Admission.Holder, core: Int) {
        guard !moved.contains(id), !stays.contains(where: { $0.exchange == id }) else { return }
        stays.append(Stay(exchange: id, core: core, holder: holder))
        settle()
    }

    /// Notes that a response may keep its upstream-paced place only while no exchange waits for it.
    mutating func mustLeave(_ id: UInt64) {
        guard let place = stays.firstIndex(where: { $0.exchange == id }), stays[place].stage == .mayStay else { return }
        stays[place].stage = .mustLeave
        settle()
    }

    /// Whether a response must still be cut. It may have moved since, or the waiting exchange may have left. If this
    /// returns true, the response's loop ends the response at once.
    mutating func confirmCut(_ id: UInt64) -> Bool {
        guard let place = stays.firstIndex(where: { $0.exchange == id }), stays[place].stage == .isCut else {
            return false
        }
        stays[place].stage = .mustLeave
        var rest = afterCuts
        guard rest.cut(stays[place].holder) else { return false }
        stays[place].stage = .isCut
        return true
    }

    // MARK: Gathering

    /// Counts a request whose body is gathered. Returns false if too many are gathered already.
    mutating func beginGathering(most: Int) -> Bool {
        guard gathering < most else { return false }
        gathering += 1
        return true
    }

    mutating func endGathering() { gathering -= 1 }

    // MARK: Deciding

    private mutating func settle() {
        move()
        grant()
        cut()
    }

    private mutating func move() {
        guard !stays.isEmpty else { return }
        var left: [Stay] = []
        for stay in stays {
            if admission.moveAside(stay.holder) {
                moved.insert(stay.exchange)
                actions.append(PlaceAction(exchange: stay.exchange, core: stay.core, kind: .moved))
            } else {
                left.append(stay)
            }
        }
        stays = left
    }

    private mutating func grant() {
        while admission.waiting > 0, let (id, holder, pace) = admission.grant() {
            let grant = PlaceGrant(holder: holder, pace: pace)
            guard let core = cores.removeValue(forKey: id) else {
                preconditionFailure("an exchange waits that belongs to no loop")
            }
            actions.append(PlaceAction(exchange: id, core: core, kind: .granted(grant)))
        }
    }

    private mutating func cut() {
        guard admission.waiting > 0, stays.contains(where: { $0.stage == .mustLeave }) else { return }
        var rest = afterCuts
        for place in stays.indices where stays[place].stage == .mustLeave {
            guard rest.cut(stays[place].holder) else { continue }
            stays[place].stage = .isCut
            actions.append(PlaceAction(exchange: stays[place].exchange, core: stays[place].core, kind: .cut))
        }
    }

    /// The places as they will be once every cut response has ended.
    private var afterCuts: Admission {
        var rest = admission
        for stay in stays where stay.stage == .isCut { _ = rest.cut(stay.holder) }
        return rest
    }
}

extension Admission {
    /// Ends a transfer of that holder in favour of the next waiting exchange. Returns false, and changes nothing, if no
    /// waiting exchange could use the freed place.
    fileprivate mutating func cut(_ holder: Holder) -> Bool {
        guard waiting > 0 else { return false }
        var rest = self
        rest.release(holder)
        guard rest.grant() != nil else { return false }
        self = rest
        return true
    }
}
