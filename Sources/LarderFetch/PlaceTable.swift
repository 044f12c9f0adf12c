// The places of all fetch loops, who waits for them, and which answers stay in a place of the other kind. Each change is one
// step: it also decides at once who is next, so that a place which comes free has its taker before anybody else can ask.
//
// A free place goes first to an answer that was sent already and stays in a place of the other kind: it moves. Then to who
// waits. For who still waits, an answer that must leave is cut. A cut frees its place only when the answer's loop has ended it.
// Until then it counts as freed for who waits, so that one waiter cuts one answer only. Pure.
import LarderCore

/// A place that was granted to an exchange that waited.
struct PlaceGrant: Sendable, Hashable {
    var holder: Admission.Holder
    var pace: Admission.Pace
}

/// What the loop of an exchange has to do for it. Each is handed out once.
struct PlaceErrand: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// It waited, and its place is taken.
        case granted(PlaceGrant)
        /// It has left the queue in favour of another one.
        case replaced
        /// Its answer has a place among those that clients pace now.
        case moved
        /// Its answer is to be cut, where `confirmCut` says so still.
        case cut
    }

    var exchange: UInt64
    /// The loop it belongs to, by its number.
    var core: Int
    var kind: Kind
}

struct PlaceTable: Sendable {
    /// What becomes of an exchange that asks.
    enum Verdict: Sendable, Hashable {
        case granted
        case waits
        case refused
    }

    /// An answer that would rather have a place among those that clients pace.
    private struct Stay: Sendable {
        enum Stage: Sendable {
            case mayStay
            /// It has had its moment: it is cut where somebody waits for its place.
            case mustLeave
            /// Its loop has been told to cut it.
            case isCut
        }

        var exchange: UInt64
        var core: Int
        var holder: Admission.Holder
        var stage = Stage.mayStay
    }

    private(set) var admission: Admission
    /// The loops of those that wait.
    private var cores: [UInt64: Int] = [:]
    /// The oldest first.
    private var stays: [Stay] = []
    /// Answers that moved. Their loops may not know it yet when they end.
    private var moved: Set<UInt64> = []
    private var errands: [PlaceErrand] = []
    /// How many bodies of requests are gathered before a place is asked for.
    private var gathering = 0

    init(_ settings: FetchSettings) { admission = Admission(settings) }

    /// Puts other limits in force. What holds a place keeps it.
    mutating func apply(_ settings: FetchSettings) {
        admission.apply(settings)
        settle()
    }

    /// What the next loop has to do. Whoever takes it sees to it that it is done.
    mutating func next() -> PlaceErrand? { errands.isEmpty ? nil : errands.removeFirst() }

    // MARK: Asking

    /// Asks for a place. A granted one is given back by `release`; one that waits is granted later, or withdrawn.
    /// - Parameter hasWaited: it waited for a place of the other kind until now, and is not turned away.
    mutating func ask(
        _ id: UInt64, _ holder: Admission.Holder, core: Int, client: String = "", pace: Admission.Pace = .upstream,
        hasWaited: Bool = false
    ) -> Verdict {
        switch admission.ask(id, holder, client: client, pace: pace, hasWaited: hasWaited) {
        case .granted: return .granted
        case .refused: return .refused
        case .waits: break
        case .replaces(let other):
            if let core = cores.removeValue(forKey: other) {
                errands.append(PlaceErrand(exchange: other, core: core, kind: .replaced))
            }
        }
        cores[id] = core
        settle()
        return .waits
    }

    /// Leaves the queue. A grant that no loop has taken on yet is given back; one that is on its way is given back where it
    /// arrives.
    mutating func withdraw(_ id: UInt64) {
        cores[id] = nil
        admission.withdraw(id)
        let isGranted = errands.firstIndex { errand in
            if case .granted = errand.kind { errand.exchange == id } else { false }
        }
        if let isGranted, case .granted(let grant) = errands.remove(at: isGranted).kind { giveBack(grant) }
    }

    /// A grant has found its exchange gone.
    mutating func giveBack(_ grant: PlaceGrant) {
        admission.release(grant.holder, pace: grant.pace)
        settle()
    }

    /// Gives the place of an exchange back.
    /// - Parameter pace: the kind that its loop knows of.
    mutating func release(_ id: UInt64, _ holder: Admission.Holder, pace: Admission.Pace) {
        stays.removeAll { $0.exchange == id }
        admission.release(holder, pace: moved.remove(id) == nil ? pace : .client)
        settle()
    }

    // MARK: The other kind of place

    /// A transfer turns out to be paced by a client: it takes one of those places as soon as there is one.
    mutating func stay(_ id: UInt64, _ holder: Admission.Holder, core: Int) {
        guard !moved.contains(id), !stays.contains(where: { $0.exchange == id }) else { return }
        stays.append(Stay(exchange: id, core: core, holder: holder))
        settle()
    }

    /// It keeps a place of the other kind only while nobody waits for that.
    mutating func mustLeave(_ id: UInt64) {
        guard let place = stays.firstIndex(where: { $0.exchange == id }), stays[place].stage == .mayStay else { return }
        stays[place].stage = .mustLeave
        settle()
    }

    /// Whether an answer is still to be cut: meanwhile it may have moved, or who waited may have left. Where it is, its loop
    /// ends it at once.
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

    /// Counts a request whose body is gathered. False where there are too many.
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
                errands.append(PlaceErrand(exchange: stay.exchange, core: stay.core, kind: .moved))
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
            errands.append(PlaceErrand(exchange: id, core: core, kind: .granted(grant)))
        }
    }

    private mutating func cut() {
        guard admission.waiting > 0, stays.contains(where: { $0.stage == .mustLeave }) else { return }
        var rest = afterCuts
        for place in stays.indices where stays[place].stage == .mustLeave {
            guard rest.cut(stays[place].holder) else { continue }
            stays[place].stage = .isCut
            errands.append(PlaceErrand(exchange: stays[place].exchange, core: stays[place].core, kind: .cut))
        }
    }

    /// As the places will be when all that is being cut has ended.
    private var afterCuts: Admission {
        var rest = admission
        for stay in stays where stay.stage == .isCut { _ = rest.cut(stay.holder) }
        return rest
    }
}

extension Admission {
    /// Ends a transfer of that holder for the next one that waits. False where nobody would get its place; then nothing
    /// changes.
    fileprivate mutating func cut(_ holder: Holder) -> Bool {
        guard waiting > 0 else { return false }
        var rest = self
        rest.release(holder)
        guard rest.grant() != nil else { return false }
        self = rest
        return true
    }
}
