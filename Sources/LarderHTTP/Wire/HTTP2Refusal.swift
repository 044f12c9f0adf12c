// The refusal sent to a client that speaks HTTP/2 with prior knowledge (RFC 9113 §3.3). Such a client cannot read an
// HTTP/1.1 response; curl, for example, reports an empty reply. The refusal is therefore sent in HTTP/2 frames: 505
// with a body to the first request, and GOAWAY with HTTP_1_1_REQUIRED (§7), whose debug data tools show. Larder does
// not speak HTTP/2, so nothing that the client sends is read.
import LarderCore

/// The refusal of HTTP/2.
public enum HTTP2Refusal {
    private enum Frame {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let settings: UInt8 = 4
        static let goAway: UInt8 = 7
    }
    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4
    private static let http11Required: UInt8 = 0x0D

    /// All bytes that are sent before the connection ends.
    /// - Parameters:
    ///   - body: a problem (RFC 9457) of at most 16,384 bytes, the smallest frame limit that a client can set (RFC 9113
    ///     §4.2).
    ///   - detail: one ASCII sentence, sent as the debug data of GOAWAY.
    public static func bytes(problem body: Bytes, detail: String) -> Bytes {
        // The client's first request is stream 1 (RFC 9113 §5.1.1).
        frame(Frame.settings, 0, stream: 0, [])
            + frame(Frame.headers, endHeaders, stream: 1, head)
            + frame(Frame.data, endStream, stream: 1, body)
            + frame(Frame.goAway, 0, stream: 0, [0, 0, 0, 1, 0, 0, 0, http11Required] + Bytes(text: detail))
    }

    /// ":status: 505" and two fields in HPACK: literals without indexing, with names from the static table (RFC 7541
    /// §6.2.2 and appendix A: 8 `:status`, 31 `content-type`, 24 `cache-control`). Nothing is Huffman-coded.
    private static var head: Bytes {
        [0x08] + text("505") + [0x0F, 31 - 15] + text("application/problem+json") + [0x0F, 24 - 15] + text("no-store")
    }

    /// A string of fewer than 127 bytes (RFC 7541 §5.2).
    private static func text(_ value: String) -> Bytes { [UInt8(value.utf8.count)] + Bytes(value.utf8) }

    /// One frame (RFC 9113 §4.1).
    private static func frame(_ type: UInt8, _ flags: UInt8, stream: UInt8, _ payload: Bytes) -> Bytes {
        let length = payload.count
        let front = [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
        return front + [UInt8(truncatingIfNeeded: length), type, flags, 0, 0, 0, stream] + payload
    }
}
