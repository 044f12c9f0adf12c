// The way of one request through the cache, as one list of steps for raw, normalised, artwork, pool and pass-through
// entries. The flow is a value. Its caller looks the entry up, reports what is stored, performs the step that the flow
// names, and reports the result. The order is always look-up → join → limits → fetch. The fetch itself applies the
// limits, after every look-up.
import LarderCore
import LarderHTTP

/// Why a request went forward (RFC 9211 §2.2).
public typealias ForwardReason = CacheStatus.ForwardReason

/// The decisions about one request.
public struct RequestFlow: Sendable {
    public enum Step: Sendable {
        /// Answer with the entry that was found, or with the stand-in.
        case answer(Stored)
        /// Answer with the stale entry that was found, and refresh it. Only the first of several requests starts the
        /// refresh.
        case answerAndRefresh(Stored)
        /// Make the entry from another stored form, without a call.
        case makeFromStore
        /// Join the flight for the key, or lead one.
        case fetch(Forward)
        /// Fetch for this request alone.
        case fetchAlone(Forward)
        /// Join the fetch of the requested range, or lead one, so that the range can be stored as a part.
        case fetchPart(Forward)
        /// Answer with the result of the fetch.
        case answerFetched(Fresh)
        /// Send the request itself, neither joined nor stored.
        /// - Parameter hasStored: whether an entry was found. It may answer if this fails, and the response updates it.
        case passOn(ForwardReason, hasStored: Bool, CacheRule)
        /// Nothing usable is stored and the client accepts nothing else (RFC 9111 §5.2.1.7).
        case gatewayTimeout(CacheRule)
        /// Answer with the failure, or with 504 if an entry had to be validated first (RFC 9111 §5.2.2.2).
        case fail(isValidationOwed: Bool)
    }

    /// A stored entry as an answer. Steps name the entry but do not hold it, because every hit copies them.
    public struct Stored: Sendable {
        /// Whether the entry is one that a fetch returned in place of its own failure, and not the one that was found.
        public var isStandIn = false
        public var outcome: CacheOutcome
        public var rule: CacheRule
        /// Why the request went forward before, if it did, and the status of the upstream's response.
        public var forward: ForwardReason?
        public var forwardStatus: Int?
    }

    /// A fetch that the caller must perform.
    public struct Forward: Sendable {
        public var reason: ForwardReason
        /// Why nothing stored answered.
        public var rule: CacheRule
        /// Whether a stored entry could be used if the fetch fails.
        public var hasFallback: Bool
        /// The time after which a stale entry answers.
        public var patience: Duration?
        /// A flight whose call was sent before this time is not joined.
        public var sentSince: WallTime?
    }

    /// The result of a fetch, as an answer.
    public struct Fresh: Sendable {
        public var outcome: CacheOutcome
        public var forward: ForwardReason?
        public var forwardStatus: Int?
        public var rule: CacheRule
    }

    /// How a fetch ended without an answer.
    public enum Ending: Sendable, Hashable, CaseIterable {
        case failed
        /// Patience ran out. The fetch goes on without this request.
        case late
        /// Responses for this key must not be shared. The request fetches for itself.
        case unshareable
    }

    private let terms: RequestTerms
    private var stored: StoredResponse?
    private var forward = Forward(reason: .uriMiss, rule: .uriMiss, hasFallback: false, patience: nil)
    private var hasJoinedAgain = false
    private var hasAskedForPart = false
    /// When the request arrived.
    private var began: WallTime?
    /// When a response arrived that this request must not use. An older entry then no longer covers for a failure.
    private var seen: WallTime?

    public init(_ terms: RequestTerms) { self.terms = terms }

    private var directives: ClientDirectives { terms.directives }

    // MARK: The look-up

    /// Decides after the look-up.
    /// - Parameters:
    ///   - hasVariants: whether something is stored under the URL, even if it does not match this request.
    ///   - isInDoubt: whether the entry must be validated before use (`Displacement.putsOthersInDoubt`).
    ///   - parts: how stored parts serve the request, if nothing else is stored.
    ///   - hasParts: whether there are such parts.
    public mutating func lookedUp(
        _ entry: StoredResponse?, hasVariants: Bool = false, isInDoubt: Bool = false, parts: PartDecision? = nil,
        hasParts: Bool = false, now: WallTime
    ) -> Step {
        began = now
        if case .covered = parts, terms.wantsRange { hasAskedForPart = true }
        guard let entry else {
            switch parts {
            case .ask:
                hasAskedForPart = true
                return forwardOrRefuse(.partial, .partsLack, nil, now)
            case .askAsWritten(let rule):
                hasAskedForPart = true
                if let rule { return forwardOrRefuse(.partial, rule, nil, now) }
            case .forward(let rule):
                if !directives.onlyIfCached { return .passOn(.bypass, hasStored: false, rule) }
            case .covered, .whole, nil: break
            }
            if hasParts { return forwardOrRefuse(.partial, .partsUnfit, nil, now) }
            return forwardOrRefuse(hasVariants ? .varyMiss : .uriMiss, hasVariants ? .variantMiss : .uriMiss, nil, now)
        }
        if terms.isPersonal, !terms.judge.isForAll(entry) {
            // A response not marked as shared may differ for each client with credentials, and nothing in it says so.
            return forwardOrRefuse(.bypass, .ownBusiness, nil, now)
        }
        // An entry in doubt does not answer, and does not cover for a failure either.
        if isInDoubt { return forwardOrRefuse(.stale, .variantInDoubt, nil, now) }
        let verdict = terms.judge.decide(entry, directives, now: now)
        switch verdict.decision {
        case .fresh: return .answer(Stored(outcome: .hit, rule: verdict.rule))
        case .negative: return .answer(Stored(outcome: .negative, rule: verdict.rule))
        case .stale:
            let answer = Stored(outcome: .stale, rule: verdict.rule)
            if directives.onlyIfCached { return .answer(answer) }
            guard !terms.wantsFresh, terms.judge.refreshesBehind(entry, now: now) else {
                return forwardOrRefuse(
                    .stale, verdict.rule, entry, now, patience: terms.judge.hasPatience ? terms.patience : nil)
            }
            // A refresh that must not be stored would cost a call and help nobody.
            return directives.noStore ? .answer(answer) : .answerAndRefresh(answer)
        case .unusable:
            // A fresh entry that was not used was refused by the request (RFC 9211 §2.2) or by a clock that was set
            // back.
            let isRefused = now < entry.freshUntil && entry.responseTime - now <= ConfiguredReuse.clockLimit
            return forwardOrRefuse(isRefused ? .request : .stale, verdict.rule, entry, now)
        }
    }

    /// Decides when nothing stored answers.
    private mutating func forwardOrRefuse(
        _ reason: ForwardReason, _ rule: CacheRule, _ entry: StoredResponse?, _ now: WallTime,
        patience: Duration? = nil
    ) -> Step {
        if directives.onlyIfCached {
            guard !terms.worksFromStore else { return .makeFromStore }
            return .gatewayTimeout(entry == nil && rule != .variantInDoubt ? .onlyIfCached : rule)
        }
        if terms.isHead { return .passOn(reason, hasStored: entry != nil, rule) }
        stored = entry
        let covers = entry.map { terms.judge.afterFailure(.disconnected, $0, directives, now: now).decision.isUsable }
        forward = Forward(
            reason: reason, rule: rule, hasFallback: covers ?? false,
            patience: terms.wantsFresh ? nil : patience)
        // A response that is for one client, or must not be stored, is not given to others (RFC 9111 §3.5, §5.2.1.5).
        return directives.noStore || terms.isPersonal ? alone(isForOneClient: true) : .fetch(forward)
    }

    /// - Parameter isForOneClient: whether the response will not be stored, as far as is known.
    private mutating func alone(isForOneClient: Bool = false) -> Step {
        // A response for one client is not stored, so the upstream need not send again what the client already has.
        if isForOneClient, terms.isConditional, stored == nil {
            let isOwn = terms.isPersonal && (forward.rule == .uriMiss || forward.rule == .variantMiss)
            return .passOn(
                terms.isPersonal ? .bypass : forward.reason, hasStored: false, isOwn ? .ownBusiness : forward.rule)
        }
        // A range of what must not be shared is best requested as a range.
        if terms.wantsRange, stored == nil { return part() }
        return .fetchAlone(forward)
    }

    /// Requests the range itself, either by a fetch that may store it or by passing the request on.
    private mutating func part() -> Step {
        let isForAll = !directives.noStore && !terms.isPersonal
        guard terms.storesParts, isForAll, stored == nil, !hasAskedForPart else {
            return .passOn(forward.reason, hasStored: stored != nil, forward.rule)
        }
        hasAskedForPart = true
        return .fetchPart(forward)
    }

    // MARK: The fetch

    /// Decides after a fetch brought a result.
    public mutating func fetched(_ fetched: Fetched, now: WallTime) -> Step {
        if fetched.hasJoined {
            guard fetched.isSelected else { return alone() }
            if isTooOld(fetched, now) {
                // The leader of the flight took a stored response, and it may accept older responses than this client.
                defer { hasJoinedAgain = true }
                return hasJoinedAgain ? alone() : .fetch(forward)
            }
            if !hasJoinedAgain, let began, isOwedValidation(fetched, began, now) {
                hasJoinedAgain = true
                forward.sentSince = began
                seen = fetched.entry.responseTime
                return .fetch(forward)
            }
        }
        switch fetched.origin {
        case .standIn:
            let rule = terms.judge.afterFailure(.disconnected, fetched.entry, directives, now: now).rule
            return .answer(Stored(isStandIn: true, outcome: .stale, rule: rule, forward: forward.reason))
        case .otherForm, .store:
            let rule = terms.judge.decide(fetched.entry, directives, now: now).rule
            return .answerFetched(Fresh(outcome: fetched.entry.isNegative ? .negative : .hit, rule: rule))
        case .upstream(let status, let isAnswer):
            return answered(fetched, status, isAnswer, now)
        }
    }

    /// The store was read again before a second fetch. The answer that this request must validate may be stored by now, or a
    /// newer one: if the call for it was sent after this request came, it answers, as it would have by joining that call.
    /// - Parameters:
    ///   - entry: nil also for one that is in doubt.
    ///   - mayAnswer: whether its `requestTime` tells when its call was sent.
    public mutating func lookedUpAgain(_ entry: StoredResponse?, mayAnswer: Bool = true, now: WallTime) -> Step {
        stored = entry.flatMap { entry in seen.map { entry.responseTime >= $0 } ?? true ? entry : nil }
        // An instant ahead of now is from before the clock was set back.
        if mayAnswer, let stored, let began, (began...max(began, now)).contains(stored.requestTime), stored.status < 500
        {
            return .answer(Stored(outcome: .joined, rule: forward.rule, forward: forward.reason))
        }
        let cover = stored.map { terms.judge.afterFailure(.disconnected, $0, directives, now: now).decision }
        forward.hasFallback = cover?.isUsable ?? false
        forward.patience = nil
        return .fetch(forward)
    }

    private func isTooOld(_ fetched: Fetched, _ now: WallTime) -> Bool {
        guard fetched.origin == .otherForm || fetched.origin == .store else { return false }
        return !terms.judge.decide(fetched.entry, directives, now: now).decision.isFresh
    }

    /// Whether the response needs validation for this request although its call was sent before the request arrived.
    /// Such a response does not tell what the origin would say to this request (RFC 9111 §5.2.2.4, §4.2.4). A call sent
    /// later does, whichever request leads it. A server failure is shared like other failures.
    private func isOwedValidation(_ fetched: Fetched, _ began: WallTime, _ now: WallTime) -> Bool {
        guard terms.judge.rule.semantics == .rfc, case .upstream(let status, _) = fetched.origin, status < 500,
            fetched.entry.requestTime < began
        else { return false }
        return !terms.judge.decide(fetched.entry, directives, now: now).decision.isUsable
    }

    private mutating func answered(_ fetched: Fetched, _ status: Int, _ isAnswer: Bool, _ now: WallTime) -> Step {
        if let stored, terms.judge.isFailure(status: status, isAnswer: isAnswer) {
            let cover = terms.judge.afterFailure(.status(status), stored, directives, now: now)
            if cover.decision.isUsable {
                return .answer(
                    Stored(
                        outcome: .stale, rule: cover.rule, forward: forward.reason, forwardStatus: status))
            }
        }
        // A 304 to the client's own conditions validates no stored entry.
        let isValidated = status == 304 && !fetched.isJudged
        let outcome: CacheOutcome = fetched.hasJoined ? .joined : isValidated ? .revalidated : .miss
        var answer = Fresh(
            outcome: outcome, forward: directives.noStore ? .request : forward.reason, forwardStatus: status,
            rule: forward.rule)
        if terms.isPersonal, !fetched.isStored, fetched.body == .whole || !fetched.mayBeShared {
            // The cache had no part in this exchange.
            answer.outcome = .bypass
            answer.forward = .bypass
            // The miss is not the reason: with a stored entry the request would have gone forward as well.
            if answer.rule == .uriMiss || answer.rule == .variantMiss { answer.rule = .ownBusiness }
        }
        // Some origins send nothing but ranges. This one was asked for the whole.
        if terms.wantsRange, !hasAskedForPart, stored == nil, PartRequest.mayDemandRange(status: status) {
            return part()
        }
        // A part that is not stored is passed on as it is: only its origin can judge the client's conditions.
        if terms.hasConditions, !fetched.isJudged, fetched.entry.status == 206 {
            return .passOn(forward.reason, hasStored: stored != nil, forward.rule)
        }
        return .answerFetched(answer)
    }

    /// Decides after the fetch brought nothing or patience ran out. An error never replaces a good entry: the stored
    /// entry answers, within its hard limit.
    public mutating func ended(_ ending: Ending, now: WallTime) -> Step {
        if ending == .unshareable { return alone(isForOneClient: true) }
        guard let stored else { return .fail(isValidationOwed: false) }
        let verdict = terms.judge.afterFailure(.disconnected, stored, directives, now: now)
        let outcome: CacheOutcome
        switch verdict.decision {
        case .fresh: outcome = .hit
        case .negative: outcome = .negative
        case .stale: outcome = .stale
        case .unusable: return .fail(isValidationOwed: verdict.rule.demandsValidation)
        }
        return .answer(
            Stored(
                outcome: terms.isPassThrough ? .stale : outcome, rule: verdict.rule, forward: forward.reason))
    }
}

extension ReuseDecision {
    /// Whether the stored response may be given, and needs no refresh.
    public var isFresh: Bool { self == .fresh || self == .negative }

    /// Whether the stored response may be given.
    public var isUsable: Bool {
        switch self {
        case .fresh, .negative, .stale: true
        case .unusable: false
        }
    }
}
