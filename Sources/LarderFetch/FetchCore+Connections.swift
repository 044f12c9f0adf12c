// Connections without a request, for tunnels. libcurl finds the host, tries its addresses, goes through the proxy of the
// settings, and stops when the connection is there (https://curl.se/libcurl/c/CURLOPT_CONNECT_ONLY.html). The socket is
// duplicated, because libcurl closes its own with the handle. The address is checked where it is connected to, as for
// every other call.
import CCurl
import Glibc
import LarderCore
import LarderIO

/// A connection that is being made.
struct Dial {
    var transfer: CurlTransfer
    var continuation: TaskContinuation<Result<Int32, FetchError>, Never>
}

extension CurlUpstream {
    /// Connects to a host.
    /// - Parameters:
    ///   - host: a name or an address literal; IPv6 in brackets.
    ///   - addresses: the addresses that it may have.
    ///   - limit: the time for name resolution and connection together.
    /// - Returns: a connected, non-blocking socket. The caller closes it.
    public func connect(
        host: String, port: UInt16, addresses: AddressPolicy, within limit: Duration
    ) async throws(FetchError) -> Int32 {
        let order = FetchOrder(
            url: "http://\(host):\(port)/", method: .get, fields: [:], addresses: addresses, maxBody: 0,
            deadline: limit)
        return try await perform(order) { ticket, core, continuation in core.connect(ticket, order, continuation) }
    }
}

extension FetchCore {
    func connect(
        _ ticket: FetchTicket, _ order: FetchOrder, _ continuation: TaskContinuation<Result<Int32, FetchError>, Never>
    ) {
        let id = ticket.id
        do throws(FetchError) {
            guard !isShut, !ticket.isCancelled else {
                throw FetchError(stage: .cancelled, origin: "", message: "Nobody waits for it any more.")
            }
            let url: FetchURL
            do {
                url = try FetchURL(order.url)
            } catch {
                throw FetchError(stage: .forbidden, origin: "", message: error.message)
            }
            let multi = try readyMulti(for: url.origin)
            var limits = TransferLimits(maxBody: 0, maxSends: 1, connectTimeout: order.deadline, window: nil)
            limits.isConnection = true
            let transfer = try CurlTransfer(
                Hop(url: url, method: .get, fields: [:], secretFields: [:], addresses: order.addresses), limits,
                settings: settings, feed: nil, in: context(multi))
            dials[id] = Dial(transfer: transfer, continuation: continuation)
            try multi.add(transfer, attend: {}, ended: { [self] end in connected(id, end) })
        } catch {
            dials[id] = nil
            continuation.resume(returning: .failure(error))
        }
    }

    /// What the transfers of this loop share.
    func context(_ multi: CurlMulti) -> TransferContext {
        TransferContext(
            share: multi.share, sockets: sockets, handles: multi.handles, memory: memory, loop: loop, time: time)
    }

    private func connected(_ id: UInt64, _ end: TransferEnd) {
        guard let dial = dials.removeValue(forKey: id) else { return }
        if let socket = dial.transfer.connection {
            return dial.continuation.resume(returning: .success(socket))
        }
        var error = FetchError(stage: .connect, origin: dial.transfer.origin, message: "No descriptor is left for it.")
        if case .failed(let reason, _) = end, reason.curlCode != 0 || reason.stage == .forbidden { error = reason }
        error.isUnsent = true
        cells.count(failure: error.stage)
        dial.continuation.resume(returning: .failure(error))
    }

    /// Gives up a connection that is being made.
    func hangUp(_ id: UInt64) {
        guard let dial = dials.removeValue(forKey: id) else { return }
        multi?.remove(dial.transfer)
        dial.continuation.resume(
            returning: .failure(FetchError(stage: .cancelled, origin: "", message: "Nobody waits for it any more.")))
    }
}

extension CurlTransfer {
    /// Duplicates the socket of a connection that was made without a request.
    func takeConnection() {
        var socket: curl_socket_t = larder_CURL_SOCKET_BAD
        guard let easy, larder_easy_get_socket(easy, &socket) == CURLE_OK, socket != larder_CURL_SOCKET_BAD else {
            return
        }
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 3)
        if own >= 0 { connection = own }
    }
}
