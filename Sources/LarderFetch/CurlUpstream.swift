// The way from any task to the loop that fetches for it, and back. A fetch over plain http runs on the asker's own loop, so
// that it changes no thread. All of https runs on the home loop: kept connections, TLS sessions and certificates are there once,
// and a handshake's arithmetic holds up no client. So does all of a provider that may have few connections only
// (`FetchSettings.confined`). An order from another thread is posted to its loop; cancelling the task
// posts its ticket's number; both find each other in whichever order they arrive, since the ticket remembers.
import CCurl
import LarderCore
import LarderIO
import Synchronization

/// A fetch as the asking task and the loop both know it.
final class FetchTicket: Sendable {
    let id: UInt64
    private let cancelled = Atomic<Bool>(false)

    init(id: UInt64) {
        self.id = id
    }

    /// Set before the cancelling is posted, so that an order which arrives after it is not begun.
    func cancel() { cancelled.store(true, ordering: .releasing) }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
}

/// Fetches over HTTP/1.1 by libcurl, on event loops.
///
/// Redirects are followed as the order permits, each target's address is checked on the socket itself, a head that two
/// readers could read differently is refused, and a failure that is worth it is tried once more. Proxies come from the
/// settings, never from the environment. `shutdown` before the loop is stopped.
public final class CurlUpstream: Upstream {
    /// That of libcurl as it was loaded, such as "7.88.1".
    public static let libraryVersion = String(cString: larder_curl_version())
    /// The TLS library that it was built with, such as "OpenSSL/3.0.17".
    public static let tlsVersion = String(cString: larder_curl_tls_version())

    /// How to reach what each loop owns; the home loop's comes first.
    let ways: [WayBack]
    private let places: SharedPlaces
    /// A proxy may be spoken to by TLS, so all that goes through one goes by the home loop.
    private let isProxied: Atomic<Bool>
    /// Providers whose connections are all kept on the home loop.
    private let confined: Lock<Set<String>>
    private let tickets = Atomic<UInt64>(0)
    /// Whether orders are taken. Held while one is posted, so that none is posted after the posts of `shutdown`.
    private let isOpen = Lock(true)

    /// The room of bodies that are held whole, also of those that others make of what was fetched.
    public let memory: BodyMemory

    /// Does nothing on the network until the first order.
    /// - Parameters:
    ///   - loop: the home loop. It need not run yet, and may serve others too.
    ///   - clients: loops whose tasks fetch over plain http on their own.
    ///   - time: stamps requests and answers; timers are the loop's.
    public init(
        loop: EventLoop, clients: [EventLoop] = [], settings: FetchSettings, log: Logger, counters: CounterRegistry,
        time: any TimeSource = SystemTime()
    ) {
        let memory = BodyMemory(
            limit: settings.maxMemory, refusals: counters.cell(FetchCounters.memoryRefusals))
        self.memory = memory
        counters.gauge(FetchCounters.heldBytes) { Double(memory.held) }
        isProxied = Atomic(settings.proxy?.isEmpty == false)
        confined = Lock(settings.confined)
        let cells = FetchCells(counters)
        let places = SharedPlaces(settings, cells: cells)
        self.places = places
        ways = ([loop] + clients).enumerated().map { number, loop in
            WayBack(
                loop: loop,
                core: LoopBound(
                    FetchCore(
                        loop: loop, number: number, sharers: number == FetchCore.home ? 1 : clients.count,
                        settings: settings, log: log.labelled("fetch"), cells: cells,
                        places: places, memory: memory, time: time),
                    on: loop))
        }
        places.connect(ways)
    }

    /// Where an order is performed.
    private func way(for order: FetchOrder) -> WayBack {
        let home = ways[FetchCore.home]
        guard let here = EventLoop.current, here !== home.loop, FetchURL.isPlain(order.url),
            !isProxied.load(ordering: .relaxed), !isConfined(order.provider)
        else { return home }
        return ways.first { $0.loop === here } ?? home
    }

    private func isConfined(_ provider: String?) -> Bool {
        guard let provider else { return false }
        return confined.withLock { $0.contains(provider) }
    }

    /// Performs one exchange; the answer is whole, or there is none. Never throws for a status: a 500 is an answer.
    ///
    /// It sends one request, one more for each redirect followed, and one more where `mayRetry` allows a second try and
    /// the failure is worth it. A caller that counts calls reserves for these, or allows none.
    public func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
        try await perform(order) { ticket, core, continuation in core.start(ticket, order, continuation) }
    }

    /// Has the loop start what it is given, and waits for its outcome.
    /// - Parameter abandoned: called where nothing is started.
    func perform<Answer: Sendable>(
        _ order: FetchOrder, abandoned: () -> Void = {},
        _ start:
            @escaping @Sendable (
                FetchTicket, FetchCore, CheckedContinuation<Result<Answer, FetchError>, Never>
            ) -> Void
    ) async throws(FetchError) -> Answer {
        let ticket = FetchTicket(id: tickets.wrappingAdd(1, ordering: .relaxed).newValue)
        let way = way(for: order)
        let outcome: Result<Answer, FetchError> = await handover { continuation in
            let isHere = way.loop.isCurrent
            let taken = isOpen.withLock { isOpen in
                if isOpen, !isHere { way.post { start(ticket, $0, continuation) } }
                return isOpen
            }
            if taken {
                // What `shutdown` posts comes after this turn.
                if isHere { way.go { start(ticket, $0, continuation) } }
            } else {
                abandoned()
                continuation.resume(
                    returning: .failure(
                        FetchError(stage: .cancelled, origin: "", message: "The fetcher has been shut down.")))
            }
        } onCancel: {
            ticket.cancel()
            way.post { $0.cancel(ticket.id) }
        }
        return try outcome.get()
    }

    /// Puts other settings in force; transfers under way keep theirs.
    public func apply(_ settings: FetchSettings) {
        isProxied.store(settings.proxy?.isEmpty == false, ordering: .relaxed)
        let confined = settings.confined
        self.confined.withLock { $0 = confined }
        memory.setLimit(settings.maxMemory)
        places.step { $0.apply(settings) }
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            for way in ways { way.post { $0.apply(settings) } }
        }
    }

    /// Ends every fetch as cancelled, closes every connection and frees what libcurl holds. The loops must run; nothing
    /// is left on them afterwards. A second call returns at once.
    public func shutdown() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        for way in ways {
            await handover { (done: CheckedContinuation<Void, Never>) in
                way.post {
                    $0.shutDown()
                    done.resume()
                }
            }
        }
        // The places lead to the loops and the loops to the places.
        places.connect([])
    }
}
