// The lanes of all providers, and the calls on their way through them. `UpstreamClient` keeps the table under one lock,
// because calls are made on every loop. Each function is one step of a call; none of them waits, logs or calls out.
// News and notes are collected here, and the client handles them after it releases the lock.
import LarderCache
import LarderCore
import LarderIO

/// An attempt in the table. A class: a value in a dictionary would be moved out and in again for each change.
private final class HeldAttempt {
    var attempt: CallAttempt
    let lane: ProviderLane

    init(_ attempt: CallAttempt, _ lane: ProviderLane) {
        self.attempt = attempt
        self.lane = lane
    }
}

/// A call between its first look at the lane and its outcome.
struct CallAttempt: Sendable {
    var provider: String
    /// Who makes the call. Its urgency is that of the last step.
    var user: CallUser
    /// The call is the one trial of a suspended provider.
    var isProbe: Bool
    /// The call's number in the budget, from 1; 0 if it was not taken from the budget. What its answer says is left
    /// does not include calls with higher numbers.
    var callNumber = 0
    /// The instant at which the budget counts the call; nil if it was not taken from the budget.
    var takenAt: Moment?
    /// The call is written down in `state.db`.
    var isReserved = false
    /// Why the call was not sent when its turn came.
    var refusal: UpstreamFailure?
    /// The call was refused because the budget was spent; the budget's refusals include it.
    var isOverBudget = false
    /// The call is being written down and has not been sent.
    var isReserving = false
    /// The caller has left while the call was being written down.
    var hasEnded = false
}

struct LaneTable {
    /// The result of asking to enter the queue.
    enum Entrance: Sendable {
        case entered(UInt64)
        case refused(LaneAdmission)
        /// There is no such provider.
        case unknown
    }

    /// The result when a call's turn has come.
    enum Turn: Sendable {
        /// The call may be sent: its lane has no limits, or the call is already on record.
        case ready
        /// The call was taken from the budget and must be written down before it is sent. The calls reserved ahead are
        /// written in the same commit.
        case unwritten(provider: String, ahead: [CallStock.Call])
        case refused(LaneAdmission, provider: String)
        /// Calls for the stock of this provider are being written down, and nothing else is left. Ask again then.
        case coming(provider: String)
        /// The caller has left.
        case gone
    }

    /// A planned look at a lane, due when the next of its limits is whole again.
    struct DueLook: Sendable {
        var provider: String
        var at: MonotonicTime
        /// The number of the lane's latest plan. A look with an earlier number does nothing.
        var number: Int
    }

    /// Work for the client to do on its home loop.
    struct Actions: Sendable {
        var news: [LaneNews] = []
        var looks: [DueLook] = []
        /// When to check a provider's stock for unused calls.
        var stockEnds: [(provider: String, at: MonotonicTime)] = []
        var isEmpty: Bool { news.isEmpty && looks.isEmpty && stockEnds.isEmpty }
    }

    private(set) var lanes: [String: ProviderLane] = [:]
    private var held: [UInt64: HeldAttempt] = [:]
    private var lastAttempt: UInt64 = 0
    var actions = Actions()
    /// The daemon is stopping: no more calls are reserved ahead.
    var isEnding = false
    /// Used and returned calls of the stocks, not yet counted.
    var stockOutcomes: [StockOutcome] = []
    /// Whether a listener has been set.
    private var isListened = false
    /// When to next prune recorded calls that no window reaches.
    private var nextPruning: MonotonicTime = .distantPast
    /// Notes to write to `state.db`, and whether a task is writing them.
    var notes = LaneNotes()
    var isWriting = false
    /// Callers that wait until a number of notes has been written.
    var flushes: [(due: Int, waiter: TaskContinuation<Void, Never>)] = []
    /// Callers that wait until no call is being written down.
    var reservationWaiters: [TaskContinuation<Void, Never>] = []
    /// Callers whose turn has come, by the provider for whose stock they wait. There are no more of them than places.
    var stockWaiters: [String: [TaskContinuation<Void, Never>]] = [:]

    /// The call with this number, until it has its outcome.
    func attempt(_ number: UInt64) -> CallAttempt? { held[number]?.attempt }

    mutating func add(_ provider: String, _ lane: sending ProviderLane) { lanes[provider] = lane }

    // MARK: The steps of a call

    /// Lets a call enter the queue if it could leave now. If the provider is due for its trial after a suspension, this
    /// call becomes the trial.
    /// - Parameters:
    ///   - user: who makes the call.
    ///   - isTrial: whether the call asks a known question, and so is the trial already.
    mutating func enter(
        _ provider: String, _ user: CallUser = CallUser(), isTrial: Bool = false, now: Moment
    ) -> Entrance {
        guard let lane = lanes[provider] else { return .unknown }
        if lane.stock.count > 0 { returnUnused(provider, now: now) }
        let admission = lane.permit(user, isProbe: isTrial, now: now)
        look(lane, provider, now: now)
        switch admission {
        case .suspended, .spent, .kept, .resting:
            if isTrial { abandonTrial(provider, now: now.monotonic) }
            return .refused(admission)
        case .granted, .probe: break
        }
        lastAttempt += 1
        held[lastAttempt] = HeldAttempt(
            CallAttempt(provider: provider, user: user, isProbe: admission == .probe), lane)
        return .entered(lastAttempt)
    }

    /// Whether the call need not wait; nil if its caller has left.
    func leavesAtOnce(_ number: UInt64, now: Moment) -> Bool? {
        held[number]?.lane.leavesAtOnce(now: now)
    }

    /// Takes a call from its lane's stock or budget.
    /// - Parameters:
    ///   - urgency: how urgent the call is now; nil if it is as urgent as when it entered.
    ///   - refusal: makes the error for the caller if the call must not be sent.
    mutating func take(
        _ number: UInt64, _ urgency: Urgency? = nil, now: Moment,
        refusal: (LaneAdmission, String) -> UpstreamFailure?
    ) -> Turn {
        guard let held = held[number] else { return .gone }
        let lane = held.lane
        if let urgency { held.attempt.user.urgency = urgency }
        let attempt = held.attempt
        let provider = attempt.provider
        if lane.stock.isComing, lane.awaitsStock(attempt.user, now: now) { return .coming(provider: provider) }
        if !lane.isUnlimited { lane.stock.noteTurn(now: now.monotonic) }
        let (admission, used) = lane.admit(attempt.user, isProbe: attempt.isProbe, now: now)
        look(lane, provider, now: now)
        switch admission {
        case .suspended, .spent, .kept, .resting:
            held.attempt.isProbe = false
            held.attempt.refusal = refusal(admission, provider)
            if admission.isOverBudget { held.attempt.isOverBudget = true }
            return .refused(admission, provider: provider)
        case .granted, .probe:
            held.attempt.isProbe = admission == .probe
            held.attempt.callNumber = used?.number ?? lane.budget.taken
            held.attempt.takenAt = used?.counted ?? now
            if used != nil {
                held.attempt.isReserved = true
                stockOutcomes.append((provider, isUsed: true))
            }
            guard !lane.isUnlimited, used == nil else { return .ready }
            held.attempt.isReserving = true
            let kept = lane.keptFromStock(now)
            let ahead = isEnding ? [] : lane.stock.reserveAhead(from: &lane.budget, leaving: kept, now: now)
            return .unwritten(provider: provider, ahead: ahead)
        }
    }

    /// Records that the fleet has no call left, so this call is not sent. If it was the trial, the next call may be.
    /// - Returns: the call's provider; nil if its caller has left.
    mutating func refuse(
        _ number: UInt64, until: MonotonicTime, now: Moment, refusal: (LaneAdmission, String) -> UpstreamFailure?
    ) -> String? {
        guard let attempt = attempt(number) else { return nil }
        if attempt.isProbe { abandonTrial(attempt.provider, now: now.monotonic) }
        held[number]?.attempt.isProbe = false
        held[number]?.attempt.refusal = refusal(.spent(until: until), attempt.provider)
        held[number]?.attempt.isOverBudget = true
        return attempt.provider
    }

    /// Records that a call was written down, or could not be.
    /// - Parameter refusal: makes the error for the caller if the limits were used up while the call was being written.
    /// - Returns: whether the call may be sent. Nil if the question no longer matters: the caller has left and the call
    ///   was given back, or the call could not be written down.
    mutating func reserved(
        _ number: UInt64, failure: UpstreamFailure?, now: Moment, refusal: (LaneAdmission, String) -> UpstreamFailure?
    ) -> LaneAdmission? {
        held[number]?.attempt.isReserved = failure == nil
        held[number]?.attempt.refusal = failure
        held[number]?.attempt.isReserving = false
        guard let attempt = attempt(number) else { return nil }
        if attempt.hasEnded {
            held[number] = nil
            giveBack(attempt, now: now)
            return nil
        }
        guard attempt.refusal == nil else { return nil }
        guard var call = attempt.takenAt, let lane = lanes[attempt.provider] else { return .granted }
        switch lane.budget.send(&call, callNumber: attempt.callNumber, now: now) {
        case .granted:
            held[number]?.attempt.takenAt = call
            return .granted
        case .spent(let end):
            held[number]?.attempt.takenAt = nil
            lane.shares.giveBack(attempt.user.tool)
            held[number]?.attempt.refusal = refusal(.spent(until: end), attempt.provider)
            held[number]?.attempt.isOverBudget = true
            note(.unsent(provider: attempt.provider, at: [call.wall]))
            look(attempt.provider, now: now)
            return .spent(until: end)
        }
    }

    /// Ends the attempt and forgets it. An attempt that is being written down was not sent, and its end must not wait
    /// for the state database. `reserved` gives that call back once the write has ended.
    mutating func settle(_ number: UInt64) -> CallAttempt? {
        guard var attempt = attempt(number), attempt.isReserving else {
            return held.removeValue(forKey: number)?.attempt
        }
        held[number]?.attempt.hasEnded = true
        attempt.takenAt = nil
        return attempt
    }

    /// Gives back a call that was never sent. Neither the budget nor the record counts it.
    mutating func giveBack(_ attempt: CallAttempt, now: Moment) {
        guard let call = attempt.takenAt else { return }
        lanes[attempt.provider]?.budget.giveBack(call, callNumber: attempt.callNumber)
        lanes[attempt.provider]?.shares.giveBack(attempt.user.tool)
        look(attempt.provider, now: now)
        if attempt.isReserved { note(.unsent(provider: attempt.provider, at: [call.wall])) }
    }

    /// Ends a trial that was never sent. It says nothing about the provider, so the next caller may make the trial.
    mutating func abandonTrial(_ provider: String, now: MonotonicTime) {
        lanes[provider]?.suspension.abandoned(now: now)
    }

    /// Whether any call is being written down.
    var isReserving: Bool { held.values.contains { $0.attempt.isReserving } }

    // MARK: Outcomes of calls

    /// Takes in what an answer's fields say about the calls that are left.
    mutating func hear(_ provider: String, _ fields: HeaderFields, callNumber: Int, now: Moment) {
        guard let lane = lanes[provider], lane.heard(fields, callNumber: callNumber, now: now) else { return }
        let note = CreditsNote(credits: Credits(lane.budget.allowances(now: now)), savedAt: now.wall)
        self.note(.value(CreditsNote.name(provider), note.encoded))
    }

    /// Counts a redirect as a call. It could not be reserved, because nobody knew of it before the answer came. Later
    /// calls have one fewer.
    mutating func countHop(_ provider: String, now: Moment) {
        guard let lane = lanes[provider], lane.budget.isLimited else { return }
        lane.budget.count(at: now)
        note(.redirected(provider: provider, at: now.wall))
    }

    /// Whether to log that the provider named an end of its suspension that Larder does not accept. True once per
    /// suspension.
    mutating func tellsOfBound(_ provider: String) -> Bool {
        guard let lane = lanes[provider], !lane.hasToldOfBound else { return false }
        lane.hasToldOfBound = true
        return true
    }

    /// Suspends a provider by hand.
    /// - Returns: when the suspension ends; nil if there is no such provider.
    mutating func suspend(_ provider: String, for duration: Duration, now: Moment) -> MonotonicTime? {
        guard let lane = lanes[provider] else { return nil }
        let until = lane.suspension.suspend(for: duration, now: now.monotonic).until
        look(provider, now: now)
        noteSuspension(provider, now: now)
        return until
    }

    /// Takes in a suspension from another host that uses the same key.
    /// - Returns: whether the suspension takes effect here.
    mutating func heard(_ suspension: Suspension, of provider: String, now: Moment) -> Bool {
        guard let lane = lanes[provider], lane.suspends || suspension.failure == .suspended,
            lane.suspension.heard(suspension, now: now.monotonic)
        else { return false }
        look(provider, now: now)
        noteSuspension(provider, now: now)
        return true
    }

    /// Ends a suspension by hand. Returns false if there is no such provider.
    mutating func resume(_ provider: String, now: Moment) -> Bool {
        guard let lane = lanes[provider] else { return false }
        lane.suspension.resume()
        lane.rests = CallerRests()
        look(provider, now: now)
        noteSuspension(provider, now: now)
        return true
    }

    /// Whether to prune the record of calls now; at most once an hour.
    /// - Returns: how much of the record to keep: the longest window, and at least a day. Settings with a longer window
    ///   then still find its calls.
    mutating func pruning(now: MonotonicTime) -> Duration? {
        guard now >= nextPruning else { return nil }
        nextPruning = now + .seconds(3600)
        let longest = lanes.values.map(\.budget.longestWindow).max() ?? .zero
        return max(longest, .seconds(86_400))
    }

    // MARK: Reporting changes

    /// Starts reporting changes. The state left by the last run is reported first, then each change as it happens.
    mutating func listen(now: Moment) {
        isListened = true
        for provider in lanes.keys.sorted() { look(provider, now: now) }
    }

    /// Finds what changed about a lane and collects the news. Called wherever a call may have changed the lane.
    mutating func look(_ provider: String, now: Moment) {
        if let lane = lanes[provider] { look(lane, provider, now: now) }
    }

    private mutating func look(_ lane: ProviderLane, _ provider: String, now: Moment) {
        guard isListened, !lane.isUneventful else { return }
        let sight = lane.sight(now: now)
        for event in lane.watch.look(sight) {
            actions.news.append(LaneNews(provider: provider, event: event, at: now, isAway: sight.isAway))
        }
        // Calls leave their windows as time passes, without any event. The shortest of several windows may be the last
        // to be used, so a planned look may have to be moved forward.
        guard lane.watch.isWearing, let end = lane.budget.nextWhole(now: now) else { return }
        if let due = lane.nextLook, due <= end { return }
        lane.nextLook = end
        lane.looksPlanned += 1
        actions.looks.append(
            DueLook(provider: provider, at: end + .milliseconds(1), number: lane.looksPlanned))
    }

    /// Performs a planned look.
    mutating func lookAgain(_ due: DueLook, now: Moment) {
        guard let lane = lanes[due.provider], lane.looksPlanned == due.number else { return }
        lane.nextLook = nil
        look(due.provider, now: now)
    }

    mutating func takeActions() -> Actions {
        guard !actions.isEmpty else { return Actions() }
        defer { actions = Actions() }
        return actions
    }

    var hasActions: Bool { !actions.isEmpty }

    // MARK: Notes

    /// Adds a note. If there is no room, its subject goes into `lostNotes`.
    mutating func note(_ note: LaneNotes.Note) {
        if !notes.add(note) { lostNotes.append(note.subject) }
    }

    /// The subjects of notes that found no room, for the log.
    private var lostNotes: [String] = []

    mutating func takeLostNotes() -> [String] {
        guard !lostNotes.isEmpty else { return [] }
        defer { lostNotes = [] }
        return lostNotes
    }

    mutating func noteSuspension(_ provider: String, now: Moment) {
        guard let lane = lanes[provider] else { return }
        note(.value(Self.suspensionName(provider), lane.suspension.encode(now: now)))
    }

    static func suspensionName(_ provider: String) -> String { "suspension.\(provider)" }
}

extension LaneNotes.Note {
    /// What the note is about, for the log.
    var subject: String {
        switch self {
        case .value(let name, _): name
        case .unsent(let provider, let at): "calls to \(provider) that were not sent: \(at.count)"
        case .redirected(let provider, _): "a redirect of \(provider)"
        }
    }
}
