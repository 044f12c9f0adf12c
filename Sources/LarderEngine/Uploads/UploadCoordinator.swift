// Every upload there is, under way or remembered: an actor on the home loop, so that each
// machine has one owner. It performs what the machines say and knows nothing of HTTP.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings

/// What there is to tell of one upload.
public struct UploadReport: Sendable {
    var id: String
    /// Who takes it.
    public var provider: String
    /// What was said of its file when it was begun.
    public var fields: UploadFields
    /// How it stands.
    public var machine: UploadMachine
    var createdAt: WallTime
    var endedAt: WallTime?
    var image: UploadedImage?
    /// The failure as who asks is told of it.
    public var problem: ClientFacingError?
}

/// The one owner of uploads. An actor on the home loop.
public actor UploadCoordinator {
    private struct Entry {
        let createdAt: WallTime
        let provider: String
        let fields: UploadFields
        let feed: EventFeed
        var machine = UploadMachine()
        var content: (any RestingBodyReader)?
        var task: Task<Void, Never>?
        var image: UploadedImage?
        var problem: ClientFacingError?
        var endedAt: WallTime?
        /// Ends a wait for content, or a pause.
        var timer: TimerToken?
        /// Who would hand bytes on, while it is paused.
        var gate: [CheckedContinuation<Void, Never>] = []
        /// Who waits for its end.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var reportedAt: MonotonicTime = MonotonicTime(nanoseconds: 0)
    }

    /// Between two events that tell of progress alone.
    private static let progressPause = Duration.milliseconds(100)
    /// Events that a late listener still gets, beside the present state.
    private static let keptEvents = 16

    nonisolated let loop: EventLoop
    /// The home loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let executor: LoopSerialExecutor

    private let time: any TimeSource
    private let streams: EventStreams
    private let counters: CounterRegistry
    private var entries: [String: Entry] = [:]

    /// Without any upload.
    public init(loop: EventLoop, time: any TimeSource, streams: EventStreams, counters: CounterRegistry) {
        self.loop = loop
        executor = LoopSerialExecutor(loop)
        self.time = time
        self.streams = streams
        self.counters = counters
    }

    // MARK: The table

    /// A new upload to that provider, which waits for its content; its id is nobody's to guess.
    /// - Throws: 503 where as many are under way or remembered as the settings allow.
    public func create(
        _ fields: UploadFields, of provider: String, _ settings: UploadSettings
    ) throws(ClientFacingError) -> String {
        let now = time.wall()
        let old = entries.filter { $0.value.endedAt.map { now - $0 >= settings.keep } ?? false }
        for id in old.keys { entries[id] = nil }
        if entries.count >= settings.maxEntries {
            let ended = entries.filter { $0.value.endedAt != nil }
            guard let oldest = ended.min(by: { ($0.value.endedAt ?? now) < ($1.value.endedAt ?? now) }) else {
                counters.cell(UploadCounters.refused, "tooMany").add()
                throw ClientFacingError(
                    status: 503, code: FailureClass.overloaded.rawValue,
                    detail: "As many uploads are under way as uploads.maxEntries permits.", retryable: true,
                    retryAfter: 30)
            }
            entries[oldest.key] = nil
        }
        let id = Base64URL.encode(LarderCore.Secrets.random(16))
        entries[id] = Entry(
            createdAt: now, provider: provider, fields: fields,
            feed: EventFeed("upload", streams: streams, keeping: Self.keptEvents))
        arm(id, after: settings.keep, .neverBegun)
        showLoad()
        return id
    }

    /// How that upload stands; nil where there is none.
    public func report(_ id: String) -> UploadReport? {
        entries[id].map { entry in
            UploadReport(
                id: id, provider: entry.provider, fields: entry.fields, machine: entry.machine,
                createdAt: entry.createdAt, endedAt: entry.endedAt, image: entry.image, problem: entry.problem)
        }
    }

    /// What happens to it; nil where there is none.
    public func feed(_ id: String) -> EventFeed? { entries[id]?.feed }

    /// The id of a picture of that provider whose upload is remembered, by what names it for its removal.
    public func imageID(removal: String, of provider: String) -> String? {
        entries.values.first { $0.provider == provider && $0.image?.removal == removal }?.image?.id
    }

    // MARK: What happens

    /// The content has arrived and is handed on by `work`, in a task that belongs to no connection.
    /// - Throws: 409 where the upload has its content already, 503 where too many are under way.
    public func begin(
        _ id: String, content: any BodyReader, total: Int64?, _ settings: UploadSettings,
        _ work: @escaping @Sendable () async -> Void
    ) throws(ClientFacingError) {
        guard let state = entries[id]?.machine.state else { throw Self.unknown }
        guard state == .waiting else { throw Self.conflict(state, "take content") }
        guard underWay < settings.atOnce else {
            counters.cell(UploadCounters.refused, "atOnce").add()
            throw ClientFacingError(
                status: 503, code: FailureClass.overloaded.rawValue,
                detail: "As many uploads are under way at once as uploads.atOnce permits.", retryable: true,
                retryAfter: 10)
        }
        entries[id]?.content = content as? any RestingBodyReader
        take(id, .contentArrived(total: total))
        entries[id]?.task = Task(executorPreference: loop) { await work() }
    }

    /// A person's command.
    /// - Throws: 404, or 409 where the upload's state does not allow it.
    public func command(_ id: String, _ input: UploadMachine.Input, _ settings: UploadSettings)
        throws(ClientFacingError)
    {
        guard let state = entries[id]?.machine.state else { throw Self.unknown }
        guard take(id, input) else {
            let what = if case .pause = input { "be paused" } else if case .resume = input { "go on" } else { "end" }
            throw Self.conflict(state, what)
        }
        if case .pause = input, state != .paused { arm(id, after: settings.maxPause, .pausedTooLong) }
    }

    /// So many bytes are about to be handed on. Waits while it is paused.
    /// - Throws: where it has ended.
    func pass(_ id: String, _ count: Int) async throws(BodyFailure) {
        while entries[id]?.machine.state == .paused {
            await handover { waiter in
                // It may have gone on, or be forgotten, on the way here.
                if entries[id]?.machine.state == .paused { entries[id]?.gate.append(waiter) } else { waiter.resume() }
            }
        }
        guard let machine = entries[id]?.machine, !machine.state.isEnd else {
            throw BodyFailure("The upload has ended.")
        }
        take(id, .bytesSent(count))
        counters.cell(UploadCounters.bytes).add(count)
        guard let last = entries[id]?.reportedAt, loop.monotonic - last >= Self.progressPause else { return }
        tell(id, "progress")
    }

    /// All of the content was handed on.
    func contentEnded(_ id: String) { take(id, .contentEnded) }

    /// Who sends the content has left.
    public nonisolated func clientLost(_ id: String) {
        loop.post { [weak self] in
            self?.assumeIsolated {
                $0.fail(
                    id, .clientLost,
                    ClientFacingError(
                        status: 400, code: UploadFailure.clientLost.rawValue,
                        detail: "The connection that brought the content ended before all of it was there."))
            }
        }
    }

    func finish(_ id: String, _ image: UploadedImage) {
        guard entries[id]?.machine.state.isEnd == false else { return }
        entries[id]?.image = image
        take(id, .upstreamAnswered)
    }

    func fail(_ id: String, _ failure: UploadFailure, _ problem: ClientFacingError) {
        guard let machine = entries[id]?.machine, !machine.state.isEnd else { return }
        if failure == .clientLost, machine.isAllSent { return }
        entries[id]?.problem = problem
        take(id, .failed(failure))
    }

    /// Waits for the end. Cancelling the waiting task ends the wait no sooner: whoever cancels tells the coordinator as well.
    public func end(_ id: String) async -> UploadReport? {
        while entries[id]?.machine.state.isEnd == false {
            await handover { waiter in
                // It may have ended, or be forgotten, on the way here.
                if entries[id]?.machine.state.isEnd == false {
                    entries[id]?.waiters.append(waiter)
                } else {
                    waiter.resume()
                }
            }
        }
        return report(id)
    }

    // MARK: The machine's word

    /// Whether the input was allowed.
    @discardableResult
    private func take(_ id: String, _ input: UploadMachine.Input) -> Bool {
        guard let before = entries[id]?.machine.state, let actions = entries[id]?.machine.take(input) else {
            return false
        }
        for action in actions {
            switch action {
            case .refuse: return false
            // The task that does it is the caller's to start.
            case .begin: disarm(id)
            case .hold: entries[id]?.content?.rest()
            case .goOn:
                disarm(id)
                entries[id]?.content?.goOn()
                openGate(id)
            case .abort: entries[id]?.task?.cancel()
            case .settle: settle(id)
            }
        }
        guard let after = entries[id]?.machine.state, after != before else { return true }
        tell(id, "state")
        if after.isEnd { entries[id]?.feed.finish() }
        showLoad()
        return true
    }

    private func settle(_ id: String) {
        disarm(id)
        entries[id]?.endedAt = time.wall()
        entries[id]?.content = nil
        entries[id]?.task = nil
        openGate(id)
        if let machine = entries[id]?.machine {
            counters.cell(UploadCounters.uploads, machine.failure?.rawValue ?? machine.state.rawValue).add()
        }
        let waiters = entries[id]?.waiters ?? []
        entries[id]?.waiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func openGate(_ id: String) {
        let gate = entries[id]?.gate ?? []
        entries[id]?.gate = []
        for waiter in gate { waiter.resume() }
    }

    private func tell(_ id: String, _ event: String) {
        guard let report = report(id) else { return }
        entries[id]?.reportedAt = loop.monotonic
        entries[id]?.feed.post(event, UploadDocument.bytes(report))
    }

    /// Fails the upload after that time, unless something comes in between.
    private func arm(_ id: String, after pause: Duration, _ failure: UploadFailure) {
        disarm(id)
        let detail =
            failure == .neverBegun
            ? "No content came within \(Units.format(duration: pause))."
            : "It was paused for more than \(Units.format(duration: pause))."
        entries[id]?.timer = loop.schedule(at: loop.monotonic + pause) { [weak self] in
            self?.assumeIsolated {
                $0.entries[id]?.timer = nil
                $0.fail(id, failure, ClientFacingError(status: 408, code: failure.rawValue, detail: detail))
            }
        }
    }

    private func disarm(_ id: String) {
        if let timer = entries[id]?.timer { loop.cancel(timer) }
        entries[id]?.timer = nil
    }

    private var underWay: Int {
        entries.values.count { $0.machine.state == .running || $0.machine.state == .paused }
    }

    private func showLoad() {
        counters.cell(UploadCounters.underWay).set(underWay)
        counters.cell(UploadCounters.held).set(entries.count)
    }

    /// 404.
    public static let unknown = ClientFacingError(
        status: 404, code: "unknownUpload", detail: "There is no such upload, or it is forgotten already.")

    /// 409.
    /// - Parameter what: what it cannot do now, as a verb.
    public static func conflict(_ state: UploadMachine.State, _ what: String) -> ClientFacingError {
        ClientFacingError(
            status: 409, code: "wrongState", detail: "The upload is \(state.rawValue): it cannot \(what) now.")
    }
}

/// What uploads count.
enum UploadCounters {
    static let uploads = MetricFamily(
        "larder_uploads_total", help: "Uploads that ended: finished, cancelled, or why they failed.", labels: ["result"]
    )
    static let bytes = MetricFamily(
        "larder_upload_bytes_total", help: "Bytes of content that were handed on to a provider.")
    static let refused = MetricFamily(
        "larder_uploads_refused_total",
        help: "Uploads refused since too many were remembered (tooMany) or under way (atOnce).", labels: ["limit"])
    static let underWay = MetricFamily(
        "larder_uploads_under_way", .gauge, help: "Uploads whose content is being handed on, or paused.")
    static let held = MetricFamily(
        "larder_uploads_held", .gauge, help: "Uploads under way or remembered.")
}
