// The work of a flight whose question takes several calls: it carries out a `CallPlan`. Each call is made as an
// ordinary raw entry. The cache answers it if it can, it joins flights under way, and it costs budget only if it is
// sent. A missing part makes the answer partial, never empty.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings

struct PlannedWork: Sendable {
    let engine: Engine
    let question: NormalisedQuestion
    let key: CacheKey
    /// Whether a stale answer is available if this work fails.
    let hasFallback: Bool
    /// The state of removals before the first call.
    let began: RemovalStamp

    /// The limit of steps. A plan that takes more never ends.
    private static let maxSteps = 64

    private typealias Part = Result<Served, UpstreamFailure>

    func run(_ plan: any CallPlan) async -> FlightResult {
        let clock = WaitClock(
            WaitLimit(
                began: engine.flights.timers.monotonic(), granted: deadline,
                mostQueued: question.settings.fetch.queueTimeout),
            FlightWait.current)
        var plan = plan
        var sum = PlannedSum()
        var calls: [PlannedCall] = []
        var parts: [Part] = []
        var left = question.settings.fetch.callsPerAnswer
        for _ in 0..<Self.maxSteps {
            switch await step(plan, calls, parts) {
            case .failure(let failure):
                for subject in sum.subjects { await engine.shorten(subject) }
                return .failed(failure)
            case .success((_, .done(let answer))):
                guard !sum.parents.isEmpty else { return .failed(nothing("the plan made no calls.")) }
                return await finish(answer, sum)
            case .success((let next, .fetch(let wanted))):
                plan = next
                calls = wanted
                parts = await obtain(wanted.prefix(left), clock)
                left -= parts.count
                for _ in wanted.dropFirst(parts.count) { parts.append(.failure(tooMany())) }
                // After cancellation nobody waits for the answer. Parts that were not waited for must not count as
                // missing.
                if Task.isCancelled { return .failed(nothing("no client waits for it any more.")) }
            }
            for (call, part) in zip(calls, parts) {
                if let failure = sum.add(part, of: call) { return .failed(failure) }
                // If the subject does not exist, that is the whole answer. It is stored like any other absence.
                if call.role == .subject, case .success(let served) = part, served.entry.isNegative {
                    return await write(entry(sum, isNegative: true), sum)
                }
            }
        }
        return .failed(nothing("the plan did not end after \(Self.maxSteps) steps."))
    }

    private var deadline: Duration { question.provider.settings.deadline ?? question.settings.fetch.deadline }

    private func nothing(_ why: String) -> UpstreamFailure { Engine.unreadable(question.provider.name, why) }

    /// Asks the plan for its next step, away from the loops, since the plan reads all responses.
    private func step(
        _ plan: any CallPlan, _ calls: [PlannedCall], _ parts: [Part]
    ) async -> Result<(any CallPlan, PlanStep), UpstreamFailure> {
        let signer = engine.signer
        let provider = question.provider
        let limit = Int(clamping: question.settings.fetch.maxBody)
        let bodies = engine.bodies
        return await engine.compute.run {
            var plan = plan
            var brought: [CallOutcome] = []
            brought.reserveCapacity(calls.count)
            for (call, part) in zip(calls, parts) {
                switch part {
                case .failure(let failure): brought.append(.failed(failure.failure))
                case .success(let served) where served.entry.isNegative: brought.append(.absent)
                case .success(let served):
                    let response = UpstreamResponse(served.entry, url: provider.url(call.request))
                    guard let plain = response.decoded(limit: limit, in: bodies) else {
                        return .failure(nothing("its content coding could not be decoded."))
                    }
                    brought.append(.answered(plain))
                }
            }
            do throws(NormaliseError) {
                let step = try plan.next(brought, signer)
                return .success((plan, step))
            } catch {
                return .failure(nothing(error.message))
            }
        }
    }

    /// Makes the calls, at most `fetch.sideBySide` at a time. When one ends, the next begins.
    private func obtain(_ calls: ArraySlice<PlannedCall>, _ clock: WaitClock) async -> [Part] {
        let underWay = engine.counters.cell(EngineCounters.partsUnderWay)
        return await withTaskGroup(of: (Int, Part).self) { group in
            var parts: [Part?] = Array(repeating: nil, count: calls.count)
            var begun = 0
            func begin() {
                guard begun < calls.count else { return }
                let (place, call) = (begun, calls[calls.startIndex + begun])
                begun += 1
                underWay.add()
                group.addTask { (place, await self.obtain(call, clock)) }
            }
            for _ in 0..<question.settings.fetch.sideBySide { begin() }
            for await (place, part) in group {
                underWay.add(-1)
                parts[place] = part
                begin()
            }
            return parts.compactMap { $0 }
        }
    }

    private func obtain(_ call: PlannedCall, _ clock: WaitClock) async -> Part {
        let part: Part
        do throws(UpstreamFailure) {
            let now = engine.flights.timers.monotonic()
            guard clock.end(at: now) > now else { throw late(clock.blame(at: now)) }
            // An aid only helps to read the rest of the answer, which must not wait long for it.
            let deadline = call.role == .aid ? question.settings.fetch.softDeadline : nil
            part = .success(
                try await engine.obtainRaw(
                    question, call.request, endpoint: call.endpoint, deadline: deadline, plan: clock))
        } catch {
            part = .failure(error)
        }
        switch part {
        case .success(let served): count(served.entry.isNegative ? .absent : .data)
        case .failure: count(.failed)
        }
        return part
    }

    /// The outcome of a part. The raw values are labels of `larder_parts_total`.
    private enum PartEnd: String {
        case data, absent, failed
        /// The plan asked for too many calls.
        case refused
    }

    private func count(_ end: PartEnd) {
        engine.counters.cell(EngineCounters.parts, question.provider.name, end.rawValue).add()
    }

    private func late(_ blame: Blame) -> UpstreamFailure {
        var failure = UpstreamFailure(late: blame, provider: question.provider.name, now: engine.time.wall())
        failure.detail = "Not every part arrived within \(Units.format(duration: deadline))"
        failure.detail += blame == .ownQueue ? ": parts waited in Larder's own queue." : "."
        return failure
    }

    private func tooMany() -> UpstreamFailure {
        count(.refused)
        return UpstreamFailure(
            provider: question.provider.name, failure: .overloaded,
            detail: "It needs more than \(question.settings.fetch.callsPerAnswer) calls (fetch.callsPerAnswer).")
    }

    private func finish(_ answer: NormalisedAnswer, _ sum: PlannedSum) async -> FlightResult {
        // An older, complete answer is better than what an outage left of a new one. If only single parts are broken,
        // the new answer is used, because waiting for those parts would hold up the rest for as long as they are
        // broken.
        if hasFallback, let failure = sum.covering ?? (sum.lacksWholeProvider ? sum.lack : nil) {
            return .failed(failure)
        }
        let lack = sum.lack ?? sum.worn
        if answer.count == 0, let lack = sum.lack { return .failed(lack) }
        let (endpoint, provider) = (question.endpoint, question.provider)
        var normalised = await engine.time.timing(.normalise, provider.name) {
            await engine.compute.run { NormalisedEntry(answer, of: endpoint, provider) }
        }
        normalised.missing = sum.missing
        normalised.lack = lack
        engine.noteDropped(normalised, of: question.provider.name)
        var entry = entry(sum, isNegative: false)
        entry.fields = normalised.fields
        entry.body = normalised.results
        if lack != nil {
            // Fresh for as long as a failure is remembered, and not usable stale: the partial answer must not outlive
            // the outage.
            entry.freshUntil = min(entry.freshUntil, engine.time.wall() + question.settings.fetch.failurePause)
            entry.staleUntil = entry.freshUntil
        }
        return await write(entry, sum)
    }

    private func entry(_ sum: PlannedSum, isNegative: Bool) -> StoredResponse {
        let provider = question.provider
        let request = question.endpoint.upstream
        return StoredResponse(
            key: key, layer: .normalised, provider: provider.name, endpoint: question.endpoint.name,
            isNegative: isNegative, requestTime: sum.requestTime, responseTime: sum.responseTime,
            initialAge: sum.initialAge, freshUntil: sum.freshUntil, staleUntil: sum.staleUntil, parents: sum.parents,
            normaliserVersion: provider.provider.about.normaliserVersion,
            label: "\(request.method) \(provider.url(request))")
    }

    private func write(_ entry: StoredResponse, _ sum: PlannedSum) async -> FlightResult {
        var made = Made(entry: entry, covering: sum.covering)
        // A partial answer is not published. The next host that asks completes it.
        made.mayLeave = sum.mayLeave && sum.missing == 0 && sum.worn == nil
        let isKept = sum.covering == nil && sum.haveRows && !question.directives.noStore
        // Parts that were left out because of the client's `only-if-cached` are not missing for others.
        if isKept, sum.missing == 0 || !question.directives.onlyIfCached, entry.freshUntil > engine.time.wall() {
            made.written = await engine.cache.write(entry, since: began)
        }
        return .answered(made)
    }
}

/// The sum of a plan's calls: the earliest end of their lifetimes, the age of the oldest (Docs/Decisions/0012), and
/// what is missing.
struct PlannedSum: Sendable {
    private(set) var requestTime = WallTime.distantFuture
    private(set) var responseTime = WallTime.distantFuture
    private(set) var initialAge: Int64 = 0
    private(set) var freshUntil = WallTime.distantFuture
    private(set) var staleUntil = WallTime.distantFuture
    private(set) var parents: [Digest] = []
    /// The entries without which there is no answer.
    private(set) var subjects: [StoredResponse] = []
    /// Whether every part has a stored row.
    private(set) var haveRows = true
    private(set) var missing = 0
    /// Why parts are missing.
    private(set) var lack: UpstreamFailure?
    /// Whether the whole answer may be published to other hosts: no part was stored on this host before
    /// (`Served.isBroughtNow`).
    private(set) var mayLeave = true
    /// Why the whole answer is stale.
    private(set) var covering: UpstreamFailure?
    /// Why single parts are older than they should be although the provider works.
    private(set) var worn: UpstreamFailure?

    init() {}

    /// Takes in the result of a call. Returns the failure that ends the whole work, if it is one.
    mutating func add(_ part: Result<Served, UpstreamFailure>, of call: PlannedCall) -> UpstreamFailure? {
        switch part {
        case .failure(let failure):
            if call.role == .subject { return failure }
            guard call.role == .part else { return nil }
            missing += 1
            if lack == nil || (!lacksWholeProvider && failure.failure.isOfWholeProvider) { lack = failure }
        case .success(let served):
            guard call.role != .aid else { return nil }
            add(served, isPart: call.role == .part)
            if call.role == .subject { subjects.append(served.entry) }
        }
        return nil
    }

    private mutating func add(_ served: Served, isPart: Bool) {
        let entry = served.entry
        parents.append(entry.key.digest)
        haveRows = haveRows && served.hasRow
        mayLeave = mayLeave && served.isBroughtNow && SharedStorability.obstacle(fields: entry.fields) == nil
        if isPart, let failure = served.failure, !failure.failure.isOfWholeProvider {
            // A single record that is broken upstream must not shorten the lifetime of all the others.
            worn = worn ?? failure
        } else {
            covering = covering ?? served.failure
            freshUntil = min(freshUntil, entry.freshUntil)
            staleUntil = min(staleUntil, entry.staleUntil)
        }
        if entry.responseTime + .milliseconds(-entry.initialAge) < responseTime + .milliseconds(-initialAge) {
            (requestTime, responseTime) = (entry.requestTime, entry.responseTime)
            initialAge = entry.initialAge
        }
    }

    /// Whether parts are missing because of the provider, not because of the parts.
    var lacksWholeProvider: Bool { lack?.failure.isOfWholeProvider ?? false }
}
