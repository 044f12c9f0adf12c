// Suspends a provider that fails: healthy → suspended → probing → healthy or suspended. `FailureWeight` says what a
// failure says about the provider; what may be one query's bad luck suspends if it happens to 3 of the last 5 calls,
// after a trial with a question that succeeded lately. A suspension lasts 5 s, then 10 s, … up to 15 min (`refused`: 1
// h), or until the time that the provider named, which is believed for one day. It is measured on the monotonic clock;
// after a restart it ends by the wall clock and is never longer than it was. When it is over, one call is the probe,
// and the others wait for its outcome. Calls under way at its beginning change nothing when they end, except that a
// later time named by the provider counts, and that a call which ends during a probe counts as the probe.
import LarderCore

/// A suspension that has begun or grown, to be stored, logged and shown.
public struct Suspension: Sendable, Hashable {
    public var until: MonotonicTime
    public var failure: FailureClass
    /// 0 for the first suspension in a row.
    public var step: Int

    public init(until: MonotonicTime, failure: FailureClass, step: Int) {
        self.until = until
        self.failure = failure
        self.step = step
    }
}

/// The health of one provider, judged by its calls. Pure: times and random numbers are parameters.
public struct SuspensionMachine: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        case healthy
        case suspended(Suspension)
        /// A probe has been under way since this time.
        case probing(Suspension, since: MonotonicTime)
    }

    /// The reply to a request for a call.
    public enum Permission: Sendable, Hashable {
        case yes
        /// One call may be made, as the probe. Its caller must report the outcome: `succeeded`, `failed` or
        /// `abandoned`.
        case probe
        /// No call may be made before this time.
        case no(until: MonotonicTime)
    }

    public static let firstPause: Duration = .seconds(5)
    public static let longestPause: Duration = .seconds(15 * 60)
    public static let longestRefusedPause: Duration = .seconds(3600)
    /// The longest time ahead for which a time named by the provider is believed.
    public static let longestBelieved: Duration = .seconds(86_400)
    /// A probe that has not reported for this long is given up.
    public static let probePatience: Duration = .seconds(60)
    /// This many failures among the last `callsWatched` calls suspend the provider.
    public static let failuresToSuspend = 3
    public static let callsWatched = 5
    /// After a trial that succeeded, failures of other questions ask for no trial for this long.
    public static let trialHolds: Duration = .seconds(30)

    /// What follows from a failure.
    public enum Consequence: Sendable, Hashable {
        case none
        /// A suspension begins, or its end moves.
        case suspended(Suspension)
        /// A question that succeeded lately must be asked now. Its outcome must be reported: `succeeded(inTrialAt:)`,
        /// `failed` with `.word`, or `abandoned`.
        case trialDue
    }

    public private(set) var state: State
    /// The outcomes of the last calls, the newest in the lowest bit; 1 for a failure.
    private var window: UInt8
    /// Since when a trial with a known question is under way.
    private var trialSince: MonotonicTime?
    /// When the last such trial succeeded.
    private var trialSucceededAt: MonotonicTime?

    /// Creates a healthy machine.
    public init() {
        state = .healthy
        window = 0
    }

    /// The present suspension, also during its probe.
    public var suspension: Suspension? {
        switch state {
        case .healthy: nil
        case .suspended(let suspension), .probing(let suspension, _): suspension
        }
    }

    /// The suspension that refuses calls at this time. Nil if a call may be made. That includes the time when the
    /// suspension is over but no call has yet shown that the provider works (`isProbing`).
    public func rest(at now: MonotonicTime) -> Suspension? {
        guard case .suspended(let suspension) = state, now < suspension.until else { return nil }
        return suspension
    }

    /// Whether the suspension is over, but its probe has not begun or is under way.
    public func isProbing(at now: MonotonicTime) -> Bool { suspension != nil && rest(at: now) == nil }

    /// Asks for a call. A `probe` belongs to this caller alone until it reports or `probePatience` has passed.
    public mutating func mayCall(now: MonotonicTime) -> Permission {
        switch state {
        case .healthy: return .yes
        case .suspended(let suspension):
            guard now >= suspension.until else { return .no(until: suspension.until) }
            state = .probing(suspension, since: now)
            return .probe
        case .probing(let suspension, let since):
            let end = since + Self.probePatience
            guard now >= end else { return .no(until: end) }
            state = .probing(suspension, since: now)
            return .probe
        }
    }

    /// Records that a call was answered: data, empty, not found, or a complaint that our request was wrong.
    /// - Parameter now: the time, if the call was the trial with a known question.
    public mutating func succeeded(inTrialAt now: MonotonicTime? = nil) {
        switch state {
        case .healthy:
            note(failure: false)
            guard let now else { return }
            window = 0
            trialSince = nil
            trialSucceededAt = now
        case .probing:
            self = SuspensionMachine()
            trialSucceededAt = now
        // The call was sent before the suspension began and says nothing about the present.
        case .suspended: break
        }
    }

    /// Records that a call failed.
    ///
    /// - Parameters:
    ///   - retryAt: the time that the provider named, if it named one.
    ///   - random: lengthens the pause by up to a tenth, so that several daemons do not return together.
    public mutating func failed(
        _ failure: FailureClass, _ weight: FailureWeight, now: MonotonicTime, retryAt: MonotonicTime?, random: UInt64
    ) -> Consequence {
        switch (weight, state) {
        case (.answer, _):
            succeeded()
            return .none
        case (.nothing, .probing):
            abandoned(now: now)
            return .none
        case (.nothing, _):
            return .none
        case (_, .suspended(let suspension)):
            guard let retryAt else { return .none }
            let until = min(retryAt, now + Self.longestBelieved)
            guard until > suspension.until else { return .none }
            return .suspended(suspend(Suspension(until: until, failure: failure, step: suspension.step)))
        case (.doubt, .probing(let suspension, _)):
            guard asksForTrial(now: now) else { return .none }
            state = .probing(suspension, since: now)
            return .trialDue
        case (_, .probing(let suspension, _)):
            return .suspended(
                suspend(pause(failure, step: suspension.step + 1, now: now, retryAt: retryAt, random: random)))
        case (let weight, .healthy):
            note(failure: true)
            let isEnough = window.nonzeroBitCount >= Self.failuresToSuspend
            guard weight == .word || weight == .doubt(atOnce: true) || isEnough else { return .none }
            guard case .doubt = weight else {
                return .suspended(suspend(pause(failure, step: 0, now: now, retryAt: retryAt, random: random)))
            }
            if let trialSucceededAt, now < trialSucceededAt + Self.trialHolds {
                window = 0
                return .none
            }
            return asksForTrial(now: now) ? .trialDue : .none
        }
    }

    /// Whether a trial must begin: none is under way.
    private mutating func asksForTrial(now: MonotonicTime) -> Bool {
        if let trialSince, now < trialSince + Self.probePatience { return false }
        trialSince = now
        return true
    }

    /// Records that the caller of the probe, or of a trial, left without a result. The next caller may probe.
    public mutating func abandoned(now: MonotonicTime) {
        trialSince = nil
        guard case .probing(let suspension, _) = state else { return }
        state = .suspended(
            Suspension(until: min(suspension.until, now), failure: suspension.failure, step: suspension.step))
    }

    /// Suspends the provider by hand, for this long from now, whatever its calls say.
    public mutating func suspend(for duration: Duration, now: MonotonicTime) -> Suspension {
        let length = min(max(.zero, duration), Self.longestBelieved)
        return suspend(Suspension(until: now + length, failure: .suspended, step: 0))
    }

    /// Takes over a suspension that another host with the same key was told of. A longer one stays.
    /// - Returns: whether the suspension was taken over.
    public mutating func heard(_ suspension: Suspension, now: MonotonicTime) -> Bool {
        if case .suspended(let mine) = state, mine.until >= suspension.until { return false }
        let until = min(suspension.until, now + Self.longestBelieved)
        guard until > now else { return false }
        _ = suspend(Suspension(until: until, failure: suspension.failure, step: suspension.step))
        return true
    }

    /// Whether a person began the present suspension.
    public var isByHand: Bool { suspension?.failure == .suspended }

    /// Ends the suspension by hand.
    public mutating func resume() {
        self = SuspensionMachine()
    }

    private mutating func note(failure: Bool) {
        window = (window << 1 | (failure ? 1 : 0)) & (1 << UInt8(Self.callsWatched) - 1)
    }

    private mutating func suspend(_ suspension: Suspension) -> Suspension {
        state = .suspended(suspension)
        window = 0
        trialSince = nil
        return suspension
    }

    private func pause(
        _ failure: FailureClass, step: Int, now: MonotonicTime, retryAt: MonotonicTime?, random: UInt64
    ) -> Suspension {
        let longest = failure == .refused ? Self.longestRefusedPause : Self.longestPause
        // 5 s doubled 20 times is beyond every limit.
        let doubled = Self.firstPause.milliseconds << Int64(min(step, 20))
        let spread = doubled / 10 * Int64(random % 1001) / 1000
        let pause = min(longest, .milliseconds(doubled + spread))
        let named = retryAt.map { min($0, now + Self.longestBelieved) } ?? now
        return Suspension(until: max(now + pause, named), failure: failure, step: min(step, 20))
    }
}

extension SuspensionMachine {
    /// One line of text: version, state, time of writing in milliseconds, remaining suspension in milliseconds,
    /// failure, step. For a healthy machine: version, state, watched calls. A probe under way is stored as a suspension
    /// that is over, so that the next caller probes after a restart.
    public func encode(now: Moment) -> Bytes {
        guard let suspension else { return Bytes(text: "1 healthy \(window)") }
        let rest = max(0, min(suspension.until - now.monotonic, Self.longestBelieved).milliseconds)
        return Bytes(
            text: "2 suspended \(now.wall.milliseconds) \(rest) \(suspension.failure.rawValue) \(suspension.step)")
    }

    /// Decodes the output of `encode`. Returns nil for anything else.
    ///
    /// The suspension ends when the wall clock says so, and at the latest after its own length, because the clock may
    /// have been set back.
    public init?(decoding bytes: Bytes, now: Moment) {
        self.init()
        let words = (bytes.strictText ?? "").split(separator: " ", omittingEmptySubsequences: false)
        func rest(_ until: WallTime, atMost length: Duration, _ failure: Substring, _ step: Substring) -> Suspension? {
            guard let failure = FailureClass(rawValue: String(failure)), let step = Int(step), (0...20).contains(step)
            else { return nil }
            let rest = max(.zero, min(length, until - now.wall))
            return Suspension(until: now.monotonic + rest, failure: failure, step: step)
        }
        switch (words.count, words.first, words.dropFirst().first) {
        case (3, "1", "healthy"):
            guard let kept = UInt8(words[2]), kept < 1 << UInt8(Self.callsWatched) else { return nil }
            window = kept
        case (5, "1", "suspended"):
            // The format of old versions has only the end, so the length of the suspension is unknown.
            guard let until = Int64(words[2]),
                let suspension = rest(
                    WallTime(milliseconds: until), atMost: Self.longestRefusedPause, words[3], words[4])
            else { return nil }
            state = .suspended(suspension)
        case (6, "2", "suspended"):
            guard let saved = Int64(words[2]), let length = Int64(words[3]), length >= 0 else { return nil }
            let kept = min(.milliseconds(length), Self.longestBelieved)
            guard let suspension = rest(WallTime(milliseconds: saved) + kept, atMost: kept, words[4], words[5])
            else { return nil }
            state = .suspended(suspension)
        default: return nil
        }
    }
}
