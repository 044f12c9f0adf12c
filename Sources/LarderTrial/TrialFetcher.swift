// libcurl's multi handle on the client's own loop, with three savings over `CurlMulti`: a handle is set once and used
// again (`handles=kept`), a new transfer is begun at once instead of by a timer of 0, and the watch of a kept connection
// stays with the loop between two transfers.
import CCurl
import Glibc
import LarderCore
import LarderHTTP
import LarderIO

/// One easy handle, what it writes to, and who waits.
final class TrialTransfer {
    let easy: UnsafeMutableRawPointer
    var head: Bytes = []
    var body: Bytes = []
    var reader = ResponseHeadReader(method: .get)
    var isStrict = true
    var done: ((UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)?

    init?() {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        let context = Unmanaged.passUnretained(self).toOpaque()
        larder_easy_set_pointer(easy, CURLOPT_PRIVATE, context)
        larder_easy_set_data_callback(easy, CURLOPT_HEADERFUNCTION, trialTookLine)
        larder_easy_set_pointer(easy, CURLOPT_HEADERDATA, context)
        larder_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION, trialTookBody)
        larder_easy_set_pointer(easy, CURLOPT_WRITEDATA, context)
        larder_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        larder_easy_set_string(easy, CURLOPT_PROXY, "")
        larder_easy_set_string(easy, CURLOPT_NOPROXY, "")
        larder_easy_set_string(easy, CURLOPT_USERAGENT, "larder")
        for (option, value) in Self.numbers { larder_easy_set_long(easy, option, value) }
    }

    /// Those that the daemon sets.
    private static let numbers: [(CURLoption, Int)] = [
        (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_HTTP09_ALLOWED, 0),
        (CURLOPT_HTTP_CONTENT_DECODING, 0), (CURLOPT_HTTPGET, 1), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
        (CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
        (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT_MS, 10_000), (CURLOPT_QUICK_EXIT, 1),
        (CURLOPT_DNS_CACHE_TIMEOUT, 60), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_MAXAGE_CONN, 55),
        (CURLOPT_MAXLIFETIME_CONN, 600),
    ]

    /// Takes back what the transfer before left.
    func prepare() {
        head.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        if isStrict { reader = ResponseHeadReader(method: .get) }
    }

    func tookLine(_ line: UnsafeRawBufferPointer) -> Bool {
        if isStrict, (try? reader.take(line)) == nil { return false }
        guard line.count > 2 else { return true }
        // Fields that speak of the connection alone stay here (RFC 9110 §7.6.1); the daemon knows all of them.
        if line[0] | 0x20 == 0x63, line.count > 11, line[10] == 0x3A { return true }
        head.append(contentsOf: line)
        return true
    }

    func tookBody(_ piece: UnsafeRawBufferPointer) { body.append(contentsOf: piece) }
}

private func trialTookLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Unmanaged<TrialTransfer>.fromOpaque(context).takeUnretainedValue().tookLine(line) ? line.count : 0
}

private func trialTookBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    Unmanaged<TrialTransfer>.fromOpaque(context).takeUnretainedValue().tookBody(piece)
    return piece.count
}

private func trialWatches(
    _ easy: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<TrialFetcher>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what)
    return 0
}

private func trialSetsTimer(_ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?)
    -> Int32
{
    guard let context else { return 0 }
    Unmanaged<TrialFetcher>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
    return 0
}

/// CURLOPT_CLOSESOCKETFUNCTION: the kernel forgets the watch with the descriptor, so the loop must too, first.
private func trialCloses(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
    guard let context else { return 1 }
    Unmanaged<TrialFetcher>.fromOpaque(context).takeUnretainedValue().forget(descriptor)
    Syscall.close(descriptor)
    return 0
}

final class TrialFetcher {
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private let settings: TrialSettings
    private let base: Bytes
    private var url: Bytes = []
    private var pool: [TrialTransfer] = []
    private var watches: [curl_socket_t: Watch] = [:]
    private var deadline: MonotonicTime?
    private var armed: (token: TimerToken, at: MonotonicTime)?
    private var isAdding = false
    /// Transfers whose end was not told.
    private var underWay: Int32 = 0

    private final class Watch: EventHandler {
        let descriptor: curl_socket_t
        unowned let owner: TrialFetcher
        var registration: Registration?
        var interest: Interest
        /// libcurl does not look at the connection.
        var isIdle = false

        init(_ descriptor: curl_socket_t, _ owner: TrialFetcher, _ interest: Interest) {
            (self.descriptor, self.owner, self.interest) = (descriptor, owner, interest)
        }

        func ready(_ events: ReadyEvents) { owner.ready(self, events) }
    }

    init(_ settings: TrialSettings, _ loop: EventLoop) throws(TrialError) {
        guard curl_global_init(larder_CURL_GLOBAL_DEFAULT) == CURLE_OK, let multi = curl_multi_init() else {
            throw TrialError(description: "libcurl could not be started")
        }
        (self.settings, self.loop, self.multi) = (settings, loop, multi)
        base = Bytes(text: "http://127.0.0.1:\(settings.originPort)")
        let context = Unmanaged.passUnretained(self).toOpaque()
        larder_multi_set_socket_callback(multi, trialWatches)
        larder_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        larder_multi_set_timer_callback(multi, trialSetsTimer)
        larder_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        larder_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    deinit { curl_multi_cleanup(multi) }

    /// `done` gets head and body where they lie; an answer that fails is an empty 502 of the trial.
    func fetch(
        _ target: UnsafeRawBufferPointer, _ done: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) {
        guard let transfer = pool.popLast() ?? TrialTransfer() else { return }
        transfer.isStrict = settings.isStrict
        transfer.prepare()
        transfer.done = done
        url.removeAll(keepingCapacity: true)
        url.append(contentsOf: base)
        url.append(contentsOf: target)
        url.append(0)
        url.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = larder_easy_set_string(transfer.easy, CURLOPT_URL, $0.baseAddress)
            }
        }
        larder_easy_set_close_socket(transfer.easy, trialCloses)
        larder_easy_set_pointer(transfer.easy, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        _ = Unmanaged.passRetained(transfer)
        isAdding = true
        curl_multi_add_handle(multi, transfer.easy)
        isAdding = false
        underWay += 1
        // What the timer of 0 would do in the next turn. On a fast origin and a busy machine the answer may be whole before
        // this returns: who asked must not be told inside its own call.
        var running: Int32 = 0
        curl_multi_socket_action(multi, larder_CURL_SOCKET_TIMEOUT, 0, &running)
        if running < underWay { loop.soon { [self] in tellEnds() } }
    }

    // MARK: Asked by libcurl

    func watch(_ descriptor: curl_socket_t, _ what: Int32) {
        let interest: Interest
        switch what {
        case CURL_POLL_IN: interest = .readable
        case CURL_POLL_OUT: interest = .writable
        case CURL_POLL_INOUT: interest = [.readable, .writable]
        default:
            // Kept: the next transfer over this connection asks for the same.
            watches[descriptor]?.isIdle = true
            return
        }
        if let known = watches[descriptor], let registration = known.registration {
            known.isIdle = false
            if known.interest == interest { return }
            known.interest = interest
            try? loop.modify(registration, interest)
            return
        }
        let watch = Watch(descriptor, self, interest)
        watch.registration = try? loop.register(descriptor, interest, handler: watch)
        watches[descriptor] = watch
    }

    func forget(_ descriptor: curl_socket_t) {
        watches.removeValue(forKey: descriptor)?.registration.map(loop.deregister)
    }

    /// libcurl moves its deadline with each transfer; the loop's timer is set anew only where it would ring too late.
    func setTimer(_ milliseconds: Int) {
        guard milliseconds >= 0 else {
            deadline = nil
            return
        }
        let at = loop.monotonic + .milliseconds(milliseconds)
        deadline = at
        // Asked for at once while a transfer is added: `fetch` does it itself.
        if milliseconds == 0, isAdding { return }
        if let armed, armed.at <= at { return }
        armed.map { loop.cancel($0.token) }
        arm(at)
    }

    private func arm(_ at: MonotonicTime) {
        let token = loop.schedule(at: at) { [unowned self] in
            armed = nil
            guard let deadline else { return }
            if deadline <= loop.monotonic { act(larder_CURL_SOCKET_TIMEOUT, 0) } else { arm(deadline) }
        }
        armed = (token, at)
    }

    // MARK: Told by the loop

    private func ready(_ watch: Watch, _ events: ReadyEvents) {
        var mask: Int32 = 0
        if events.contains(.readable) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if !events.isDisjoint(with: [.error, .hangup]) { mask |= CURL_CSELECT_IN | CURL_CSELECT_OUT }
        // Readable while libcurl does not look: its server has closed an idle connection, or speaks unasked. The watch
        // would tell it again and again.
        if watch.isIdle { return forget(watch.descriptor) }
        act(watch.descriptor, mask)
    }

    private func act(_ descriptor: curl_socket_t, _ mask: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, descriptor, mask, &running)
        tellEnds()
    }

    private func tellEnds() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = larder_message_result(message)
            curl_multi_remove_handle(multi, easy)
            underWay -= 1
            var context: UnsafeMutableRawPointer?
            larder_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
            guard let context else { continue }
            let transfer = Unmanaged<TrialTransfer>.fromOpaque(context).takeRetainedValue()
            let done = transfer.done
            transfer.done = nil
            if code != CURLE_OK {
                transfer.head = Bytes(text: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n")
                transfer.body = []
            }
            transfer.head.withUnsafeBytes { head in transfer.body.withUnsafeBytes { body in done?(head, body) } }
            if settings.handles == .kept { pool.append(transfer) } else { curl_easy_cleanup(transfer.easy) }
        }
    }
}
