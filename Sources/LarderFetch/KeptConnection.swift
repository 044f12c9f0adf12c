// Whether a kept connection may carry another request. Bytes that the upstream sent without being asked would be taken
// for the answer to the next request (RFC 9112 §6.3), so a connection that holds any is not used again. Its end is such
// input too.
import CCurl
import Glibc

enum KeptConnection {
    /// Called inside libcurl's prereq callback: the transfer has its connection and nothing was sent.
    /// - Parameter tls: layers of TLS on the socket.
    static func isFit(
        _ easy: UnsafeMutableRawPointer?, _ ends: ConnectionEnds?, tls: Int, sockets: OpenSockets
    ) -> Bool {
        // A socket that is not found cannot be looked at.
        guard let easy, let ends, let descriptor = sockets.descriptor(of: ends) else { return false }
        switch tls {
        case 0: return !OpenSockets.hasInput(descriptor)
        case 1:
            // With another TLS library no record can be read here. The input may be a session ticket; it may be more.
            guard TLSInput.isReadable, let ssl = larder_easy_openssl(easy) else {
                return !OpenSockets.hasInput(descriptor)
            }
            return TLSInput.isEmpty(OpaquePointer(ssl), descriptor: descriptor)
        default:
            // The inner layer may lie within what the outer one has read already.
            return false
        }
    }
}
