// The places of all fetch loops, in one table under a lock. An exchange belongs to its loop and never leaves it; what is bounded
// for all of them is decided here. A place that comes free may be another loop's next: the loop that finds so posts the grant
// there. A grant that finds its exchange gone gives the place back.
import LarderCore

/// A place that was granted to an exchange that waited.
struct PlaceGrant: Sendable {
    var exchange: UInt64
    /// The loop it belongs to, by its number.
    var core: Int
    var holder: Admission.Holder
    var pace: Admission.Pace
}

final class SharedPlaces: Sendable {
    /// What becomes of an exchange that asks.
    enum Verdict: Sendable {
        case granted
        case waits
        /// It waits, and that one of that loop is turned away in its favour.
        case replaces(UInt64, core: Int)
        case refused
    }

    private struct State {
        var admission: Admission
        /// The loops of those that wait.
        var cores: [UInt64: Int] = [:]
        /// How many bodies of requests are gathered before a place is asked for.
        var gathering = 0
        /// Loops with exchanges that would rather have a place of the other kind.
        var staying: Set<Int> = []
    }

    private let state: Lock<State>
    private let cells: FetchCells
    /// How to reach each loop, by its number.
    private let ways = Lock<[WayBack]>([])

    init(_ settings: FetchSettings, cells: FetchCells) {
        state = Lock(State(admission: Admission(settings)))
        self.cells = cells
    }

    /// Before the first exchange.
    func connect(_ ways: [WayBack]) { self.ways.withLock { $0 = ways } }

    func way(to core: Int) -> WayBack? { ways.withLock { core < $0.count ? $0[core] : nil } }

    func post(to core: Int, _ body: @escaping @Sendable (FetchCore) -> Void) { way(to: core)?.post(body) }

    /// Puts other limits in force. What holds a place keeps it.
    func apply(_ settings: FetchSettings) { state.withLock { $0.admission.apply(settings) } }

    // MARK: Asking

    /// Asks for a place. A granted one is given back by `release`; one that waits is granted later, or withdrawn.
    /// - Parameter hasWaited: it waited for a place of the other kind until now, and is not turned away.
    func ask(_ exchange: Exchange, core: Int, hasWaited: Bool) -> Verdict {
        let (id, holder, pace) = (exchange.id, exchange.holder, exchange.pace)
        let client = exchange.order.client
        return state.withLock { state in
            let verdict = state.admission.ask(id, holder, client: client, pace: pace, hasWaited: hasWaited)
            switch verdict {
            case .granted: return .granted
            case .refused: return .refused
            case .waits:
                state.cores[id] = core
                return .waits
            case .replaces(let other):
                state.cores[id] = core
                return .replaces(other, core: state.cores.removeValue(forKey: other) ?? core)
            }
        }
    }

    /// Leaves the queue. Nothing happens where it has left it: its grant may be on its way.
    func withdraw(_ id: UInt64) {
        state.withLock { state in
            state.cores[id] = nil
            state.admission.withdraw(id)
        }
    }

    /// The next one that may start, its place taken; nil where nobody may.
    func next() -> PlaceGrant? {
        state.withLock { state in
            guard state.admission.waiting > 0, let (id, holder, pace) = state.admission.grant(),
                let core = state.cores.removeValue(forKey: id)
            else { return nil }
            return PlaceGrant(exchange: id, core: core, holder: holder, pace: pace)
        }
    }

    /// Gives a place back.
    func release(_ holder: Admission.Holder, pace: Admission.Pace) {
        state.withLock { $0.admission.release(holder, pace: pace) }
    }

    // MARK: The other kind of place

    /// A transfer turns out to be paced by a client: it takes one of those places and gives its own back. False where
    /// none is free; then nothing changes.
    func moveAside(_ holder: Admission.Holder) -> Bool { state.withLock { $0.admission.moveAside(holder) } }

    /// Whether somebody waits who would get the place that a transfer of that holder has among the brief ones.
    func isAwaited(_ holder: Admission.Holder) -> Bool { state.withLock { $0.admission.isAwaited(holder) } }

    var isAwaited: Bool { state.withLock { $0.admission.waiting > 0 } }

    /// Whether a loop has exchanges that would rather have a place of the other kind.
    func setStaying(_ isStaying: Bool, core: Int) {
        state.withLock { state in
            if isStaying { state.staying.insert(core) } else { state.staying.remove(core) }
        }
    }

    /// Has the other loops with such exchanges look again: a place of theirs is waited for, or one for them came free.
    func nudge(from core: Int) {
        for other in state.withLock({ $0.staying }) where other != core { post(to: other) { $0.pump() } }
    }

    // MARK: Gathering

    /// Counts a request whose body is gathered. False where there are too many.
    func beginGathering(most: Int) -> Bool {
        state.withLock { state in
            guard state.gathering < most else { return false }
            state.gathering += 1
            return true
        }
    }

    func endGathering() { state.withLock { $0.gathering -= 1 } }

    // MARK: Telling

    func showLoad() {
        let (active, paced, waiting) = state.withLock {
            ($0.admission.active, $0.admission.paced.taken, $0.admission.waiting)
        }
        cells.active.set(active)
        cells.paced.set(paced)
        cells.waiting.set(waiting)
    }
}
