// The lanes of all providers, and the calls on their way through them. The client keeps it under one lock, since calls are made
// on every loop. Each function here is one step of a call, and none of them waits, logs or calls out: what has to be
// told or written down is collected, and the client does it when the lock is free.
import LarderCache
import LarderCore
import LarderIO

/// A call between its first look at the lane and its outcome.
struct CallAttempt: Sendable {
    var provider: String
    /// It is the suspension's one trial.
    var isProbe: Bool
    /// Its number in the budget, from 1; 0 where it was not taken from it. What its answer says is left knows of no later calls.
    var callNumber = 0
    /// Its instant in the budget; nil where it was not taken from it.
    var takenAt: Moment?
    /// It is on the record too.
    var isReserved = false
    /// Why it was not sent when its turn came.
    var refusal: UpstreamFailure?
    /// The budget was spent when its turn came, and counts it among its refusals.
    var isOverBudget = false
    /// It is being written down: not sent yet.
    var isReserving = false
    /// Its caller has gone on meanwhile.
    var hasEnded = false
}

struct LaneTable {
    /// What becomes of a call that wants to enter the queue.
    enum Entrance: Sendable {
        case entered(UInt64)
        case refused(LaneAdmission)
        /// Nobody knows what may be called.
        case unknown
    }

    /// What becomes of a call whose turn has come.
    enum Turn: Sendable {
        /// It may be sent: its lane has no limits, or it is on record already.
        case ready
        /// It was taken from the budget, and is to be written down before it is sent; with it, in the same commit, what is reserved
        /// ahead.
        case unwritten(provider: String, ahead: [CallStock.Call])
        case refused(LaneAdmission, provider: String)
        /// Its caller has left.
        case gone
    }

    /// A look at a lane that is due when the next of its limits will be whole again.
    struct DueLook: Sendable {
        var provider: String
        var at: MonotonicTime
        /// The lane's latest plan for a look; an earlier one is void.
        var number: Int
    }

    /// What the client has to do on its home loop.
    struct Errands: Sendable {
        var news: [LaneNews] = []
        var looks: [DueLook] = []
        /// When stocks are to be looked through for calls that nobody used.
        var stockEnds: [(provider: String, at: MonotonicTime)] = []
        var isEmpty: Bool { news.isEmpty && looks.isEmpty && stockEnds.isEmpty }
    }

    private(set) var lanes: [String: ProviderLane] = [:]
    private(set) var attempts: [UInt64: CallAttempt] = [:]
    private var lastAttempt: UInt64 = 0
    var errands = Errands()
    /// The daemon stops: nothing is reserved ahead any more.
    var isEnding = false
    /// What became of calls in stock, to be counted.
    var stockFates: [StockFate] = []
    /// Somebody is told what changes.
    private var isListened = false
    /// When the record of calls is next rid of those that no window reaches.
    private var nextPruning: MonotonicTime = .distantPast
    /// What is to be written of the lanes, and whether somebody writes.
    var notes = LaneNotes()
    var isWriting = false
    /// Who waits for how many notes.
    var flushes: [(due: Int, waiter: CheckedContinuation<Void, Never>)] = []
    /// Who waits until no call is being written down.
    var reservationWaiters: [CheckedContinuation<Void, Never>] = []

    mutating func add(_ provider: String, _ lane: sending ProviderLane) { lanes[provider] = lane }

    // MARK: The steps of a call

    /// Lets a call into the queue, where it could leave now. The suspension's trial is its own from then on.
    mutating func enter(_ provider: String, now: Moment) -> Entrance {
        guard let lane = lanes[provider] else { return .unknown }
        returnUnused(provider, now: now)
        let admission = lane.permit(now: now)
        look(provider, now: now)
        switch admission {
        case .suspended, .spent: return .refused(admission)
        case .granted, .probe: break
        }
        lastAttempt += 1
        attempts[lastAttempt] = CallAttempt(provider: provider, isProbe: admission == .probe)
        return .entered(lastAttempt)
    }

    /// Whether the call has nothing to wait for; nil where its caller has left.
    func leavesAtOnce(_ number: UInt64, now: Moment) -> Bool? {
        attempts[number].flatMap { lanes[$0.provider]?.leavesAtOnce(now: now) }
    }

    /// Takes a call from its lane.
    /// - Parameter refusal: makes what its caller is told where it may not leave.
    mutating func take(
        _ number: UInt64, now: Moment, refusal: (LaneAdmission, String) -> UpstreamFailure?
    ) -> Turn {
        guard let attempt = attempts[number], let lane = lanes[attempt.provider] else { return .gone }
        let provider = attempt.provider
        if lane.budget.isLimited { lane.stock.noteTurn(now: now.monotonic) }
        let (admission, used) = lane.admit(isProbe: attempt.isProbe, now: now)
        look(provider, now: now)
        switch admission {
        case .suspended, .spent:
            attempts[number]?.isProbe = false
            attempts[number]?.refusal = refusal(admission, provider)
            if case .spent = admission { attempts[number]?.isOverBudget = true }
            return .refused(admission, provider: provider)
        case .granted, .probe:
            attempts[number]?.isProbe = admission == .probe
            attempts[number]?.callNumber = used?.number ?? lane.budget.taken
            attempts[number]?.takenAt = used?.counted ?? now
            if used != nil {
                attempts[number]?.isReserved = true
                stockFates.append(StockFate(provider: provider, isUsed: true))
            }
            guard lane.budget.isLimited, used == nil else { return .ready }
            attempts[number]?.isReserving = true
            let ahead = isEnding ? [] : lane.stock.reserveAhead(from: &lane.budget, now: now)
            return .unwritten(provider: provider, ahead: ahead)
        }
    }

    /// A call is not sent, since the fleet has none left. The trial is another's.
    /// - Returns: its provider; nil where its caller has left.
    mutating func refuse(
        _ number: UInt64, until: MonotonicTime, now: Moment, refusal: (LaneAdmission, String) -> UpstreamFailure?
    ) -> String? {
        guard let attempt = attempts[number] else { return nil }
        if attempt.isProbe { abandonTrial(attempt.provider, now: now.monotonic) }
        attempts[number]?.isProbe = false
        attempts[number]?.refusal = refusal(.spent(until: until), attempt.provider)
        attempts[number]?.isOverBudget = true
        return attempt.provider
    }

    /// The call is on the record, or could not be put there.
    /// - Parameter refusal: makes what its caller is told where the limits were used up while it was written down.
    /// - Returns: whether it is to be sent, nil where that is not asked any more: its caller has gone on meanwhile, and it is
    ///   taken back, or it could not be written down.
    mutating func reserved(
        _ number: UInt64, failure: UpstreamFailure?, now: Moment, refusal: (LaneAdmission, String) -> UpstreamFailure?
    ) -> LaneAdmission? {
        attempts[number]?.isReserved = failure == nil
        attempts[number]?.refusal = failure
        attempts[number]?.isReserving = false
        guard let attempt = attempts[number] else { return nil }
        if attempt.hasEnded {
            attempts[number] = nil
            giveBack(attempt, now: now)
            return nil
        }
        guard attempt.refusal == nil else { return nil }
        guard var call = attempt.takenAt, let lane = lanes[attempt.provider] else { return .granted }
        switch lane.budget.send(&call, callNumber: attempt.callNumber, now: now) {
        case .granted:
            attempts[number]?.takenAt = call
            return .granted
        case .spent(let end):
            attempts[number]?.takenAt = nil
            attempts[number]?.refusal = refusal(.spent(until: end), attempt.provider)
            attempts[number]?.isOverBudget = true
            note(.unsent(provider: attempt.provider, at: [call.wall]))
            look(attempt.provider, now: now)
            return .spent(until: end)
        }
    }

    /// The attempt has its outcome and is forgotten. Where it is just being written down it was not sent, and nobody waits for
    /// the state database: `reserved` takes it back when it is known whether it is on the record.
    mutating func settle(_ number: UInt64) -> CallAttempt? {
        guard var attempt = attempts[number], attempt.isReserving else { return attempts.removeValue(forKey: number) }
        attempts[number]?.hasEnded = true
        attempt.takenAt = nil
        return attempt
    }

    /// A call that never left is no call: neither the budget nor the record keeps it.
    mutating func giveBack(_ attempt: CallAttempt, now: Moment) {
        guard let call = attempt.takenAt else { return }
        lanes[attempt.provider]?.budget.giveBack(call, callNumber: attempt.callNumber)
        look(attempt.provider, now: now)
        if attempt.isReserved { note(.unsent(provider: attempt.provider, at: [call.wall])) }
    }

    /// A trial that was never sent tells nothing; the next caller may make it.
    mutating func abandonTrial(_ provider: String, now: MonotonicTime) {
        lanes[provider]?.suspension.abandoned(now: now)
    }

    /// A call is just being written down.
    var isReserving: Bool { attempts.values.contains(where: \.isReserving) }

    // MARK: What calls bring

    /// Hears what an answer says of the calls that are left.
    mutating func hear(_ provider: String, _ fields: HeaderFields, callNumber: Int, now: Moment) {
        guard let lane = lanes[provider], lane.heard(fields, callNumber: callNumber, now: now) else { return }
        let note = CreditsNote(credits: Credits(lane.budget.allowances(now: now)), savedAt: now.wall)
        self.note(.value(CreditsNote.name(provider), note.encoded))
    }

    /// A redirect was a call too. It could not be reserved before it was known, so it is counted now: what comes after it finds
    /// less.
    mutating func countHop(_ provider: String, now: Moment) {
        guard let lane = lanes[provider], lane.budget.isLimited else { return }
        lane.budget.count(at: now)
        note(.redirected(provider: provider, at: now.wall))
    }

    /// A call brought an answer that speaks for a working provider.
    /// - Returns: whether a suspension ended by it.
    mutating func succeeded(_ provider: String, now: Moment) -> Bool {
        let isBack = lanes[provider]?.succeeded(now: now.wall) == true
        look(provider, now: now)
        if isBack { noteSuspension(provider, now: now) }
        return isBack
    }

    /// A call failed.
    /// - Returns: when the provider is called again, where it is suspended by this.
    mutating func failed(_ provider: String, _ failure: UpstreamFailure, now: Moment, random: UInt64) -> MonotonicTime?
    {
        let end = lanes[provider]?.failed(
            failure.failure, detail: failure.detail, retryAt: failure.retryAt, now: now, random: random)
        look(provider, now: now)
        if end != nil { noteSuspension(provider, now: now) }
        return end
    }

    /// Whether it is now to be said, once for each rest, that the provider named an end which is not believed.
    mutating func tellsOfBound(_ provider: String) -> Bool {
        guard let lane = lanes[provider], !lane.hasToldOfBound else { return false }
        lane.hasToldOfBound = true
        return true
    }

    /// Lets a provider rest by hand.
    /// - Returns: until when; nil where there is no such provider.
    mutating func suspend(_ provider: String, for duration: Duration, now: Moment) -> MonotonicTime? {
        guard let lane = lanes[provider] else { return nil }
        let until = lane.suspension.suspend(for: duration, now: now.monotonic).until
        look(provider, now: now)
        noteSuspension(provider, now: now)
        return until
    }

    /// Another host that calls with the same key is told to rest.
    /// - Returns: whether that counts here.
    mutating func heard(_ suspension: Suspension, of provider: String, now: Moment) -> Bool {
        guard let lane = lanes[provider], lane.suspends || suspension.failure == .suspended,
            lane.suspension.heard(suspension, now: now.monotonic)
        else { return false }
        look(provider, now: now)
        noteSuspension(provider, now: now)
        return true
    }

    /// Ends a suspension by hand. False where there is no such provider.
    mutating func resume(_ provider: String, now: Moment) -> Bool {
        guard let lane = lanes[provider] else { return false }
        lane.suspension.resume()
        look(provider, now: now)
        noteSuspension(provider, now: now)
        return true
    }

    /// Whether the record of calls is to be pruned now: once an hour.
    /// - Returns: how far back it is kept. A day in any case, so that a window that the next settings make longer still finds its
    ///   calls.
    mutating func pruning(now: MonotonicTime) -> Duration? {
        guard now >= nextPruning else { return nil }
        nextPruning = now + .seconds(3600)
        let longest = lanes.values.map(\.budget.longestWindow).max() ?? .zero
        return max(longest, .seconds(86_400))
    }

    // MARK: What is told

    /// Has what changes told from now on: first what the last run left, then each change when it comes about.
    mutating func listen(now: Moment) {
        isListened = true
        for provider in lanes.keys.sorted() { look(provider, now: now) }
    }

    /// Finds what changed of a lane. Called wherever a call may have changed it.
    mutating func look(_ provider: String, now: Moment) {
        guard isListened, let lane = lanes[provider] else { return }
        let sight = lane.sight(now: now)
        for event in lane.watch.look(sight) {
            errands.news.append(LaneNews(provider: provider, event: event, at: now, isAway: sight.isAway))
        }
        // Calls leave their windows without anybody's doing. Of several windows the shortest may begin to wear last.
        guard lane.watch.isWearing, let end = lane.budget.nextWhole(now: now) else { return }
        if let due = lane.nextLook, due <= end { return }
        lane.nextLook = end
        lane.looksPlanned += 1
        errands.looks.append(
            DueLook(provider: provider, at: end + .milliseconds(1), number: lane.looksPlanned))
    }

    /// The instant of a planned look has come.
    mutating func lookAgain(_ due: DueLook, now: Moment) {
        guard let lane = lanes[due.provider], lane.looksPlanned == due.number else { return }
        lane.nextLook = nil
        look(due.provider, now: now)
    }

    mutating func takeErrands() -> Errands {
        guard !errands.isEmpty else { return Errands() }
        defer { errands = Errands() }
        return errands
    }

    var hasErrands: Bool { !errands.isEmpty }

    // MARK: What is written down

    /// Adds a note. One that finds no room is named in `lostNotes`.
    mutating func note(_ note: LaneNotes.Note) {
        if !notes.add(note) { lostNotes.append(note.subject) }
    }

    /// The notes that found no room, for the log.
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
    /// What it is of, for the log.
    var subject: String {
        switch self {
        case .value(let name, _): name
        case .unsent(let provider, let at): "calls to \(provider) that were not sent: \(at.count)"
        case .redirected(let provider, _): "a redirect of \(provider)"
        }
    }
}
