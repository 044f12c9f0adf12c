// A request for which nothing is stored waits for its fetch only. So its steps are taken on its loop without a task. If
// a step must wait for something else, a task does the rest (Docs/Decisions/0054-a-plain-miss-from-socket-to-socket.md).
import LarderCache
import LarderCore
import LarderIO

extension EntryRequest {
    /// Performs the steps on the caller's loop, as far as nothing must be waited for but the fetch.
    /// - Parameter done: gets the outcome once, on that loop. It is called inside this method only if a task must do the
    ///   rest.
    /// - Returns: what ends the wait for the fetch. Nil if a task must do the rest.
    public func begin(
        on loop: EventLoop, _ done: @escaping @Sendable (LoopOutcome<Conclusion, UpstreamFailure>) -> Void
    ) -> (@Sendable () -> Void)? {
        let began = engine.time.monotonic()
        guard hold == nil, plan == nil, let found = recipe.absent else {
            done(.rest { () throws(UpstreamFailure) in try await run(await recipe.find(), since: began) })
            return nil
        }
        var flow = RequestFlow(terms)
        let step = lookedUp(found, &flow, since: began)
        guard case .fetch(let forward) = step else {
            done(.rest { [flow] () throws(UpstreamFailure) in try await perform(step, flow, found) })
            return nil
        }
        let order = recipe.order(found, hasFallback: forward.hasFallback)
        var question = FlightQuestion(
            key: recipe.flightKey(found), removable: recipe.removable, provider: recipe.provider, isShared: true,
            exchange: recipe.exchange(order)
        ) { [recipe] in await recipe.make(order, $0) }
        question.sentSince = forward.sentSince
        let wait = FetchWait(request: self, flow: flow, found: found, since: engine.time.monotonic(), done: done)
        return engine.flights.begin(question, patience: patience(forward), interim: interim) { obtained in
            // Posted, because a flight may land inside a step of this request or of another loop.
            loop.post { wait.landed(obtained) }
        }
    }

    /// The step after the fetch, if it was the first.
    fileprivate func landed(
        _ obtained: Obtained, _ begun: RequestFlow, _ found: EntryCache.Found, since asked: MonotonicTime
    ) -> LoopOutcome<Conclusion, UpstreamFailure> {
        var flow = begun
        do throws(UpstreamFailure) {
            let fetch = try fetch(obtained, isShared: true, since: asked)
            let step = next(after: fetch, &flow, found)
            if case .answerFetched(let fresh) = step, let made = fetch.made {
                return .value(.served(answer(fresh, made, fetch, found)))
            }
            return .rest { [flow] () throws(UpstreamFailure) in try await perform(step, flow, found, fetch) }
        } catch {
            return .rest { () throws(UpstreamFailure) in throw error }
        }
    }
}

/// A request that waits for its fetch. A class, because two closures hold it.
private final class FetchWait: Sendable {
    private let request: EntryRequest
    private let flow: RequestFlow
    private let found: EntryCache.Found
    private let asked: MonotonicTime
    private let locals = RequestLocals()
    private let done: @Sendable (LoopOutcome<EntryRequest.Conclusion, UpstreamFailure>) -> Void

    init(
        request: EntryRequest, flow: RequestFlow, found: EntryCache.Found, since asked: MonotonicTime,
        done: @escaping @Sendable (LoopOutcome<EntryRequest.Conclusion, UpstreamFailure>) -> Void
    ) {
        (self.request, self.flow, self.found, self.asked, self.done) = (request, flow, found, asked, done)
    }

    func landed(_ obtained: Obtained) {
        locals.bind { done(request.landed(obtained, flow, found, since: asked)) }
    }
}
