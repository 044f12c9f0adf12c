// Which urgency has the next turn: the most urgent that waits. But any client may call itself urgent, so after three
// turns in a row that passed over less urgent ones the fourth is theirs: it goes to the one passed over most often since
// its last turn. So nobody starves, and the most urgent have at least three turns of four. The rule holds twice, between
// holders and within one (`Admission`, `TurnQueue`): together that is at least 9 turns of 16, however many holders wait.
// A debt to fetches that are gone is forgotten. Pure: no I/O, no clock.
import LarderCore

struct Precedence: Sendable {
    /// How many turns in a row may pass over less urgent fetches.
    static let mostInRow = 3

    /// How many turns each urgency has waited since its last.
    private var passed = Urgency.allCases.map { _ in 0 }
    /// How many turns of each urgency in a row passed over less urgent fetches.
    private var rows = Urgency.allCases.map { _ in 0 }

    /// The urgency that has the next turn, of those that wait; nil if none waits.
    func next(where waits: (Urgency) -> Bool) -> Urgency? {
        guard let first = Urgency.allCases.first(where: waits) else { return nil }
        guard rows[first.rawValue] >= Self.mostInRow else { return first }
        let less = Urgency.allCases.filter { first.isMoreUrgent(than: $0) && waits($0) }
        return less.max { passed[$0.rawValue] < passed[$1.rawValue] } ?? first
    }

    /// Notes that one of those that waited has the turn.
    mutating func note(_ taken: Urgency, where waits: (Urgency) -> Bool) {
        var row = 0
        for urgency in Urgency.allCases {
            let isPassed = urgency != taken && waits(urgency)
            passed[urgency.rawValue] = isPassed ? passed[urgency.rawValue] + 1 : 0
            if urgency.isMoreUrgent(than: taken) { rows[urgency.rawValue] = 0 }
            if isPassed, taken.isMoreUrgent(than: urgency) { row = rows[taken.rawValue] + 1 }
        }
        rows[taken.rawValue] = row
    }

    /// Forgets what is owed to fetches that no longer wait.
    mutating func settle(where waits: (Urgency) -> Bool) {
        for urgency in Urgency.allCases {
            if !waits(urgency) { passed[urgency.rawValue] = 0 }
            let owes = Urgency.allCases.contains { urgency.isMoreUrgent(than: $0) && waits($0) }
            if !owes { rows[urgency.rawValue] = 0 }
        }
    }
}
