// The way from any task to the fetch loop and back. An order is posted to the loop; cancelling the task posts its
// ticket's number; both find each other in whichever order they arrive, since the ticket remembers.
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

/// Fetches over HTTP/1.1 by libcurl, on one event loop.
///
/// Redirects are followed as the order permits, each target's address is checked on the socket itself, a head that two
/// readers could read differently is refused, and a failure that is worth it is tried once more. Proxies come from the
/// settings, never from the environment. `shutdown` before the loop is stopped.
public final class CurlUpstream: Upstream {
    private let loop: EventLoop
    let core: LoopBound<FetchCore>
    private let tickets = Atomic<UInt64>(0)
    /// Whether orders are taken. Held while one is posted, so that none is posted after the last post of `shutdown`.
    private let isOpen = Lock(true)

    /// The room of bodies that are held whole, also of those that others make of what was fetched.
    public let memory: BodyMemory

    /// Does nothing on the network until the first order.
    /// - Parameters:
    ///   - loop: need not run yet. It may serve others too.
    ///   - time: stamps requests and answers; timers are the loop's.
    public init(
        loop: EventLoop, settings: FetchSettings, log: Logger, counters: CounterRegistry,
        time: any TimeSource = SystemTime()
    ) {
        self.loop = loop
        let memory = BodyMemory(
            limit: settings.maxMemory, refusals: counters.cell(FetchCounters.memoryRefusals))
        self.memory = memory
        counters.gauge(FetchCounters.heldBytes) { Double(memory.held) }
        core = LoopBound(
            FetchCore(
                loop: loop, settings: settings, log: log.labelled("fetch"), cells: FetchCells(counters), memory: memory,
                time: time),
            on: loop)
    }

    /// Performs one exchange; the answer is whole, or there is none. Never throws for a status: a 500 is an answer.
    ///
    /// It sends one request, one more for each redirect followed, and one more where `mayRetry` allows a second try and
    /// the failure is worth it. A caller that counts calls reserves for these, or allows none.
    public func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
        try await perform { ticket, core, way, continuation in core.start(ticket, order, way: way, continuation) }
    }

    /// Has the loop start what it is given, and waits for its outcome.
    /// - Parameter abandoned: called where nothing is started.
    func perform<Answer: Sendable>(
        abandoned: () -> Void = {},
        _ start:
            @escaping @Sendable (
                FetchTicket, FetchCore, WayBack, CheckedContinuation<Result<Answer, FetchError>, Never>
            ) -> Void
    ) async throws(FetchError) -> Answer {
        let ticket = FetchTicket(id: tickets.wrappingAdd(1, ordering: .relaxed).newValue)
        let way = WayBack(loop: loop, core: core)
        let outcome: Result<Answer, FetchError> = await withTaskCancellationHandler {
            await handover { continuation in
                let taken = isOpen.withLock { isOpen in
                    if isOpen { way.post { start(ticket, $0, way, continuation) } }
                    return isOpen
                }
                if !taken {
                    abandoned()
                    continuation.resume(
                        returning: .failure(
                            FetchError(stage: .cancelled, origin: "", message: "The fetcher has been shut down.")))
                }
            }
        } onCancel: {
            ticket.cancel()
            way.post { $0.cancel(ticket.id) }
        }
        return try outcome.get()
    }

    /// Puts other settings in force; transfers under way keep theirs.
    public func apply(_ settings: FetchSettings) {
        isOpen.withLock { isOpen in
            if isOpen { loop.post { [core] in core.value.apply(settings) } }
        }
    }

    /// Ends every fetch as cancelled, closes every connection and frees what libcurl holds. The loop must run; nothing
    /// is left on it afterwards. A second call returns at once.
    public func shutdown() async {
        await handover { (done: CheckedContinuation<Void, Never>) in
            let wasOpen = isOpen.withLock { isOpen in
                defer { isOpen = false }
                if isOpen {
                    loop.post { [core] in
                        core.value.shutDown()
                        done.resume()
                    }
                }
                return isOpen
            }
            if !wasOpen { done.resume() }
        }
    }
}
