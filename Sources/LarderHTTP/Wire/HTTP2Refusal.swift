// What a client is told that speaks HTTP/2 by prior knowledge (RFC 9113 §3.3). It cannot read an answer of HTTP/1.1, and
// such a client (curl among them) then reports an empty reply. So the refusal is said in its own frames: 505 with a body
// to its first request, and GOAWAY with HTTP_1_1_REQUIRED (§7), whose debug data tools show. Nothing is read of what it
// sends: HTTP/2 is not spoken here.
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

    /// All that is sent before the connection ends.
    /// - Parameters:
    ///   - body: a problem (RFC 9457), of at most 16,384 bytes: what a frame holds at the least (RFC 9113 §4.2).
    ///   - detail: one sentence in ASCII for the connection's end.
    public static func bytes(problem body: Bytes, detail: String) -> Bytes {
        // The client's first request is stream 1 (RFC 9113 §5.1.1).
        frame(Frame.settings, 0, stream: 0, [])
            + frame(Frame.headers, endHeaders, stream: 1, head)
            + frame(Frame.data, endStream, stream: 1, body)
            + frame(Frame.goAway, 0, stream: 0, [0, 0, 0, 1, 0, 0, 0, http11Required] + Bytes(text: detail))
    }

    /// ":status: 505" and two fields in HPACK: literals without indexing, their names from the static table (RFC 7541
    /// §6.2.2 and appendix A: 8 `:status`, 31 `content-type`, 24 `cache-control`), nothing Huffman-coded.
    private static var head: Bytes {
        [0x08] + text("505") + [0x0F, 31 - 15] + text("application/problem+json") + [0x0F, 24 - 15] + text("no-store")
    }

    /// A string of fewer than 127 bytes (RFC 7541 §5.2).
    private static func text(_ value: String) -> Bytes { [UInt8(value.utf8.count)] + Bytes(value.utf8) }

    /// RFC 9113 §4.1.
    private static func frame(_ type: UInt8, _ flags: UInt8, stream: UInt8, _ payload: Bytes) -> Bytes {
        let length = payload.count
        let front = [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
        return front + [UInt8(truncatingIfNeeded: length), type, flags, 0, 0, 0, stream] + payload
    }
}
