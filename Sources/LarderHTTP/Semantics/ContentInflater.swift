// Undoing gzip piece by piece (RFC 9110 §8.4.1), for bodies that nobody holds whole. As for whole bodies, one that is cut
// off or has bytes behind its end is an error: truncated must never look complete.
import CZlib
import LarderCore

/// One coded body's state. Confined to one reader.
public final class ContentInflater {
    // zlib keeps the address of its stream: it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasEnded = false
    private var hasBegun = false

    /// - Parameter coding: `gzip` or `x-gzip`; nil for any other.
    public init?(coding: String) {
        let name = FieldList.lowercased(ASCII.trimmed(coding[...]))
        guard name == "gzip" || name == "x-gzip" else { return nil }
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard larder_inflate_init(stream, 15 + 16) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Whether the coded body may end here.
    public var isWhole: Bool { hasEnded || !hasBegun }

    /// The plain bytes of the next coded ones, handed on in pieces of at most 64 KiB, so that little that becomes much is
    /// never held whole.
    public func inflate(_ coded: Bytes, _ take: (Bytes) -> Void) throws(ContentCodingError) {
        if !coded.isEmpty { hasBegun = true }
        let result = coded.withUnsafeBufferPointer { input -> ContentCodingError? in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: input.count)
            return run(take)
        }
        if let result { throw result }
    }

    private func run(_ take: (Bytes) -> Void) -> ContentCodingError? {
        while true {
            if hasEnded {
                guard stream.pointee.avail_in > 0 else { return nil }
                // A gzip file may have several members (RFC 1952 §2.2).
                guard inflateReset(stream) == Z_OK else { return .damaged }
                hasEnded = false
            }
            var status = Z_OK
            let out = Bytes(room: 64 * 1024) { output, count in
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                count = output.count - Int(stream.pointee.avail_out)
            }
            let isFull = out.count == 64 * 1024
            if !out.isEmpty { take(out) }
            switch status {
            case Z_STREAM_END: hasEnded = true
            case Z_OK: if stream.pointee.avail_in == 0, !isFull { return nil }
            case Z_BUF_ERROR: return nil
            case Z_MEM_ERROR: return .noMemory
            default: return .damaged
            }
        }
    }
}
