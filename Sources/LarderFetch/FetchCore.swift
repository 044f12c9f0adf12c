// The fetch state of one loop: its exchanges under way and its libcurl multi handle. The places are shared with the
// other loops (`SharedPlaces`). Every entry point advances one exchange by a step and then performs the pending actions
// of the place table. An exchange waits for its place, asks its caller whether it may be sent, and is sent. Its
// deadline starts when it is sent.
import CCurl
import LarderCore
import LarderIO

/// Confined to its loop; reached through a `LoopBound`.
final class FetchCore {
    let loop: EventLoop
    private let log: Logger
    let time: any TimeSource
    let cells: FetchCells
    private(set) var settings: FetchSettings
    let places: SharedPlaces
    /// The number of this loop among the fetch loops.
    let number: Int
    /// The number of loops that share the limit on kept connections (`FetchSettings.mostKept`).
    private let sharers: Int
    private(set) var exchanges: [UInt64: Exchange] = Dictionary(minimumCapacity: 8)
    private(set) var multi: CurlMulti?
    var dials: [UInt64: Dial] = [:]
    /// The route by which results from elsewhere come back to this loop.
    var way: WayBack? { places.way(to: number) }
    private(set) var isShut = false
    let sockets = OpenSockets()
    private var origins = KnownOrigins()
    let memory: BodyMemory

    init(
        loop: EventLoop, number: Int, sharers: Int, settings: FetchSettings, log: Logger, cells: FetchCells,
        places: SharedPlaces, memory: BodyMemory, time: any TimeSource
    ) {
        self.loop = loop
        self.settings = settings
        self.log = log
        self.cells = cells
        self.memory = memory
        self.time = time
        self.places = places
        self.number = number
        self.sharers = max(1, sharers)
    }

    // MARK: Entry points

    func start(
        _ ticket: FetchTicket, _ order: FetchOrder, upload: Upload?, stall: Duration?,
        _ done: @escaping @Sendable (Result<UpstreamStream, FetchError>) -> Void
    ) {
        var order = order
        var feed: UploadFeed?
        if let upload {
            // An empty upload needs no feed. Content of a HEAD request has no meaning and is dropped (RFC 9110 §9.3.2).
            if upload.length == 0 || order.method == .head {
                order.body = order.method == .head ? nil : []
                upload.reader.abandon()
            } else {
                let (id, way) = (ticket.id, way)
                feed = UploadFeed(upload) { result in way?.post { $0.took(id, result) } }
            }
        }
        begin(ticket, order, .stream(done), stall: stall, feed: feed)
    }

    func begin(
        _ ticket: FetchTicket, _ order: FetchOrder, _ asker: Asker, stall: Duration? = nil, feed: UploadFeed? = nil
    ) {
        func refuse(_ stage: FetchError.Stage, _ message: String) {
            cells.count(failure: stage)
            feed?.abandon()
            var error = FetchError(stage: stage, origin: "", message: message)
            error.isUnsent = true
            switch asker {
            case .whole(let continuation): continuation.resume(returning: .failure(error))
            case .stream(let done): done(.failure(error))
            }
        }
        guard !isShut else { return refuse(.cancelled, "The fetcher has been shut down.") }
        guard !ticket.isCancelled else { return refuse(.cancelled, "Nobody waits for it any more.") }
        guard order.deadline > .zero else { return refuse(.timedOut, "No time was given for an answer.") }
        let url: FetchURL
        do {
            url = try origins.read(order.url)
        } catch {
            return refuse(.forbidden, error.message)
        }
        var hop = Hop(
            url: url, method: order.method, fields: order.fields, secretFields: order.secretFields, body: order.body,
            addresses: order.addresses)
        hop.caFile = settings.caFile(for: order, at: url)
        hop.target = order.target
        if !order.secretQuery.items.isEmpty { hop.secretQuery = order.secretQuery.encoded }
        let exchange = Exchange(
            id: ticket.id, order: order, hop: hop, deadline: loop.monotonic + order.deadline, asker: asker,
            stall: stall, feed: feed)
        exchanges[exchange.id] = exchange
        if let feed, feed.isShort { gather(exchange, feed) } else { ask(exchange) }
        pump()
    }

    func watchDeadline(_ exchange: Exchange, at deadline: MonotonicTime) {
        // The timers of an exchange are cancelled when it ends, so they may hold it. A weak reference would make each of its
        // reference counts slower.
        exchange.deadlineTimer = loop.schedule(at: deadline) { [self] in
            exchange.deadlineTimer = nil
            // Time spent forwarding the request's body, or waiting for it, does not count against the response.
            if let feed = exchange.feed, case .transferring(let transfer) = exchange.phase {
                let start = feed.waitsForReader ? loop.monotonic : transfer.touched
                if feed.wasAsked, start + exchange.order.deadline > loop.monotonic {
                    return watchDeadline(exchange, at: start + exchange.order.deadline)
                }
            }
            let what = exchange.isStream ? "answer" : "whole answer"
            finish(
                exchange,
                exchange.fault(
                    .timedOut, "No \(what) came within \(Units.format(duration: exchange.order.deadline))."))
            pump()
        }
    }

    func cancel(_ id: UInt64) {
        if dials[id] != nil { return hangUp(id) }
        guard let exchange = exchanges[id] else {
            // The exchange may have moved to the home loop.
            if number != Self.home { places.post(to: Self.home) { $0.cancel(id) } }
            return
        }
        finish(exchange, exchange.fault(.cancelled, "Nobody waits for it any more."))
        pump()
    }

    func apply(_ settings: FetchSettings) {
        self.settings = settings
        multi?.keep(settings.mostKept(sharers: sharers))
        pump()
    }

    func shutDown() {
        isShut = true
        for exchange in Array(exchanges.values) {
            finish(exchange, exchange.fault(.cancelled, "The fetcher has been shut down."))
        }
        for id in Array(dials.keys) { hangUp(id) }
        multi?.close()
        multi = nil
    }

    // MARK: Moving

    /// The number of the home loop, which performs all https transfers.
    static let home = 0

    /// Continues an exchange on the home loop, because a redirect leads to https. The exchange keeps its place and the
    /// rest of its time.
    private func moveHome(_ exchange: Exchange) {
        exchanges[exchange.id] = nil
        exchange.cancelTimers(on: loop)
        // The exchange's transfer is closed and its timers are cancelled. Only closures that do nothing more with it refer
        // to it on this loop. From here on it is confined to the home loop.
        nonisolated(unsafe) let moved = exchange
        places.post(to: Self.home) { $0.arrive(moved) }
    }

    private func arrive(_ exchange: Exchange) {
        exchanges[exchange.id] = exchange
        guard !isShut else {
            return finish(exchange, exchange.fault(.cancelled, "The fetcher has been shut down."))
        }
        watchDeadline(exchange, at: exchange.deadline)
        launch(exchange)
        pump()
    }

    // MARK: Steps

    /// Sends the first request and starts the deadline.
    func send(_ exchange: Exchange) {
        exchange.tell(isWaiting: false, at: loop.monotonic)
        exchange.queueTimer.map(loop.cancel)
        exchange.queueTimer = nil
        exchange.deadline = loop.monotonic + exchange.order.deadline
        watchDeadline(exchange, at: exchange.deadline)
        launch(exchange)
    }

    /// Starts the transfer of the current hop.
    private func launch(_ exchange: Exchange) {
        do throws(FetchError) {
            let rest = exchange.deadline - loop.monotonic
            let multi = try readyMulti(for: exchange.hop.url.origin)
            let transfer = try CurlTransfer(
                exchange.hop,
                TransferLimits(
                    maxBody: exchange.order.maxBody, maxSends: exchange.maxSends,
                    connectTimeout: min(settings.connectTimeout, rest),
                    window: exchange.isStream ? settings.streamWindow : nil),
                settings: settings, feed: exchange.feed,
                in: context(multi))
            exchange.phase = .transferring(transfer)
            try multi.add(
                transfer,
                // The handle forgets both when the transfer has ended or is removed.
                attend: { [self] in
                    attend(exchange, transfer)
                    pump()
                },
                ended: { [self] end in
                    // The exchange may have been cut while the ends of other transfers were reported.
                    guard case .transferring(let current) = exchange.phase, current === transfer else { return }
                    ended(exchange, transfer, end)
                    pump()
                })
        } catch {
            exchange.phase = .idle
            finish(exchange, error)
        }
    }

    func readyMulti(for origin: Origin) throws(FetchError) -> CurlMulti {
        prepare()
        if let multi { return multi }
        throw CurlError.error(CURLE_FAILED_INIT, origin: origin.description)
    }

    /// Makes what the first transfer would wait for. Without memory for it, the next transfer tries again.
    func prepare() {
        if multi != nil || isShut { return }
        multi = CurlMulti(loop: loop, maxConnections: settings.mostKept(sharers: sharers), log: log)
    }

    /// Handles a transfer that has ended by itself.
    private func ended(_ exchange: Exchange, _ transfer: CurlTransfer, _ end: TransferEnd) {
        leave(exchange, transfer)
        if exchange.isAnswered {
            switch end {
            case .answered: finish(exchange, nil)
            case .failed(let error, _): finish(exchange, error)
            }
            return
        }
        if let verdict = exchange.verdict.take() { return proceed(exchange, verdict) }
        switch end {
        case .answered(let response):
            let verdict = judge(exchange, response)
            guard case .answer = verdict else { return proceed(exchange, verdict) }
            if exchange.isStream {
                guard let tape = transfer.tape, let head = transfer.finalHead else {
                    preconditionFailure("an answer without a head")
                }
                tape.finish()
                finish(exchange, nil)
                exchange.resume(UpstreamStream(head: head, body: tape, cancel: {}))
            } else {
                finish(exchange, nil)
                exchange.resume(response)
            }
        case .failed where transfer.metUnaskedInput && !exchange.hop.needsFreshConnection:
            // Nothing was sent, so this does not count as a retry.
            cells.unfitConnections.add()
            exchange.hop.needsFreshConnection = true
            launch(exchange)
        case .failed(let error, let sawAnswer):
            let pause = RetryPolicy.afterFailure(
                error, sawAnswer: sawAnswer, attempt(exchange), chance: .random(in: 0..<1))
            if let pause { return retry(exchange, after: pause) }
            finish(exchange, error)
        }
    }

    /// Detaches an ended transfer from its exchange and adds up its counts.
    private func leave(_ exchange: Exchange, _ transfer: CurlTransfer) {
        exchange.phase = .idle
        exchange.sends += transfer.sends
        exchange.interimTold = 0
        cells.count(transfer, of: exchange.order)
        let resent = max(0, transfer.sends - 1)
        exchange.retries += resent
        cells.retries.add(resent)
    }

    /// Decides what a response leads to. Called once for each response.
    private func judge(_ exchange: Exchange, _ response: UpstreamResponse, resent: Int = 0) -> Verdict {
        do throws(FetchError) {
            if let next = try exchange.next(after: response) { return .redirect(next) }
        } catch {
            return .failed(error)
        }
        guard exchange.order.retriesAnswers else { return .answer }
        let pause = RetryPolicy.afterAnswer(
            response, attempt(exchange, resent: resent), chance: .random(in: 0..<1))
        return pause.map { .retry($0) } ?? .answer
    }

    private func attempt(_ exchange: Exchange, resent: Int = 0) -> RetryPolicy.Attempt {
        RetryPolicy.Attempt(
            method: exchange.hop.method, mayRetry: exchange.mayRetry, tries: exchange.retries + resent + 1,
            rest: exchange.deadline - loop.monotonic)
    }

    private func proceed(_ exchange: Exchange, _ verdict: Verdict) {
        switch verdict {
        case .answer: break
        case .redirect(let hop):
            exchange.follow(settings.vouched(hop, of: exchange.order))
            cells.redirects.add()
            if number != Self.home, hop.url.origin.isSecure { moveHome(exchange) } else { launch(exchange) }
        case .retry(let pause): retry(exchange, after: pause)
        case .failed(let error): finish(exchange, error)
        }
    }

    /// Looks at a transfer under way: its final head is complete, an interim response has come, the tape is full, the
    /// request's body is held back, or the response is complete early.
    func attend(_ exchange: Exchange, _ transfer: CurlTransfer) {
        attendFeed(exchange, transfer)
        tellInterim(exchange, transfer)
        if transfer.restsReceiving { rests(exchange) }
        guard exchange.isStream, !exchange.isAnswered, exchange.verdict == nil, let head = transfer.finalHead,
            let tape = transfer.tape
        else { return }
        let verdict = judge(exchange, transfer.answer(), resent: max(0, transfer.sends - 1))
        guard case .answer = verdict else {
            // Nobody will see the rest of this response. If it is short it is read, so that the connection can be kept.
            if transfer.endsSoon { return exchange.verdict = verdict }
            multi?.remove(transfer)
            leave(exchange, transfer)
            return proceed(exchange, verdict)
        }
        exchange.deadlineTimer.map(loop.cancel)
        exchange.deadlineTimer = nil
        (exchange.tape, exchange.stall) = (tape, head.isEventStream ? nil : exchange.stall)
        watchStall(exchange, transfer, at: loop.monotonic + exchange.nextLook)
        let (id, way) = (exchange.id, way)
        tape.on(
            BodyTape.Callbacks(
                room: { way?.post { $0.gotRoom(id) } }, deserted: { way?.post { $0.desert(id) } }))
        var stream = UpstreamStream(head: head, body: tape, cancel: { way?.post { $0.cancel(id) } })
        stream.becamePaced = { way?.post { $0.becamePaced(id) } }
        if !comesWhole(head), exchange.order.isPacedByClient(head) { becamePaced(exchange, transfer) }
        exchange.resume(stream)
    }

    private func retry(_ exchange: Exchange, after pause: Duration) {
        exchange.retries += 1
        cells.retries.add()
        exchange.hop.needsFreshConnection = true  // What one kept connection met, the others may meet.
        let timer = loop.schedule(at: loop.monotonic + pause) { [self] in
            exchange.phase = .idle
            launch(exchange)
            pump()
        }
        exchange.phase = .pausing(timer)
    }

    /// Ends an exchange in any phase. A failure is delivered to the caller, or to the tape if the caller already has
    /// it. On success the caller of this method delivers the response; only a tape that was handed out is finished
    /// here.
    func finish(_ exchange: Exchange, _ failure: FetchError?) {
        guard exchanges.removeValue(forKey: exchange.id) != nil else { return }
        exchange.cancelTimers(on: loop)
        switch exchange.phase {
        case .idle, .reserving: break
        case .gathering: places.step { $0.endGathering() }
        case .waiting: places.step { [id = exchange.id] in $0.withdraw(id) }
        case .pausing(let timer): loop.cancel(timer)
        case .transferring(let transfer):
            transfer.readUse(isCut: true)
            multi?.remove(transfer)
            exchange.sends += transfer.sends
            cells.count(transfer, of: exchange.order)
        }
        exchange.phase = .idle
        exchange.tell(isWaiting: false, at: loop.monotonic)
        releasePlace(of: exchange)
        exchange.feed?.abandon()
        var failure = failure
        failure?.isUnsent = exchange.sends == 0
        if let failure {
            cells.count(failure: failure.stage)
            log.debug(
                "fetch failed", ["origin": failure.origin, "stage": failure.stage.rawValue, "why": failure.message])
        } else {
            cells.answered.add()
        }
        if let failure { exchange.fail(failure) } else { exchange.tape?.finish() }
        exchange.tape = nil
    }
}
