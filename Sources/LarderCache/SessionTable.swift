// Records the present question of each session. A newer question replaces an older one. The same question asked again
// does not: both are answered, and the repeat joins the flight under way instead of ending it. Requests on several
// connections may arrive out of order; if a client numbers them, the numbers decide. The table knows neither tasks nor
// clocks. It names the question that was replaced, and its owner ends it.
import LarderCore

/// One question's turn in its session. All requests with this question in this session share it.
public struct SessionTurn: Sendable, Hashable {
    /// Never used twice.
    public let number: UInt64
}

/// The sessions of one daemon. Their number is bounded, and a session that is not used for its lifetime is forgotten.
public struct SessionTable: Sendable {
    /// The result of asking a question.
    public struct Entrance: Sendable, Hashable {
        public var turn: SessionTurn
        /// Whether the turn begins with this question.
        public var isNew: Bool
        /// Whether a question with a higher number came before. This question then has no place, and the turn is that
        /// of the newer one.
        public var isOutdated = false
        /// The turn that this question replaced. The owner must end it.
        public var superseded: SessionTurn?
        /// Turns that are no longer kept, because they are too old or there is no room. They go on, and nothing
        /// replaces them.
        public var forgotten: [SessionTurn] = []
        /// How many of the forgotten turns made room for this one.
        public var displaced = 0
    }

    private struct Session {
        var question: Bytes
        var turn: SessionTurn
        /// The highest number that arrived; nil if none did.
        var sequence: UInt64?
        var lastUsed: MonotonicTime
    }

    public let maxSessions: Int
    public let lifetime: Duration
    private var sessions: [String: Session] = [:]
    private var next: UInt64 = 1
    private var nextSweep: MonotonicTime = .distantPast

    /// - Parameters:
    ///   - maxSessions: at least one. The least recently used session makes room.
    ///   - lifetime: the time after which an unused session is forgotten.
    public init(maxSessions: Int, lifetime: Duration) {
        self.maxSessions = max(1, maxSessions)
        self.lifetime = lifetime
    }

    public var count: Int { sessions.count }

    /// Enters a question of a session.
    ///
    /// - Parameters:
    ///   - session: the session's name, scoped by the owner of the table.
    ///   - question: equal for equal questions.
    ///   - sequence: increases in the order in which the client sends; nil if the order of arrival counts.
    public mutating func enter(
        _ session: String, asking question: Bytes, sequence: UInt64? = nil, now: MonotonicTime
    ) -> Entrance {
        if let known = sessions[session], !isOver(known, now) {
            if known.question == question {
                sessions[session]?.lastUsed = now
                sessions[session]?.sequence = Self.latest(sequence, known.sequence)
                return Entrance(turn: known.turn, isNew: false)
            }
            if let sequence, let latest = known.sequence, sequence < latest {
                return Entrance(turn: known.turn, isNew: false, isOutdated: true)
            }
            let turn = begin(session, question, Self.latest(sequence, known.sequence), now)
            return Entrance(turn: turn, isNew: true, superseded: known.turn)
        }
        var entrance = Entrance(turn: SessionTurn(number: 0), isNew: true)
        if let old = sessions.removeValue(forKey: session) { entrance.forgotten.append(old.turn) }
        entrance.forgotten += sweep(now)
        while sessions.count >= maxSessions,
            let oldest = sessions.min(by: { ($0.value.lastUsed, $0.key) < ($1.value.lastUsed, $1.key) })
        {
            sessions[oldest.key] = nil
            entrance.forgotten.append(oldest.value.turn)
            entrance.displaced += 1
        }
        entrance.turn = begin(session, question, sequence, now)
        return entrance
    }

    private static func latest(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }

    private mutating func begin(
        _ session: String, _ question: Bytes, _ sequence: UInt64?, _ now: MonotonicTime
    ) -> SessionTurn {
        let turn = SessionTurn(number: next)
        next += 1
        sessions[session] = Session(question: question, turn: turn, sequence: sequence, lastUsed: now)
        return turn
    }

    private func isOver(_ session: Session, _ now: MonotonicTime) -> Bool { now >= session.lastUsed + lifetime }

    /// Removes the expired sessions. Runs a few times per lifetime, and when there is no more room.
    private mutating func sweep(_ now: MonotonicTime) -> [SessionTurn] {
        guard now >= nextSweep || sessions.count >= maxSessions else { return [] }
        nextSweep = now + .milliseconds(lifetime.milliseconds / 4)
        let over = sessions.filter { isOver($0.value, now) }
        for name in over.keys { sessions[name] = nil }
        return over.values.map(\.turn).sorted { $0.number < $1.number }
    }
}
