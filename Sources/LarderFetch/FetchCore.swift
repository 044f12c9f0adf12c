// What the fetch loop owns: exchanges under way, the slots they hold, libcurl. Every entry point moves one exchange a
// step and then lets those that wait take the slots that came free.
import CCurl
import LarderCore
import LarderIO

/// Confined to its loop; reached through a `LoopBound`.
final class FetchCore {
    private let loop: EventLoop
    private let log: Logger
    private let time: any TimeSource
    private let cells: FetchCells
    private var settings: FetchSettings
    private var admission: Admission
    private var exchanges: [UInt64: Exchange] = [:]
    private var multi: CurlMulti?
    private var isShut = false

    init(loop: EventLoop, settings: FetchSettings, log: Logger, cells: FetchCells, time: any TimeSource) {
        self.loop = loop
        self.settings = settings
        self.log = log
        self.cells = cells
        self.time = time
        admission = Admission(
            maxActive: settings.maxTransfers, maxPerOrigin: settings.maxConnectionsPerHost,
            maxWaiting: settings.maxWaiting)
    }

    // MARK: Entry points

    func start(
        _ ticket: FetchTicket, _ order: FetchOrder,
        _ continuation: CheckedContinuation<Result<UpstreamResponse, FetchError>, Never>
    ) {
        func refuse(_ stage: FetchError.Stage, _ message: String) {
            cells.count(failure: stage)
            continuation.resume(returning: .failure(FetchError(stage: stage, origin: "", message: message)))
        }
        guard !isShut else { return refuse(.cancelled, "The fetcher has been shut down.") }
        guard !ticket.isCancelled else { return refuse(.cancelled, "Nobody waits for it any more.") }
        guard order.deadline > .zero else { return refuse(.timedOut, "No time was given for an answer.") }
        let url: FetchURL
        do {
            url = try FetchURL(order.url)
        } catch {
            return refuse(.forbidden, error.message)
        }
        let hop = Hop(
            url: url, method: order.method, fields: order.fields, secretFields: order.secretFields, body: order.body,
            addresses: order.addresses)
        let exchange = Exchange(
            id: ticket.id, order: order, hop: hop, deadline: loop.monotonic + order.deadline,
            continuation: continuation)
        exchanges[exchange.id] = exchange
        exchange.deadlineTimer = loop.schedule(at: exchange.deadline) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
            exchange.deadlineTimer = nil
            finish(
                exchange,
                .failure(
                    exchange.fault(
                        .timedOut, "No whole answer came within \(Units.format(duration: order.deadline)).")))
            pump()
        }
        ask(exchange, isUnderWay: false)
        pump()
    }

    func cancel(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        finish(exchange, .failure(exchange.fault(.cancelled, "Nobody waits for it any more.")))
        pump()
    }

    func apply(_ settings: FetchSettings) {
        self.settings = settings
        admission.maxActive = settings.maxTransfers
        admission.maxPerOrigin = settings.maxConnectionsPerHost
        admission.maxWaiting = settings.maxWaiting
        pump()
    }

    func shutDown() {
        isShut = true
        for exchange in Array(exchanges.values) {
            finish(exchange, .failure(exchange.fault(.cancelled, "The fetcher has been shut down.")))
        }
        multi?.close()
        multi = nil
        showLoad()
    }

    // MARK: Steps

    private func ask(_ exchange: Exchange, isUnderWay: Bool) {
        switch admission.ask(exchange.id, origin: exchange.hop.url.origin, isUnderWay: isUnderWay) {
        case .granted: launch(exchange)
        case .waits: exchange.phase = .waiting
        case .refused:
            finish(exchange, .failure(exchange.fault(.overloaded, "Too many fetches are waiting already.")))
        }
    }

    /// Starts the transfer of the present hop, whose slot is taken.
    private func launch(_ exchange: Exchange) {
        do throws(FetchError) {
            let rest = exchange.deadline - loop.monotonic
            let multi = try readyMulti(exchange)
            let transfer = try CurlTransfer(
                exchange.hop, maxBody: exchange.order.maxBody, maxSends: exchange.maxSends,
                connectTimeout: min(settings.connectTimeout, rest), settings: settings, share: multi.share, time: time)
            exchange.phase = .transferring(transfer)
            try multi.add(transfer) { [weak self, weak exchange] end in
                guard let self, let exchange else { return }
                ended(exchange, transfer, end)
                pump()
            }
        } catch {
            exchange.phase = .idle
            admission.release(exchange.hop.url.origin)
            finish(exchange, .failure(error))
        }
    }

    private func readyMulti(_ exchange: Exchange) throws(FetchError) -> CurlMulti {
        if let multi { return multi }
        guard let made = CurlMulti(loop: loop, maxConnections: max(16, settings.maxTransfers), log: log) else {
            throw CurlError.error(CURLE_FAILED_INIT, origin: exchange.hop.url.origin.description)
        }
        multi = made
        return made
    }

    /// A transfer came to its end by itself.
    private func ended(_ exchange: Exchange, _ transfer: CurlTransfer, _ end: TransferEnd) {
        exchange.phase = .idle
        admission.release(transfer.hop.url.origin)
        count(transfer)
        let resent = max(0, transfer.sends - 1)
        exchange.retries += resent
        cells.retries.add(resent)
        let decision: RetryDecision
        switch end {
        case .answered(let response):
            do throws(FetchError) {
                if let next = try exchange.next(after: response) {
                    exchange.hop = next
                    exchange.redirects += 1
                    cells.redirects.add()
                    return ask(exchange, isUnderWay: true)
                }
            } catch {
                return finish(exchange, .failure(error))
            }
            decision = RetryPolicy.afterAnswer(
                response, method: exchange.hop.method, mayRetry: exchange.order.mayRetry, tries: exchange.retries + 1,
                rest: exchange.deadline - loop.monotonic, chance: .random(in: 0..<1))
            if decision == .giveUp { finish(exchange, .success(response)) }
        case .failed(let error, let sawAnswer):
            decision = RetryPolicy.afterFailure(
                error, sawAnswer: sawAnswer, method: exchange.hop.method, mayRetry: exchange.order.mayRetry,
                tries: exchange.retries + 1, rest: exchange.deadline - loop.monotonic, chance: .random(in: 0..<1))
            if decision == .giveUp { finish(exchange, .failure(error)) }
        }
        if case .after(let pause) = decision { retry(exchange, after: pause) }
    }

    private func retry(_ exchange: Exchange, after pause: Duration) {
        exchange.retries += 1
        cells.retries.add()
        let timer = loop.schedule(at: loop.monotonic + pause) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
            exchange.phase = .idle
            ask(exchange, isUnderWay: true)
            pump()
        }
        exchange.phase = .pausing(timer)
    }

    /// Ends an exchange, whatever it is at. The one place where an outcome is given.
    private func finish(_ exchange: Exchange, _ outcome: Result<UpstreamResponse, FetchError>) {
        guard exchanges.removeValue(forKey: exchange.id) != nil else { return }
        exchange.deadlineTimer.map(loop.cancel)
        exchange.deadlineTimer = nil
        switch exchange.phase {
        case .idle: break
        case .waiting: admission.withdraw(exchange.id)
        case .pausing(let timer): loop.cancel(timer)
        case .transferring(let transfer):
            multi?.remove(transfer)
            admission.release(transfer.hop.url.origin)
            count(transfer)
        }
        exchange.phase = .idle
        switch outcome {
        case .success: cells.answered.add()
        case .failure(let error):
            cells.count(failure: error.stage)
            log.debug("fetch failed", ["origin": error.origin, "stage": error.stage.rawValue, "why": error.message])
        }
        showLoad()
        exchange.resume(outcome)
    }

    /// Lets those that wait take the slots that are free.
    private func pump() {
        while !isShut, let id = admission.next() {
            guard let exchange = exchanges[id] else {
                preconditionFailure("a fetch waits that has ended")
            }
            launch(exchange)
        }
        showLoad()
    }

    private func count(_ transfer: CurlTransfer) {
        guard transfer.sends > 0 else { return }
        let fresh = min(transfer.sends, transfer.connectionsMade)
        cells.receivedBytes.add(transfer.received)
        cells.newConnections.add(fresh)
        cells.keptConnections.add(transfer.sends - fresh)
    }

    private func showLoad() {
        cells.active.set(admission.active)
        cells.waiting.set(admission.waiting)
    }
}

/// The counters, found once.
struct FetchCells: Sendable {
    let answered, retries, redirects, receivedBytes, newConnections, keptConnections, active, waiting: CounterCell
    private let failures: [FetchError.Stage: CounterCell]

    init(_ registry: CounterRegistry) {
        answered = registry.cell(FetchCounters.fetches, "answered")
        failures = Dictionary(
            uniqueKeysWithValues: FetchError.Stage.allCases.map {
                ($0, registry.cell(FetchCounters.fetches, $0.rawValue))
            })
        newConnections = registry.cell(FetchCounters.requests, "new")
        keptConnections = registry.cell(FetchCounters.requests, "kept")
        retries = registry.cell(FetchCounters.retries)
        redirects = registry.cell(FetchCounters.redirects)
        receivedBytes = registry.cell(FetchCounters.receivedBytes)
        active = registry.cell(FetchCounters.active)
        waiting = registry.cell(FetchCounters.waiting)
    }

    func count(failure stage: FetchError.Stage) {
        failures[stage]?.add()
    }
}
