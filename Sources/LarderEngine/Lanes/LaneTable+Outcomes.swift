// What the outcome of a call changes: whose fault a failure is, and whether the provider is suspended, works again, or
// must be asked a question that succeeded lately.
import LarderCache
import LarderCore

extension LaneTable {
    /// What follows from the outcome of a call.
    enum Effect: Sendable {
        case none
        /// The call ended a suspension.
        case resumed
        /// The provider is suspended until then.
        case suspended(until: MonotonicTime)
        /// This question must be asked now. It decides whether the provider or the question is at fault.
        case trialDue(UpstreamCall)
    }

    /// Records that a call got an answer from a working provider.
    /// - Parameter isData: whether the answer was data, so that the question may be a trial later.
    mutating func succeeded(_ call: UpstreamCall, isData: Bool, now: Moment) -> Effect {
        guard let lane = lanes[call.provider] else { return .none }
        if isData, lane.suspends { lane.known.succeeded(call) }
        let isBack = lane.succeeded(isTrial: call.isTrial, now: now)
        look(call.provider, now: now)
        if isBack { noteSuspension(call.provider, now: now) }
        return isBack ? .resumed : .none
    }

    /// Records that a call failed.
    /// - Parameter isProbe: whether the call was the trial of a suspended provider.
    mutating func failed(
        _ call: UpstreamCall, _ failure: UpstreamFailure, isProbe: Bool, now: Moment, random: UInt64
    ) -> Effect {
        guard let lane = lanes[call.provider] else { return .none }
        var weight = FailureWeight(
            call.failed(failure, known: lane.known, suspension: lane.suspension.suspension?.failure))
        switch weight {
        case .answer: return succeeded(call, isData: false, now: now)
        case .nothing:
            // Only the trial itself may give the trial back.
            if isProbe { abandonTrial(call.provider, now: now.monotonic) }
            return .none
        case .doubt, .luck, .word: if call.isTrial { weight = .word }
        }
        let consequence = lane.failed(failure, weight, now: now, random: random)
        look(call.provider, now: now)
        switch consequence {
        case .none: return .none
        case .trialDue: return lane.known.next().map { .trialDue($0) } ?? .none
        case .suspended(let suspension):
            noteSuspension(call.provider, now: now)
            return .suspended(until: suspension.until)
        }
    }
}
