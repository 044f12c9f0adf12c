// The functions that libcurl calls. They are free functions without isolation, because a closure made in isolated code
// would trap when C calls it. All of them run on the loop of their multi handle, inside a call made by `CurlMulti`.
// None of them calls a multi function (https://curl.se/libcurl/c/libcurl-multi.html). `curl_easy_getinfo` is allowed in
// a callback.
//
// The context pointers retain nothing. A transfer's context is the `CurlTransfer`, which `CurlMulti` keeps from `add`
// until the handle has left the multi handle. The multi handle's context is the `CurlMulti`, which outlives it. The
// context of the sockets is the `OpenSockets`, which outlives the multi handle and so every connection.
import CCurl
import Glibc
import LarderCore

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

/// CURLOPT_HEADERFUNCTION: one complete line. Returning any count but the given one ends the transfer.
func curlTookHeadLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let transfer = transfer(context) else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer.tookHeadLine(line) ? line.count : 0
}

/// CURLOPT_WRITEFUNCTION: a piece of the body. Returning less than was given ends the transfer. An empty piece is given
/// only for an empty body; 0 is then the right result. CURL_WRITEFUNC_PAUSE leaves the piece with libcurl.
func curlTookBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(context) else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    switch transfer.tookBody(piece) {
    case .taken: return piece.count
    case .rests: return larder_CURL_WRITEFUNC_PAUSE
    case .refused: return 0
    }
}

/// CURLOPT_READFUNCTION: room for the next bytes of the request body. Returning 0 ends the body.
func curlWantsBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let transfer = transfer(context) else { return larder_CURL_READFUNC_ABORT }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return transfer.wantsBody(room) ?? larder_CURL_READFUNC_PAUSE
}

/// CURLOPT_OPENSOCKETFUNCTION: the address is known, and nothing has been sent to it.
func curlOpensSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address, let transfer = transfer(context) else { return larder_CURL_SOCKET_BAD }
    let known = withUnsafePointer(to: &address.pointee.addr) {
        PublicAddress($0, length: Int(address.pointee.addrlen))
    }
    guard transfer.permitsConnection(to: known) else { return larder_CURL_SOCKET_BAD }
    let descriptor = socket(
        address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    transfer.opened(descriptor)
    return descriptor
}

/// CURLOPT_CLOSESOCKETFUNCTION: closes the socket of a connection. The transfer that opened it may have ended long
/// before.
func curlClosesSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
    guard let context else { return close(descriptor) == 0 ? 0 : 1 }
    return Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor) ? 0 : 1
}

/// CURLOPT_PREREQFUNCTION: the connection, new or reused, exists, and the request is about to be sent.
func curlSendsRequest(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
    guard let transfer = transfer(context) else { return CURL_PREREQFUNC_ABORT }
    var ends: ConnectionEnds?
    if let local = SocketEnd(address: local, port: localPort), let peer = SocketEnd(address: peer, port: peerPort) {
        ends = ConnectionEnds(local: local, peer: peer)
    }
    let isPermitted = transfer.permitsSending(to: peer.flatMap { PublicAddress(String(cString: $0)) }, over: ends)
    return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// CURLMOPT_SOCKETFUNCTION: watch this descriptor for these events, or stop watching it.
func curlWatches(
    _ easy: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what, for: easy)
    return 0
}

/// CURLMOPT_TIMERFUNCTION: call back after this many milliseconds, at once (0), or not at all (-1).
func curlSetsTimer(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
    return 0
}
