// A miss of which nothing is stored, from its call to its stored response, on its leader's loop and without a task. What
// is not plain goes on in a task, as soon as the head of the response shows it: a part, a response that displaces others or
// must not be stored, and a body that is long in coming. What must be waited for before the call also needs a task:
// `begin` refuses it.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings

/// One fetch of a URL of which nothing is stored.
final class PassExchange: Sendable {
    /// The flight whose work this is.
    struct Flight: Sendable {
        let loop: EventLoop
        let task: RunningWork
        let wait: FlightWait
        let voice: FlightVoice
        let land: @Sendable (FlightResult) -> Void
    }

    private let fetch: PassFetch
    private let found: EntryCache.Found

    init(_ fetch: PassFetch, _ found: EntryCache.Found) {
        self.fetch = fetch
        self.found = found
    }

    /// Begins the fetch on the flight's loop.
    /// - Returns: false if it needs a task. Nothing has happened then.
    func begin(_ flight: Flight) -> Bool {
        let cache = fetch.engine.cache
        // A purge or an unsafe request from here on makes the response outdated, and it is not kept.
        let began = cache.begin(fetch.request)
        guard fetch.sharedTier == nil, cache.isCurrent(found.ready) else { return false }
        let leg = Leg(self, flight, began)
        let fields = fetch.fields([:])
        let cancel = fetch.engine.upstream.begin(
            fetch.call(fields, found), stall: fetch.request.provider.settings.idleTimeout
        ) { leg.opened($0, fields) }
        guard let cancel else { return false }
        flight.task.attach(cancel)
        return true
    }

    /// The fetch after its call was made. This is a class because each step's closure holds it.
    private final class Leg: Sendable {
        private let fetch: PassFetch
        private let found: EntryCache.Found
        private let flight: Flight
        private let began: RemovalStamp
        private let locals = RequestLocals()

        init(_ exchange: PassExchange, _ flight: Flight, _ began: RemovalStamp) {
            (fetch, found) = (exchange.fetch, exchange.found)
            self.flight = flight
            self.began = began
        }

        func opened(
            _ outcome: Result<(UpstreamStream, Classification), UpstreamFailure>, _ fields: HeaderFields
        ) {
            switch outcome {
            case .failure(let failure): flight.land(.failed(failure))
            case .success((var stream, let classification)):
                // What has come is stored, whoever leaves now.
                flight.task.attach {}
                stream.head = stream.head.namingSelectors(among: fields)
                headCame(stream, classification)
            }
        }

        private func headCame(_ stream: UpstreamStream, _ classification: Classification) {
            switch stream.head.status {
            case 304:
                stream.cancel()
                return flight.land(.failed(fetch.unasked304))
            case 206:
                return goOn { [self] in await fetch.opened(stream, classification, found, began, flight.voice) }
            default: break
            }
            let whole = fetch.begin(stream, classification, found, began)
            let isPlain = whole.verdict.isStored && fetch.engine.mayBeWholeSoon(stream.body, stream.head.length)
            guard isPlain else { return receive(whole, stream, classification, isSettled: false) }
            fetch.engine.settle(stream.body, on: flight.loop) { [self] in settled(whole, stream, classification) }
        }

        private func settled(_ whole: PassFetch.Whole, _ stream: UpstreamStream, _ classification: Classification) {
            var result: FlightResult?
            if let content = stream.body.whole {
                // The commit belongs to the request's timeline.
                locals.bind { result = fetch.takeAtOnce(whole, content, stream.head, classification, found, began) }
            }
            guard let result else { return receive(whole, stream, classification, isSettled: true) }
            flight.land(result)
        }

        private func receive(
            _ whole: PassFetch.Whole, _ stream: UpstreamStream, _ classification: Classification, isSettled: Bool
        ) {
            goOn { [self] in
                await fetch.receive(
                    whole, stream, classification, found, began, flight.voice, isSettled: isSettled)
            }
        }

        /// Goes on in a task, which has all that a fetch reads of the leader's task.
        private func goOn(_ work: @escaping @Sendable () async -> FlightResult) {
            FlightWait.$current.withValue(flight.wait) {
                locals.bind {
                    flight.task.attach(Task(executorPreference: flight.loop) { [flight] in flight.land(await work()) })
                }
            }
        }
    }
}
