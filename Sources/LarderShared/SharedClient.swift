// The operations of one host on its one connection to the engine. Each operation is a batch of commands. Operations are
// sent in the order in which they are submitted, and the engine answers in that order. Each has a deadline that counts
// from its submission, so the queue and connecting are included. An expired operation fails at once, and its replies
// are discarded when they arrive. If nothing has arrived on the connection since the expired operation was sent, the
// connection is closed.
import LarderCore
import LarderIO

/// The client. May be used from any thread.
final class SharedClient: Sendable {
    private let loop: EventLoop
    private let core: LoopBound<SharedClientCore>
    private let isClosed = Lock(false)

    /// - Parameter resolve: resolves a host name to addresses.
    init(_ settings: SharedSettings, on loop: EventLoop, resolve: @escaping HostNames.Resolve = HostNames.resolve) {
        self.loop = loop
        core = LoopBound(SharedClientCore(settings, loop, resolve), on: loop)
    }

    /// Returns one reply for each command, or the reason why there are none. An error reply is a reply.
    /// - Parameter time: the time after which the result is `timedOut`.
    func perform(_ commands: [Command], within time: Duration) async -> Result<[Reply], SharedFailure> {
        guard !isClosed.withLock({ $0 }) else { return .failure(.closed) }
        guard let bytes = Command.format(commands) else { return .failure(.overloaded) }
        let deadline = loop.clock.monotonic() + time
        let promise = Promise<Result<[Reply], SharedFailure>>()
        loop.post { [self] in
            core.value.owner = self
            core.value.submit(SharedOperation(bytes, replies: commands.count, deadline) { promise.fulfil($0) })
        }
        return await promise.wait()
    }

    /// Whether the engine has answered this host's greeting and the connection is still open.
    func isConnected() async -> Bool {
        guard !isClosed.withLock({ $0 }) else { return false }
        let promise = Promise<Bool>()
        loop.post { [self] in promise.fulfil(core.value.isReady) }
        return await promise.wait()
    }

    /// Closes the connection. Pending operations fail with `closed`, and so do later ones.
    func close() {
        isClosed.withLock { $0 = true }
        loop.post { [self] in core.value.close() }
    }

    /// Continues connecting after the host name was resolved.
    fileprivate func resolved(_ addresses: [Address], attempt: Int) {
        loop.post { [self] in core.value.resolved(addresses, attempt: attempt) }
    }
}

/// One batch of commands, and the callback for its replies.
private final class SharedOperation {
    let bytes: Bytes
    let deadline: MonotonicTime
    private(set) var left: Int
    private var replies: [Reply] = []
    private var done: ((Result<[Reply], SharedFailure>) -> Void)?
    var timer: TimerToken?
    /// When the operation was passed to the connection.
    var sentAt: MonotonicTime?

    init(
        _ bytes: Bytes, replies: Int, _ deadline: MonotonicTime,
        _ done: @escaping (Result<[Reply], SharedFailure>) -> Void
    ) {
        self.bytes = bytes
        self.deadline = deadline
        left = replies
        self.done = done
    }

    var isAnswered: Bool { done == nil }

    func take(_ reply: Reply) {
        left -= 1
        if !isAnswered { replies.append(reply) }
        if left == 0 { end(.success(replies)) }
    }

    func end(_ result: Result<[Reply], SharedFailure>) {
        done?(result)
        done = nil
        replies = []
    }
}

/// The state of the client. Confined to its loop.
private final class SharedClientCore {
    private enum State {
        case idle
        case resolving
        /// Waiting for the replies to the greeting; `left` replies are missing.
        case greeting(SharedLink, left: Int)
        case ready(SharedLink)
        case closed
    }

    /// Limits: the operations that are queued or await replies, and the bytes that wait to be sent.
    private static let most = 1024
    private var mostBytes: Int { max(16 << 20, 2 * settings.replyLimit) }
    /// The least time allowed for connecting and for the greeting.
    private static let patience = Duration.seconds(1)

    private let settings: SharedSettings
    private let loop: EventLoop
    private let resolve: HostNames.Resolve
    private var state = State.idle
    private var attempt = 0
    /// Addresses that this attempt has not tried yet.
    private var others: ArraySlice<Address> = []
    private var waiting: [SharedOperation] = []
    private var sent: [SharedOperation] = []
    private var firstSent = 0
    private var waitingBytes = 0
    weak var owner: SharedClient?

    init(_ settings: SharedSettings, _ loop: EventLoop, _ resolve: @escaping HostNames.Resolve) {
        self.settings = settings
        self.loop = loop
        self.resolve = resolve
    }

    var isReady: Bool { if case .ready = state { true } else { false } }

    func submit(_ operation: SharedOperation) {
        var linkBytes = 0
        switch state {
        case .closed: return operation.end(.failure(.closed))
        case .ready(let link): linkBytes = link.waiting
        case .idle, .resolving, .greeting: break
        }
        let count = waiting.count + sent.count - firstSent
        guard count < Self.most, waitingBytes + linkBytes + operation.bytes.count <= mostBytes else {
            return operation.end(.failure(.overloaded))
        }
        operation.timer = loop.schedule(at: operation.deadline) { [weak self, weak operation] in
            if let operation { self?.expire(operation) }
        }
        if case .ready(let link) = state { return send(operation, link) }
        waiting.append(operation)
        waitingBytes += operation.bytes.count
        if case .idle = state { connect() }
    }

    func close() {
        drop(.closed)
        state = .closed
    }

    // MARK: Connecting

    private func connect() {
        state = .resolving
        let number = limitAttempt()
        switch settings.address {
        case .unix(let path): resolved([.unix(path)], attempt: number)
        case .tcp(let host, let port):
            resolve(host, port) { [weak owner] in owner?.resolved($0, attempt: number) }
        }
    }

    /// Starts the time limit of one step: resolving, or one address.
    private func limitAttempt() -> Int {
        attempt += 1
        let number = attempt
        _ = loop.schedule(at: loop.monotonic + max(Self.patience, settings.timeout)) { [weak self] in
            guard let self, attempt == number, !isReady else { return }
            drop(.unreachable)
        }
        return number
    }

    func resolved(_ addresses: [Address], attempt number: Int) {
        guard case .resolving = state, attempt == number else { return }
        others = addresses[...]
        connectToNext()
    }

    private func connectToNext() {
        guard let address = others.popFirst() else { return drop(.unreachable) }
        _ = limitAttempt()
        do throws(SharedFailure) {
            let link = try SharedLink(to: address, on: loop, limit: settings.replyLimit)
            let greeting = settings.greeting
            state = .greeting(link, left: greeting.count)
            link.ended = { [weak self] failure in self?.linkEnded(failure) }
            link.replied = { [weak self] reply in self?.take(reply) }
            guard let bytes = Command.format(greeting) else { return drop(.overloaded) }
            link.connected = { [weak link] in link?.send(bytes) }
        } catch {
            if others.isEmpty { drop(error) } else { connectToNext() }
        }
    }

    private func take(_ reply: Reply) {
        switch state {
        case .greeting(let link, let left):
            if let failure = reply.failure { return drop(failure == .refused ? .noAuth : failure) }
            guard left == 1 else {
                state = .greeting(link, left: left - 1)
                return
            }
            state = .ready(link)
            let waited = waiting
            (waiting, waitingBytes) = ([], 0)
            for operation in waited where !operation.isAnswered {
                // The link may have ended while the operation before was being sent.
                guard case .ready(let now) = state, now === link else {
                    fail(operation, .cut)
                    continue
                }
                send(operation, link)
            }
        case .ready(let link):
            // A reply that no operation awaits: later replies can no longer be matched to operations.
            guard firstSent < sent.count else { return link.end(.garbage) }
            let operation = sent[firstSent]
            operation.take(reply)
            guard operation.left == 0 else { return }
            if let timer = operation.timer { loop.cancel(timer) }
            firstSent += 1
            guard firstSent == sent.count || firstSent >= 256 else { return }
            sent.removeFirst(firstSent)
            firstSent = 0
        case .idle, .resolving, .closed: break
        }
    }

    private func send(_ operation: SharedOperation, _ link: SharedLink) {
        operation.sentAt = loop.monotonic
        sent.append(operation)
        link.send(operation.bytes)
    }

    // MARK: Ending

    private func expire(_ operation: SharedOperation) {
        guard !operation.isAnswered else { return }
        operation.end(.failure(.timedOut))
        if let place = waiting.firstIndex(where: { $0 === operation }) {
            waiting.remove(at: place)
            waitingBytes -= operation.bytes.count
        }
        // Nothing has arrived since the operation was sent, so the connection is silent and not just slow.
        if case .ready(let link) = state, let sentAt = operation.sentAt, link.heardAt <= sentAt { drop(.timedOut) }
    }

    private func linkEnded(_ failure: SharedFailure) {
        switch state {
        case .greeting where failure == .unreachable && !others.isEmpty:
            // Nothing listens at this address. A name may have several addresses, such as localhost.
            state = .resolving
            return connectToNext()
        case .greeting, .ready: state = .idle
        case .idle, .resolving, .closed: break
        }
        fail(failure)
    }

    private func drop(_ failure: SharedFailure) {
        switch state {
        case .greeting(let link, _), .ready(let link): link.end(failure)
        case .idle, .resolving:
            state = .idle
            fail(failure)
        case .closed: fail(failure)
        }
    }

    private func fail(_ failure: SharedFailure) {
        let all = sent[firstSent...] + waiting[...]
        (sent, firstSent, waiting, waitingBytes) = ([], 0, [], 0)
        for operation in all { fail(operation, failure) }
    }

    private func fail(_ operation: SharedOperation, _ failure: SharedFailure) {
        if let timer = operation.timer { loop.cancel(timer) }
        operation.end(.failure(failure))
    }
}
