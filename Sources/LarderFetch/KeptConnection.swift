// Decides whether a kept connection may carry another request. Bytes that the upstream sent without a request would be
// taken for the response to the next request (RFC 9112 §6.3). A connection that holds such bytes, or its end, is
// therefore not used again.
import CCurl
import Glibc

enum KeptConnection {
    /// Called inside libcurl's prereq callback, when the transfer has its connection and nothing was sent.
    /// - Parameter tls: the number of TLS layers on the socket.
    static func isFit(
        _ easy: UnsafeMutableRawPointer?, _ ends: ConnectionEnds?, tls: Int, sockets: OpenSockets
    ) -> Bool {
        // A socket that is not found cannot be examined.
        guard let easy, let ends, let descriptor = sockets.descriptor(of: ends) else { return false }
        switch tls {
        case 0: return !OpenSockets.hasInput(descriptor)
        case 1:
            // With another TLS library no record can be read here. Any input then makes the connection unfit, even a
            // session ticket.
            guard TLSInput.isReadable, let ssl = larder_easy_openssl(easy) else {
                return !OpenSockets.hasInput(descriptor)
            }
            return TLSInput.isEmpty(OpaquePointer(ssl), descriptor: descriptor)
        default:
            // Input of the inner layer may already be buffered in the outer one.
            return false
        }
    }
}
