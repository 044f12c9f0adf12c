// The path of an order from any task to the loop that fetches it, and back. A fetch over plain http runs on the
// caller's own loop, so it changes no thread. All https fetches run on the home loop: kept connections, TLS sessions
// and certificates exist once, and the computation of a handshake delays no client. A provider with lowered limits also
// fetches on the home loop only (`FetchSettings.confined`). An order from another thread is posted to its loop.
// Cancelling the task posts the ticket's number. Order and cancellation may arrive in either order, because the ticket
// remembers.
import CCurl
import LarderCore
import LarderIO
import Synchronization

/// A fetch, as both the calling task and the loop know it.
final class FetchTicket: Sendable {
    let id: UInt64
    private let cancelled = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)

    init(id: UInt64) {
        self.id = id
    }

    /// Called before the cancellation is posted, so that an order which arrives after it is not started.
    /// - Returns: false if the outcome has come, so that there is nothing to cancel.
    @discardableResult
    func cancel() -> Bool {
        cancelled.store(true, ordering: .releasing)
        return !ended.load(ordering: .acquiring)
    }
    /// Called when the outcome has come.
    func end() { ended.store(true, ordering: .releasing) }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
}

/// Fetches over HTTP/1.1 with libcurl, on event loops.
///
/// The fetcher follows redirects as the order permits and checks each target's address on the socket itself. It refuses
/// a head that two readers could read differently, and retries a suitable failure once. Proxies come from the settings,
/// never from the environment. Call `shutdown` before the loops are stopped.
public final class CurlUpstream: Upstream {
    /// The version of the loaded libcurl, such as "7.88.1".
    public static let libraryVersion = String(cString: larder_curl_version())
    /// The TLS library that libcurl was built with, such as "OpenSSL/3.0.17".
    public static let tlsVersion = String(cString: larder_curl_tls_version())

    /// The route to the fetch state of each loop. The home loop comes first.
    let ways: [WayBack]
    private let places: SharedPlaces
    /// A proxy may be reached over TLS, so all fetches through a proxy run on the home loop.
    private let isProxied: Atomic<Bool>
    /// The providers whose fetches all run on the home loop.
    private let confined: Lock<Set<String>>
    private let tickets = Atomic<UInt64>(0)
    /// Whether orders are accepted. Locked while an order is posted, so that none is posted after the posts of
    /// `shutdown`.
    private let isOpen = Lock(true)

    /// The memory limit for bodies held whole, including bodies that other rooms make of fetched ones.
    public let memory: BodyMemory

    /// Makes a fetcher. It uses the network only when the first order comes.
    /// - Parameters:
    ///   - loop: the home loop. It need not run yet, and may serve other purposes too.
    ///   - clients: loops whose tasks fetch over plain http on their own loop.
    ///   - time: stamps requests and responses; the timers are the loop's.
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

    /// Makes on each loop what its first transfer would wait for.
    public func prepare() {
        for way in ways { way.post { $0.prepare() } }
    }

    func newTicket() -> FetchTicket { FetchTicket(id: tickets.wrappingAdd(1, ordering: .relaxed).newValue) }

    /// Whether orders are accepted. On a fetch loop this holds until the present turn ends.
    var isAccepting: Bool { isOpen.withLock { $0 } }

    /// The loop that performs an order.
    func way(for order: FetchOrder) -> WayBack {
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

    /// Performs one exchange and returns the whole response. Throws if no whole response came, never because of a
    /// status: a 500 is a response.
    ///
    /// The exchange sends one request, one more for each redirect followed, and one more if `mayRetry` allows a retry
    /// and the failure suits it. A caller that counts calls reserves calls for these, or disallows them.
    public func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
        try await perform(order) { ticket, core, continuation in core.begin(ticket, order, .whole(continuation)) }
    }

    /// Starts an order on its loop and waits for the outcome.
    /// - Parameter abandoned: called if nothing is started.
    func perform<Answer: Sendable>(
        _ order: FetchOrder, abandoned: () -> Void = {},
        _ start:
            @escaping @Sendable (
                FetchTicket, FetchCore, TaskContinuation<Result<Answer, FetchError>, Never>
            ) -> Void
    ) async throws(FetchError) -> Answer {
        let ticket = newTicket()
        let way = way(for: order)
        let outcome: Result<Answer, FetchError> = await handover { continuation in
            let isHere = way.loop.isCurrent
            let taken = isOpen.withLock { isOpen in
                if isOpen, !isHere { way.post { start(ticket, $0, continuation) } }
                return isOpen
            }
            if taken {
                // The turn that runs now ends before the loop performs what `shutdown` posts.
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

    /// Puts new settings in force. Transfers under way keep theirs.
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

    /// Ends every fetch as cancelled, closes every connection and frees what libcurl holds. The loops must be running,
    /// and nothing is left on them afterwards. A second call returns at once.
    public func shutdown() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        for way in ways {
            await handover { (done: TaskContinuation<Void, Never>) in
                way.post {
                    $0.shutDown()
                    done.resume()
                }
            }
        }
        // The places refer to the loops and the loops to the places: this breaks the reference cycle.
        places.connect([])
    }
}
