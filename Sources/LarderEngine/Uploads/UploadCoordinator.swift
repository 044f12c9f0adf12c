// The only owner of all uploads, under way or remembered: an actor on the home loop. It performs the actions that each
// `UploadMachine` names, and knows nothing of HTTP.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings

/// The state of one upload, as reported.
public struct UploadReport: Sendable {
    var id: String
    /// The provider that takes the file.
    public var provider: String
    /// The fields given when the upload was created.
    public var fields: UploadFields
    /// The state of the upload.
    public var machine: UploadMachine
    var createdAt: WallTime
    var endedAt: WallTime?
    var image: UploadedImage?
    /// The failure as reported to clients.
    public var problem: ClientFacingError?
}

/// The only owner of uploads. An actor on the home loop.
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
        /// The timeout of a wait for content or of a pause.
        var timer: TimerToken?
        /// Tasks that wait to hand bytes on while the upload is paused.
        var gate: [TaskContinuation<Void, Never>] = []
        /// Tasks that wait for the end of the upload.
        var waiters: [TaskContinuation<Void, Never>] = []
        var reportedAt: MonotonicTime = MonotonicTime(nanoseconds: 0)
    }

    /// The least time between two events that only report progress.
    private static let progressPause = Duration.milliseconds(100)
    /// Events kept for a late listener, in addition to the present state.
    private static let keptEvents = 16

    nonisolated let loop: EventLoop
    /// The home loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let executor: LoopSerialExecutor

    private let time: any TimeSource
    private let streams: EventStreams
    private let counters: CounterRegistry
    private var entries: [String: Entry] = [:]

    /// Creates a coordinator without uploads.
    public init(loop: EventLoop, time: any TimeSource, streams: EventStreams, counters: CounterRegistry) {
        self.loop = loop
        executor = LoopSerialExecutor(loop)
        self.time = time
        self.streams = streams
        self.counters = counters
    }

    // MARK: The table

    /// Creates an upload to a provider. It waits for its content. Its id cannot be guessed.
    /// - Throws: 503 if as many uploads are under way as the settings allow. Remembered uploads that have ended make
    ///   room.
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
                    detail: "Too many uploads are known (uploads.maxEntries). Try again later.", retryable: true,
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

    /// Returns the state of an upload; nil if there is none with this id.
    public func report(_ id: String) -> UploadReport? {
        entries[id].map { entry in
            UploadReport(
                id: id, provider: entry.provider, fields: entry.fields, machine: entry.machine,
                createdAt: entry.createdAt, endedAt: entry.endedAt, image: entry.image, problem: entry.problem)
        }
    }

    /// Returns the events of an upload; nil if there is none with this id.
    public func feed(_ id: String) -> EventFeed? { entries[id]?.feed }

    /// Returns the id of a provider's picture by its removal name, if its upload is remembered.
    public func imageID(removal: String, of provider: String) -> String? {
        entries.values.first { $0.provider == provider && $0.image?.removal == removal }?.image?.id
    }

    // MARK: Events of an upload

    /// Accepts the content and starts `work`, which sends it, in a task that belongs to no connection.
    /// - Throws: 409 if the upload already has its content, 404 if there is no such upload, 503 if too many are under
    ///   way.
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
                detail: "Too many uploads are running (uploads.atOnce). Try again later.", retryable: true,
                retryAfter: 10)
        }
        entries[id]?.content = content as? any RestingBodyReader
        take(id, .contentArrived(total: total))
        entries[id]?.task = Task(executorPreference: loop) { await work() }
    }

    /// Performs a client's command.
    /// - Throws: 404 if there is no such upload, 409 if the upload's state does not allow the command.
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

    /// Must be called before a number of bytes is handed on. Waits while the upload is paused.
    /// - Throws: if the upload has ended.
    func pass(_ id: String, _ count: Int) async throws(BodyFailure) {
        while entries[id]?.machine.state == .paused {
            await handover { waiter in
                // The upload may have been resumed or forgotten before this runs.
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

    /// Records that all content was handed on.
    func contentEnded(_ id: String) { take(id, .contentEnded) }

    /// Records that the client that sends the content has left.
    public nonisolated func clientLost(_ id: String) {
        loop.post { [weak self] in
            self?.assumeIsolated { $0.fail(id, .clientLost, Self.lost) }
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

    /// Waits for the end of the upload. Cancelling the waiting task does not end the wait; a caller that cancels must
    /// also tell the coordinator.
    public func end(_ id: String) async -> UploadReport? {
        while entries[id]?.machine.state.isEnd == false {
            await handover { waiter in
                // The upload may have ended or been forgotten before this runs.
                if entries[id]?.machine.state.isEnd == false {
                    entries[id]?.waiters.append(waiter)
                } else {
                    waiter.resume()
                }
            }
        }
        return report(id)
    }

    // MARK: Actions of the machine

    /// Gives the machine an input and performs its actions. Returns whether the input was allowed.
    @discardableResult
    private func take(_ id: String, _ input: UploadMachine.Input) -> Bool {
        guard let before = entries[id]?.machine.state, let actions = entries[id]?.machine.take(input) else {
            return false
        }
        for action in actions {
            switch action {
            case .refuse: return false
            // The caller starts the task.
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

    /// Sets a timer that fails the upload, unless another timer or `disarm` comes first.
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

    /// The error of an upload whose client left before all of its content had come.
    static let lost = ClientFacingError(
        status: 400, code: UploadFailure.clientLost.rawValue,
        detail: "The connection ended before the whole content had arrived.")

    /// The 404 error of an unknown upload.
    public static let unknown = ClientFacingError(
        status: 404, code: "unknownUpload", detail: "There is no such upload, or it is no longer remembered.")

    /// The 409 error of a command that the upload's state does not allow.
    /// - Parameter what: what the upload cannot do now, as a verb.
    public static func conflict(_ state: UploadMachine.State, _ what: String) -> ClientFacingError {
        ClientFacingError(
            status: 409, code: "wrongState", detail: "The upload is \(state.rawValue) and cannot \(what) now.")
    }
}

/// The counters of uploads.
enum UploadCounters {
    static let uploads = MetricFamily(
        "larder_uploads_total", help: "Uploads that ended, by result: finished, cancelled, or the failure.",
        labels: ["result"]
    )
    static let bytes = MetricFamily(
        "larder_upload_bytes_total", help: "Bytes of content passed on to a provider.")
    static let refused = MetricFamily(
        "larder_uploads_refused_total",
        help: "Uploads refused because too many were remembered (tooMany) or running (atOnce).", labels: ["limit"])
    static let underWay = MetricFamily(
        "larder_uploads_under_way", .gauge, help: "Running uploads, paused ones included.")
    static let held = MetricFamily(
        "larder_uploads_held", .gauge, help: "Uploads that are known, running or remembered.")
}
