// libcurl's multi handle on our loop, as https://curl.se/libcurl/c/libcurl-multi.html ("multi_socket") demands:
// libcurl says which descriptors to watch and when to be called, the loop says when that happens. Two rules carry it.
// No multi function is called from inside a callback: a timer of 0 becomes a loop timer that is due at once, and ends
// are read only after a call into libcurl has returned. And a descriptor may come back under the same number, even
// without having been given up: then the old watch is dead, and is replaced.
import CCurl
import LarderCore
import LarderIO

/// Confined to its loop. `close` before it is let go.
final class CurlMulti {
    private let loop: EventLoop
    private let log: Logger
    private let multi: UnsafeMutableRawPointer
    /// TLS sessions, kept from one easy handle to the next. Used on the loop alone, so it needs no locks.
    private(set) var share: OpaquePointer?
    private var transfers: [UnsafeMutableRawPointer: Entry] = [:]
    private var watches: [curl_socket_t: Watch] = [:]
    private var timer: TimerToken?
    private var isClosed = false

    private struct Entry {
        var transfer: CurlTransfer
        var ended: (TransferEnd) -> Void
    }

    /// One watched descriptor.
    private final class Watch: EventHandler {
        let descriptor: curl_socket_t
        unowned let owner: CurlMulti
        var registration: Registration?

        init(_ descriptor: curl_socket_t, owner: CurlMulti) {
            self.descriptor = descriptor
            self.owner = owner
        }

        func ready(_ events: ReadyEvents) {
            owner.ready(descriptor, events)
        }
    }

    /// On the loop. Nil where libcurl has no memory left.
    init?(loop: EventLoop, maxConnections: Int, log: Logger) {
        loop.preconditionCurrent()
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
        self.loop = loop
        self.log = log
        self.multi = multi
        share = curl_share_init().map { OpaquePointer($0) }
        if let share {
            _ = larder_share_share(UnsafeMutableRawPointer(share), CURL_LOCK_DATA_SSL_SESSION)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = larder_multi_set_socket_callback(multi, curlWatches)
        _ = larder_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        _ = larder_multi_set_timer_callback(multi, curlSetsTimer)
        _ = larder_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        // Idle connections kept, beyond which the oldest is closed.
        _ = larder_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maxConnections)
        _ = larder_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    deinit {
        assert(isClosed, "a multi handle was let go before it was closed")
    }

    /// Starts a transfer. `ended` is called once, unless the transfer is removed before; never from within this call.
    func add(_ transfer: CurlTransfer, ended: @escaping (TransferEnd) -> Void) throws(FetchError) {
        guard !isClosed, let easy = transfer.easy else {
            throw CurlError.error(CURLE_FAILED_INIT, origin: transfer.origin)
        }
        transfers[easy] = Entry(transfer: transfer, ended: ended)
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
            transfers[easy] = nil
            transfer.close()
            throw CurlError.error(CURLE_OUT_OF_MEMORY, origin: transfer.origin)
        }
    }

    /// Breaks a transfer off; its connection is closed where the answer had not come whole.
    func remove(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil else { return }
        curl_multi_remove_handle(multi, easy)
        transfer.close()
    }

    /// Drops every transfer untold, closes every connection and frees what belongs to libcurl.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for entry in Array(transfers.values) { remove(entry.transfer) }
        curl_multi_cleanup(multi)
        if let share { curl_share_cleanup(UnsafeMutableRawPointer(share)) }
        share = nil
        // Cleaning up asks for the end of each watch; what it forgot is ended here.
        for watch in watches.values { watch.registration.map(loop.deregister) }
        watches = [:]
        timer.map(loop.cancel)
        timer = nil
    }

    // MARK: Asked by libcurl, inside its calls

    func watch(_ descriptor: curl_socket_t, _ what: Int32) {
        let interest: Interest
        switch what {
        case CURL_POLL_IN: interest = .readable
        case CURL_POLL_OUT: interest = .writable
        case CURL_POLL_INOUT: interest = [.readable, .writable]
        default:
            // CURL_POLL_REMOVE; and CURL_POLL_NONE, since epoll would go on telling of a hang-up that nobody handles.
            watches.removeValue(forKey: descriptor)?.registration.map(loop.deregister)
            return
        }
        if let known = watches[descriptor], let registration = known.registration {
            if (try? loop.modify(registration, interest)) != nil { return }
            // The kernel knows no such watch: the descriptor was closed, and its number given out again.
            loop.deregister(registration)
        }
        let watch = Watch(descriptor, owner: self)
        do {
            watch.registration = try loop.register(descriptor, interest, handler: watch)
            watches[descriptor] = watch
        } catch {
            // Refusing would make libcurl give up every transfer; unwatched, this one ends by its deadline.
            watches[descriptor] = nil
            log.error("a connection cannot be watched", ["error": "\(error)"])
        }
    }

    func setTimer(_ milliseconds: Int) {
        timer.map(loop.cancel)
        timer = nil
        guard milliseconds >= 0, !isClosed else { return }
        timer = loop.schedule(at: loop.monotonic + .milliseconds(milliseconds)) { [unowned self] in
            timer = nil
            act(larder_CURL_SOCKET_TIMEOUT, 0)
        }
    }

    // MARK: Told by the loop

    private func ready(_ descriptor: curl_socket_t, _ events: ReadyEvents) {
        var mask: Int32 = 0
        if events.contains(.readable) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        // libcurl takes a bare error for one of its own making; let it read or write, and meet the real one.
        if !events.isDisjoint(with: [.error, .hangup]) { mask |= CURL_CSELECT_IN | CURL_CSELECT_OUT }
        act(descriptor, mask)
    }

    private func act(_ descriptor: curl_socket_t, _ mask: Int32) {
        guard !isClosed else { return }
        var running: Int32 = 0
        let code = curl_multi_socket_action(multi, descriptor, mask, &running)
        if code != CURLM_OK { log.error("libcurl's multi handle failed", ["code": "\(code.rawValue)"]) }
        tellEnds()
    }

    /// Every end that libcurl has to report, each handle out of the multi handle before anyone hears of it.
    private func tellEnds() {
        var told: [(Entry, TransferEnd)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is gone once the handle is removed.
            let code = larder_message_result(message)
            guard let entry = transfers.removeValue(forKey: easy) else { continue }
            let end = entry.transfer.end(code)
            curl_multi_remove_handle(multi, easy)
            entry.transfer.close()
            told.append((entry, end))
        }
        for (entry, end) in told { entry.ended(end) }
    }
}

/// libcurl's own start, once in a process, before any other call and on one thread
/// (https://curl.se/libcurl/c/curl_global_init.html). Never undone: other rooms' threads may still be inside.
enum CurlLibrary {
    static let isReady: Bool = curl_global_init(larder_CURL_GLOBAL_DEFAULT) == CURLE_OK
}
