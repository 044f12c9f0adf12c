// libcurl's multi handle on our loop, as https://curl.se/libcurl/c/libcurl-multi.html ("multi_socket") demands. libcurl
// says which descriptors to watch and when to be called; the loop says when that happens. Two rules apply. First, no
// multi function is called from inside a callback: a timer of 0 becomes a loop timer that is due at once, and ends are
// read only after a call into libcurl has returned. Second, a descriptor number may be reused, even if libcurl never
// gave up the old descriptor. The old watch is then dead and is replaced.
import CCurl
import LarderCore
import LarderIO

/// Confined to its loop. Must be closed with `close` before it is released.
final class CurlMulti {
    private let loop: EventLoop
    private let log: Logger
    private let multi: UnsafeMutableRawPointer
    /// TLS sessions, kept from one easy handle to the next. Used only on this loop, so it needs no locks.
    private(set) var share: OpaquePointer?
    let handles = EasyHandles()
    private var transfers: [UnsafeMutableRawPointer: Entry] = Dictionary(minimumCapacity: 8)
    private var watches: [curl_socket_t: Watch] = Dictionary(minimumCapacity: 8)
    private var timer: TimerToken?
    private var isClosed = false
    /// The transfers that have called for attention since libcurl was entered.
    private var calling: [CurlTransfer] = []
    /// The transfers whose request body was dropped: see `drops`.
    private var dropping: [CurlTransfer] = []
    /// The transfers whose connection libcurl no longer watches: see `endStranded`.
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

    /// Must be called on the loop. Nil if libcurl has no memory left.
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

    /// Sets the number of idle connections kept. Beyond it, the oldest is closed.
    func keep(_ maxConnections: Int) { _ = larder_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maxConnections) }

    /// Starts a transfer. Neither closure is called from within this call.
    /// - Parameters:
    ///   - attend: called while the transfer is under way and has something to look at, such as a complete
    ///     head or a waiting request body.
    ///   - ended: called once, and last, unless the transfer is removed before.
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

    /// Breaks off a transfer. Its connection is closed if the response was not complete.
    func remove(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, transfers.removeValue(forKey: easy) != nil else { return }
        curl_multi_remove_handle(multi, easy)
        transfer.close()
    }

    /// Resumes a paused transfer. The transfer may end during this call.
    func goOn(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, transfers[easy] != nil else { return }
        let code = transfer.goOn()
        // If a transfer fails while it is resumed, libcurl reports that only to the caller that resumed it.
        if code != CURLE_OK { end(easy, code) }
        endStranded()
        attend()
    }

    /// Ends a transfer whose response is complete although its request body is not.
    func endEarly(_ transfer: CurlTransfer) {
        if let easy = transfer.easy { end(easy, CURLE_SEND_ERROR) }
    }

    private func end(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let (entry, end) = takeOut(easy, code) else { return }
        entry.ended(end)
    }

    /// Ends a transfer and removes its handle. The caller tells the owner.
    private func takeOut(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) -> (Entry, TransferEnd)? {
        guard let entry = transfers.removeValue(forKey: easy) else { return nil }
        let end = entry.transfer.end(code)
        curl_multi_remove_handle(multi, easy)
        entry.transfer.close()
        return (entry, end)
    }

    /// Notes that the rest of a transfer's request body is not sent. If the response ends with the connection, libcurl
    /// sees its end only while sending is not paused. The transfer is therefore resumed whenever something was received
    /// (`ready`).
    func drops(_ transfer: CurlTransfer) {
        guard !dropping.contains(where: { $0 === transfer }) else { return }
        dropping.append(transfer)
    }

    /// Drops every transfer without reporting its end, closes every connection and frees what belongs to libcurl.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for entry in Array(transfers.values) { remove(entry.transfer) }
        handles.close()
        curl_multi_cleanup(multi)
        if let share { curl_share_cleanup(UnsafeMutableRawPointer(share)) }
        share = nil
        (calling, dropping, stranded) = ([], [], [])
        // Cleaning up makes libcurl end each watch. Any watch that libcurl forgot is ended here.
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
            // CURL_POLL_REMOVE. Also CURL_POLL_NONE, because epoll would keep reporting a hang-up that nobody handles.
            watches.removeValue(forKey: descriptor)?.registration.map(loop.deregister)
            if let easy, let transfer = transfers[easy]?.transfer, transfer.waitsForBody { stranded.append(transfer) }
            return
        }
        if let known = watches[descriptor], let registration = known.registration {
            if (try? loop.modify(registration, interest)) != nil { return }
            // The kernel has no such watch: the descriptor was closed and its number was reused.
            loop.deregister(registration)
        }
        let watch = Watch(descriptor, owner: self)
        do {
            watch.registration = try loop.register(descriptor, interest, handler: watch)
            watches[descriptor] = watch
        } catch {
            // Returning an error would make libcurl abort every transfer. This transfer is unwatched and ends at its
            // deadline.
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
        // libcurl takes a bare error flag for an error of its own. It is told to read and write, so that it meets the
        // real error.
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

    /// Reports every end that libcurl has. Each handle is removed from the multi handle before any owner is told.
    private func tellEnds() {
        var told: [(Entry, TransferEnd)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message becomes invalid when the handle is removed.
            let code = larder_message_result(message)
            if let end = takeOut(easy, code) { told.append(end) }
        }
        for (entry, end) in told { entry.ended(end) }
        endStranded()
        attend()
    }

    /// Ends transfers whose upstream has closed the connection before any response. While the request body waits for
    /// its sender, libcurl watches for the response. If it stops watching and no response has come, the connection is
    /// closed. libcurl does not report that until there is more to send, and a slow sender could delay it without
    /// limit.
    private func endStranded() {
        while let transfer = stranded.popLast() {
            if let easy = transfer.easy, transfer.waitsForBody { end(easy, CURLE_GOT_NOTHING) }
        }
    }

    /// Runs after the ends are reported, so a head whose body is already complete is reported together with it.
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

/// Initialises libcurl once in the process, before any other call and on one thread
/// (https://curl.se/libcurl/c/curl_global_init.html). Never undone, because threads of other rooms may still be in
/// libcurl.
enum CurlLibrary {
    static let isReady: Bool = curl_global_init(larder_CURL_GLOBAL_DEFAULT) == CURLE_OK
}
