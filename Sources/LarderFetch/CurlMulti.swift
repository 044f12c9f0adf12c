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
    let handles = EasyHandles()
    private var transfers: [UnsafeMutableRawPointer: Entry] = [:]
    private var watches: [curl_socket_t: Watch] = [:]
    private var timer: TimerToken?
    private var isClosed = false
    /// Those that have called for attention since libcurl was entered.
    private var calling: [CurlTransfer] = []
    /// Those whose request's body was dropped: see `ready`.
    private var dropping: [CurlTransfer] = []
    /// Those whose connection libcurl no longer looks at: see `endStranded`.
    private var stranded: [CurlTransfer] = []

    private struct Entry {
        var transfer: CurlTransfer
        var attend: () -> Void
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
        keep(maxConnections)
        _ = larder_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    deinit {
        assert(isClosed, "a multi handle was let go before it was closed")
    }

    /// Idle connections kept, beyond which the oldest is closed.
    func keep(_ maxConnections: Int) { _ = larder_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maxConnections) }

    /// Starts a transfer. Neither closure is called from within this call.
    /// - Parameters:
    ///   - attend: the transfer is under way and has something to look at: its head is whole, its request's body waits.
    ///   - ended: called once, unless the transfer is removed before, and nothing after it.
    func add(
        _ transfer: CurlTransfer, attend: @escaping () -> Void, ended: @escaping (TransferEnd) -> Void
    ) throws(FetchError) {
        guard !isClosed, let easy = transfer.easy else {
            throw CurlError.error(CURLE_FAILED_INIT, origin: transfer.origin)
        }
        transfers[easy] = Entry(transfer: transfer, attend: attend, ended: ended)
        transfer.callsForAttention = { [unowned self, unowned transfer] in calling.append(transfer) }
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

    /// Lets a transfer go on with what it rested from. It may end by that.
    func goOn(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, transfers[easy] != nil else { return }
        let code = transfer.goOn()
        // libcurl leaves a transfer that fails while it goes on to who made it go on.
        if code != CURLE_OK { end(easy, code) }
        endStranded()
        attend()
    }

    /// Ends a transfer whose answer is whole although its request's body is not.
    func endEarly(_ transfer: CurlTransfer) {
        if let easy = transfer.easy { end(easy, CURLE_SEND_ERROR) }
    }

    private func end(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let entry = transfers.removeValue(forKey: easy) else { return }
        let end = entry.transfer.end(code)
        curl_multi_remove_handle(multi, easy)
        entry.transfer.close()
        entry.ended(end)
    }

    /// The rest of a transfer's request is not sent. Where the answer ends with the connection, libcurl counts it as
    /// ended only when it is not resting from sending; it is let go on whenever something was received.
    func drops(_ transfer: CurlTransfer) {
        guard !dropping.contains(where: { $0 === transfer }) else { return }
        dropping.append(transfer)
    }

    /// Drops every transfer untold, closes every connection and frees what belongs to libcurl.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for entry in Array(transfers.values) { remove(entry.transfer) }
        handles.close()
        curl_multi_cleanup(multi)
        if let share { curl_share_cleanup(UnsafeMutableRawPointer(share)) }
        share = nil
        (calling, dropping, stranded) = ([], [], [])
        // Cleaning up asks for the end of each watch; what it forgot is ended here.
        for watch in watches.values { watch.registration.map(loop.deregister) }
        watches = [:]
        timer.map(loop.cancel)
        timer = nil
    }

    // MARK: Asked by libcurl, inside its calls

    func watch(_ descriptor: curl_socket_t, _ what: Int32, for easy: UnsafeMutableRawPointer?) {
        let interest: Interest
        switch what {
        case CURL_POLL_IN: interest = .readable
        case CURL_POLL_OUT: interest = .writable
        case CURL_POLL_INOUT: interest = [.readable, .writable]
        default:
            // CURL_POLL_REMOVE; and CURL_POLL_NONE, since epoll would go on telling of a hang-up that nobody handles.
            watches.removeValue(forKey: descriptor)?.registration.map(loop.deregister)
            if let easy, let transfer = transfers[easy]?.transfer, transfer.waitsForBody { stranded.append(transfer) }
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
        guard !dropping.isEmpty, mask & CURL_CSELECT_IN != 0 else { return }
        dropping.removeAll { $0.easy == nil }
        for transfer in dropping where transfer.canGoOn { goOn(transfer) }
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
        endStranded()
        attend()
    }

    /// While the request's body rests for its sender, libcurl watches for the answer. Where it stops and no answer has
    /// come, the upstream has closed the connection; libcurl keeps that to itself until there is more to send, which a
    /// slow sender may let it wait for as long as it likes.
    private func endStranded() {
        while let transfer = stranded.popLast() {
            if let easy = transfer.easy, transfer.waitsForBody { end(easy, CURLE_GOT_NOTHING) }
        }
    }

    /// After the ends, so that a head whose body is whole already is told with it.
    private func attend() {
        guard !calling.isEmpty else { return }
        let callers = calling
        calling = []
        for transfer in callers {
            guard let easy = transfer.easy, let entry = transfers[easy] else { continue }
            entry.attend()
        }
    }
}

/// libcurl's own start, once in a process, before any other call and on one thread
/// (https://curl.se/libcurl/c/curl_global_init.html). Never undone: other rooms' threads may still be inside.
enum CurlLibrary {
    static let isReady: Bool = curl_global_init(larder_CURL_GLOBAL_DEFAULT) == CURLE_OK
}
