// The rule of order, judged from outside: no request is answered with content that is older than the floor at its arrival.
// - A removal, and an unsafe method that succeeds, set a floor. What was asked for before it is below it.
// - A whole answer replaces those with an earlier head, for the requests that it suits. One that may not be stored suits
//   only requests with its own selecting fields. A server error, and an answer to a request with `no-store` that is no
//   404, suit none. One that was replaced before it was stored replaces nothing (Docs/Decisions/0031).
//
// Instants are those of one counter. What happens between two of them counts for Larder.

struct OrderRecord: Sendable {
    /// The number of one instant. Each observation has its own.
    typealias Instant = Int

    enum Kind: Equatable, Sendable {
        /// New content that may be stored.
        case stored
        /// The same, for requests with the same selecting field only.
        case variant
        /// New content that must not be stored.
        case unstored
        /// A 404 that may be stored.
        case absence
        /// A 304, which confirms the content of an earlier call.
        case confirmation(of: Int)
        case serverError

        /// Whether a request with another selecting field may get the answer.
        var suitsOthers: Bool { self == .stored || self == .absence }
    }

    /// A call that the upstream received.
    struct Call: Sendable {
        /// The question that it was made for.
        let question: Int
        /// The value of the selecting field.
        let choice: String
        let kind: Kind
        let received: Instant
        /// When the upstream began to send its head.
        var released: Instant?
    }

    /// A client's request.
    struct Question: Sendable {
        let choice: String
        /// Whether the request forbids that its answer is stored.
        var isAlone = false
        let asked: Instant
        /// When the client had the head of its answer.
        var headCame: Instant?
        /// Whether the answer came from the store without a call.
        var isHit = false
        /// When the client had the whole answer.
        var wholeCame: Instant?
        /// The call whose content the client got. Nil for an answer without content, such as a 502.
        var content: Int?
    }

    /// Something that sets a floor.
    struct Removal: Sendable {
        let what: String
        /// The floor is not set before this instant.
        let earliest: Instant
        /// The floor is set at this instant. Nil if it may never be.
        var done: Instant?
        /// It ended without a floor.
        var failed: Instant?
    }

    private(set) var now: Instant = 0
    /// When commits began to fail or to succeed.
    private(set) var disk: [(since: Instant, fails: Bool)] = []
    var calls: [Call] = []
    var questions: [Question] = []
    var removals: [Removal] = []

    mutating func instant() -> Instant {
        now += 1
        return now
    }

    /// Notes whether commits fail from now on.
    mutating func commits(fail: Bool) { disk.append((instant(), fail)) }

    // MARK: The rule

    /// What is wrong with the answer to a question, or nil.
    func fault(of number: Int) -> String? {
        let question = questions[number]
        guard let content = question.content, let headCame = question.headCame else { return nil }
        guard calls.indices.contains(content) else { return "question \(number) got content \(content) of no call" }
        let kind = calls[content].kind
        if kind == .variant, calls[content].choice != question.choice {
            return "question \(number) for \(question.choice) got the variant \(content)"
        }
        // The calls that brought or confirmed the content before the client had it.
        let bringers = calls.indices.filter { brings($0, content) && (calls[$0].released ?? .max) < headCame }
        guard let sent = bringers.map({ calls[$0].received }).max() else {
            return "question \(number) got content \(content) before it was sent"
        }
        for removal in removals where sent < removal.earliest && (removal.done ?? .max) < question.asked {
            return "question \(number) got content \(content), which is older than the \(removal.what) "
                + "of \(removal.earliest)"
        }
        return newer(than: content, bringers, for: question).map {
            "question \(number) got content \(content), though the newer answer \($0) had been given out"
        }
    }

    private func brings(_ call: Int, _ content: Int) -> Bool {
        call == content || calls[call].kind == .confirmation(of: content)
    }

    /// The content that a call brings or confirms.
    private func content(of call: Int) -> Int {
        if case .confirmation(let content) = calls[call].kind { content } else { call }
    }

    /// A call whose whole answer had been given out before the question, and replaces the content for it.
    private func newer(than content: Int, _ bringers: [Int], for question: Question) -> Int? {
        // The last instant at which the head of one of its bringers may have come.
        guard let last = bringers.map({ seen($0) ?? .max }).max() else { return nil }
        return calls.indices.first { call in
            let answer = calls[call]
            guard replaces(answer), self.content(of: call) != content, let released = answer.released,
                released > last, let whole = seen(call, whole: true), whole < question.asked,
                answer.choice == question.choice || suitsOthers(call)
            else { return false }
            let arrived = seen(content, whole: true) ?? .max
            // A 304 leaves what was stored since its question.
            if case .confirmation = answer.kind, arrived >= questions[answer.question].asked { return false }
            // An answer that could not be committed hides what is stored, but not an older body that is still arriving.
            let hasArrived = arrived < question.asked
            if answer.kind != .unstored, !hasArrived, commitsFailed(from: released, to: question.asked) { return false }
            return !isReplaced(call, before: question.asked) && !mayBeBelowFloor(answer, before: question.asked)
        }
    }

    /// Whether a later head may have replaced a call's answer before it was stored.
    private func isReplaced(_ call: Int, before end: Instant) -> Bool {
        let released = calls[call].released ?? .max
        return calls.indices.contains { later in
            guard later != call, let came = calls[later].released, came >= released, came < end,
                replaces(calls[later])
            else { return false }
            return calls[later].choice == calls[call].choice || suitsOthers(later) || suitsOthers(call)
        }
    }

    /// Whether a removal may have made a call's answer outdated. The call may have begun with its question.
    private func mayBeBelowFloor(_ answer: Call, before end: Instant) -> Bool {
        let began = questions[answer.question].asked
        return removals.contains { began < $0.done ?? $0.failed ?? .max && $0.earliest < end }
    }

    /// Whether requests with other selecting fields may get the content of a call.
    private func suitsOthers(_ call: Int) -> Bool { calls[content(of: call)].kind.suitsOthers }

    private func replaces(_ answer: Call) -> Bool {
        answer.kind == .absence || answer.kind != .serverError && !questions[answer.question].isAlone
    }

    private func commitsFailed(from start: Instant, to end: Instant) -> Bool {
        disk.indices.contains { index in
            disk[index].fails && disk[index].since < end
                && (index + 1 == disk.count || disk[index + 1].since > start)
        }
    }

    /// The instant at which the first client had the head of a call's answer, or all of it. Nil if none had it.
    private func seen(_ call: Int, whole: Bool = false) -> Instant? {
        let came = whole ? \Question.wholeCame : \Question.headCame
        let released = calls[call].released ?? .max
        if case .confirmation = calls[call].kind {
            // The content may have come to others without this call.
            let question = questions[calls[call].question]
            guard question.content == content(of: call), !question.isHit, let seen = question[keyPath: came],
                seen > released
            else {
                return nil
            }
            return seen
        }
        return questions.filter { $0.content == call }.compactMap { $0[keyPath: came] }.min()
    }
}
