// Searches whose client does not wait. `Prefer: respond-async` (RFC 7240 §4.1) begins one, and /v1/searches/{id} shows,
// streams and cancels it.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer

struct LiveRoute: Sendable {
    let engine: Engine
    let responder: Responder
    let searches: LiveSearches

    /// Makes the answer of a search, as for a client that waits.
    typealias Compose = @Sendable (SearchAnswers) async -> Result<Answer, ClientFacingError>

    /// What a request does with a live search.
    enum Part: Sendable {
        case show
        case events
        case cancel
    }

    /// The path for logs and explanations; nil if the path itself may be used. A search's id suffices to cancel it.
    static func loggedPath(_ path: String, listenerProvider: String?) -> String? {
        // Every request is checked, and few name a search or contain encoded letters, which do not change the path.
        guard listenerProvider == nil, path.hasPrefix("/v1/searches/") || path.utf8.contains(0x25) else { return nil }
        let plain = (try? PercentCoding.decode(path.utf8, plusIsSpace: false)) ?? path
        return plain.hasPrefix("/v1/searches/") ? "/v1/searches/…" : nil
    }

    /// Begins a search if the client prefers that, and answers 202. If the search ends within `wait`, answers its
    /// result.
    /// - Returns: nil if the client gets an ordinary answer: it has no such preference, or the cache has everything.
    func begin(
        _ context: RequestContext, _ question: SearchQuestion, _ compose: @escaping Compose
    ) async throws(ClientFacingError) -> ServerResponse? {
        let request = context.request
        guard request.method == .get, request.fields.contains(.prefer) else { return nil }
        let preferences = Preferences(request.fields)
        guard preferences.respondsAsync, await !engine.isAtHand(question) else { return nil }
        let ending = Lock(Ending())
        let page = try begin(question, compose, request.id, ending)
        if let wait = preferences.wait, wait > .zero {
            await waitForEnd(of: page, atMost: min(wait, Self.longestWait))
            if Task.isCancelled {
                searches.cancel(page)
                searches.forget(page)
            } else if let result = ending.withLock({ $0.result }) {
                searches.forget(page)
                // The sources were counted when the search ended.
                var answer = try result.get()
                answer.isMerged = true
                var response = responder.respond(answer, to: context)
                response.fields.set(.preferenceApplied, "wait=\(wait.wholeSeconds)")
                response.fields.add(.vary, "Prefer")
                return response
            }
        }
        // The 202 has no outcome. The search has one at its end, which is now or later.
        if let result = ending.withLock({ $0.accept() }) { count(result) }
        return await accepted(page, route: context.route)
    }

    /// How a search ended, and whether its client was told to ask again.
    private struct Ending {
        var result: Result<Answer, ClientFacingError>?
        private var isAccepted = false

        /// - Returns: the result, if the search has ended.
        mutating func accept() -> Result<Answer, ClientFacingError>? {
            isAccepted = true
            return result
        }

        /// - Returns: whether the client was told to ask again.
        mutating func end(_ result: Result<Answer, ClientFacingError>) -> Bool {
            self.result = result
            return isAccepted
        }
    }

    /// Counts a search whose request was answered before it ended.
    private func count(_ result: Result<Answer, ClientFacingError>) {
        switch result {
        case .success(let answer):
            engine.counters.cell(ServerCounters.requests, answer.provenance.outcome.rawValue).add()
        case .failure(let error):
            if error.status >= 500 { engine.counters.cell(DaemonCounters.failures).add() }
        }
    }

    /// The longest time that a client may wait with a connection in hand.
    private static let longestWait = Duration.seconds(60)

    private func begin(
        _ question: SearchQuestion, _ compose: @escaping Compose, _ request: RequestID,
        _ ending: Lock<Ending>
    ) throws(ClientFacingError) -> LivePage {
        let (engine, responder, searches) = (engine, responder, searches)
        let scope = SessionScope.current
        return try searches.begin(
            query: question.shownQuery, sort: question.sort, names: question.parts.map(\.providerName),
            shape: question.shape
        ) { page in
            // A newer question of the session ends the search, even if its own request was answered long ago. The
            // listener is removed at the end, because the same question may be asked any number of times.
            let ticket = scope?.whenSuperseded { searches.cancel(page) }
            defer { if let ticket { scope?.forget(ticket) } }
            let answers = await engine.ask(question) { place, source in
                // Parts given up for this reason may arrive before the search hears of it. Their sources did not fail.
                if scope?.isSuperseded == true { return searches.cancel(page) }
                searches.arrived(page, place, source)
            }
            guard !Task.isCancelled else { return }
            responder.note(answers, of: question, request, hasProblem: false)
            let result = await compose(answers)
            if ending.withLock({ $0.end(result) }) { count(result) }
            switch result {
            case .success(let made):
                if !made.isMerged, let provider = made.provider { engine.count(made.provenance.outcome, of: provider) }
                let count = answers.sources.reduce(0) { $0 + ($1.normalised?.count ?? 0) }
                searches.conclude(page, LiveSearch.Conclusion(made, count: count))
            case .failure(let error):
                searches.conclude(
                    page,
                    LiveSearch.Conclusion(
                        problem: ProblemEncoder.response(for: error, requestID: request).body.whole,
                        at: engine.time.wall()))
            }
        }
    }

    /// Waits until the search ends, the time is over or the client has left.
    private func waitForEnd(of page: LivePage, atMost limit: Duration) async {
        let loop = engine.flights.home
        let timer = LoopBound<TimerToken?>(nil, on: loop)
        loop.post { timer.value = loop.schedule(at: loop.monotonic + limit) { page.ended.fulfil() } }
        await page.ended.wait(ifCancelled: ())
        loop.post { if let token = timer.value { loop.cancel(token) } }
    }

    private func accepted(_ page: LivePage, route: RouteName) async -> ServerResponse {
        var response = await json(page.value, route: route)
        response.status = 202
        response.fields.set(.location, LiveEnvelope.path(page.id))
        response.fields.set(.preferenceApplied, "respond-async")
        response.fields.set(.vary, "Prefer")
        // A stop ends the wait before the server begins to drain. This is still the connection's last response.
        response.closesConnection = searches.isShutDown
        return response
    }

    /// Answers `/v1/searches/{id}` and the paths below it.
    func answer(
        _ part: Part, _ id: String, _ request: ServerRequest, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let page = try searches.find(id)
        switch part {
        case .show where Self.wantsEvents(request), .events:
            var response = try page.feed.response(to: request, otherwise: .oldest, route: route)
            if part == .show { response.fields.set(.vary, "Accept") }
            return response
        case .show: break
        case .cancel: searches.cancel(page)
        }
        var response = await json(page.value, route: route)
        if part == .show { response.fields.set(.vary, "Accept") }
        return response
    }

    private static func wantsEvents(_ request: ServerRequest) -> Bool {
        FieldList.members(request.fields.all(.accept)).contains { member in
            let type = ASCII.trimmed(member.prefix { $0 != ";" })
            return ASCII.equalFolded(String(type), EventText.mediaType)
        }
    }

    /// The current state of the search as a response.
    private func json(_ search: LiveSearch, route: RouteName) async -> ServerResponse {
        let sources = search.conclusion == nil ? search.answers.compactMap { $0?.normalised } : []
        let (sort, shape) = (search.sort, search.shape)
        let merged = try? await engine.compute.run {
            try shape.applied(to: ResultOrder.merge(sources.map(\.results), by: sort))
        }
        let results = merged ?? Bytes(text: "[]")
        let count = merged == nil ? 0 : sources.reduce(0) { $0 + $1.count }
        var response = ServerResponse.json(
            LiveEnvelope.render(search, results: results, count: count), route: route)
        if let conclusion = search.conclusion, conclusion.problem == nil {
            let now = engine.time.wall()
            response.fields.set(.age, String(max(0, (now - conclusion.bornAt).wholeSeconds)))
            response.fields.set(
                "Cache-Status",
                CacheStatus.render(
                    outcome: conclusion.outcome, ttl: (conclusion.freshUntil - now).wholeSeconds,
                    collapsed: conclusion.outcome == .joined))
        }
        return response
    }
}

extension ResponseBody {
    /// The bytes of a body that is in memory; empty for a stream.
    fileprivate var whole: Bytes {
        switch self {
        case .bytes(let bytes): bytes
        case .slices(let pieces): pieces.flatMap { $0 }
        case .empty, .stream: []
        }
    }
}
