// Decodes one content coding piece by piece (RFC 9110 §8.4.1), for bodies that are never held whole. As for whole
// bodies, a body that is cut off or has bytes after its end is an error: a truncated body must never look complete.
import CZlib
import LarderCore

/// The largest plain size of a body that is decoded piece by piece. DEFLATE makes at most 1,032 bytes of one
/// (zlib.net/zlib_tech.html), and real data seldom more than a few dozen. A body may therefore become large only if its
/// coded form is large.
public struct InflationLimit: Sendable, Hashable {
    /// The plain bytes that any body may have.
    public var floor: Int64
    /// The plain bytes allowed per coded byte, for bodies beyond `floor`.
    public var ratio: Int64

    public init(floor: Int64, ratio: Int64) {
        self.floor = floor
        self.ratio = ratio
    }

    public static let standard = InflationLimit(floor: 256 << 20, ratio: 100)

    func permits(plain: Int64, coded: Int64) -> Bool {
        if plain <= floor { return true }
        let (limit, overflows) = coded.multipliedReportingOverflow(by: ratio)
        return overflows || plain <= limit
    }
}

/// The decoding state of one coded body. Confined to one reader.
public final class ContentInflater {
    /// The version of the loaded zlib.
    public static let libraryVersion = String(cString: zlibVersion())
    /// The largest piece that `next` returns, in bytes.
    public static let pieceSize = 64 * 1024

    // zlib keeps the address of its stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isGzip: Bool
    private let limit: InflationLimit
    private var input = Bytes()
    private var place = 0
    private var coded: Int64 = 0
    private var plain: Int64 = 0
    private var hasStarted = false
    private var hasEnded = false
    /// The last piece was full, so zlib may have more output without further input.
    private var isFull = false

    /// - Parameter coding: `gzip`, `x-gzip` or `deflate`. The result is nil for any other coding and for several
    ///   codings.
    public init?(coding: String, limit: InflationLimit = .standard) {
        let names = FieldList.members([coding]).map { FieldList.lowercased($0) }.filter { $0 != "identity" }
        guard names.count == 1, ["gzip", "x-gzip", "deflate"].contains(names[0]) else { return nil }
        isGzip = names[0] != "deflate"
        self.limit = limit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasStarted { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Whether the coded body may end at this point.
    public var isWhole: Bool { hasEnded || coded == 0 }

    /// Adds coded bytes. Called after `next` has returned nil.
    public func feed(_ bytes: Bytes) {
        coded += Int64(bytes.count)
        input = place < input.count ? Bytes(input[place...]) + bytes : bytes
        place = 0
    }

    /// The next plain bytes, never empty; nil if more coded bytes are needed. A small input that expands to a large
    /// output is decoded one piece at a time, so the output is never held whole.
    public func next() throws(ContentCodingError) -> Bytes? {
        while place < input.count || isFull {
            if !hasStarted {
                guard try start() else { return nil }
            } else if hasEnded {
                // A gzip file may have several members (RFC 1952 §2.2).
                guard isGzip, inflateReset(stream) == Z_OK else { throw .damaged }
                hasEnded = false
            }
            let piece = try step()
            if piece.isEmpty { continue }
            plain += Int64(piece.count)
            guard limit.permits(plain: plain, coded: coded) else { throw .tooLarge }
            return piece
        }
        return nil
    }

    /// Starts zlib. Returns false if more bytes are needed to tell which form of "deflate" this is.
    private func start() throws(ContentCodingError) -> Bool {
        var window: Int32 = 15 + 16
        if !isGzip {
            guard input.count - place >= 2 else { return false }
            window = ContentCoding.isZlibFormat(Bytes(input[place..<place + 2])) ? 15 : -15
        }
        guard larder_inflate_init(stream, window) == Z_OK else { throw .noMemory }
        hasStarted = true
        return true
    }

    /// One call of zlib: decodes input into one piece at most.
    private func step() throws(ContentCodingError) -> Bytes {
        var status = Z_OK
        let piece = input.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[place...])
            return Bytes(room: Self.pieceSize) { output, count in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
                stream.pointee.avail_in = UInt32(clamping: rest.count)
                let given = stream.pointee.avail_in
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                count = output.count - Int(stream.pointee.avail_out)
                place += Int(given - stream.pointee.avail_in)
            }
        }
        isFull = piece.count == Self.pieceSize
        switch status {
        case Z_STREAM_END:
            hasEnded = true
            isFull = false
        case Z_OK: break
        // zlib made no progress because the input is used up.
        case Z_BUF_ERROR where place == input.count: isFull = false
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged
        }
        return piece
    }
}

extension ContentCoding {
    /// Whether a body with this coding can be decoded here.
    public static func isKnown(_ coding: String) -> Bool {
        let names = FieldList.members([coding]).map { FieldList.lowercased($0) }.filter { $0 != "identity" }
        return !names.isEmpty && names.count <= maxCodings
            && names.allSatisfy { ["gzip", "x-gzip", "deflate"].contains($0) }
    }

    /// The length of the plain body, which is decoded piece by piece and not kept.
    public static func plainLength(
        of body: Bytes, coding: String, limit: InflationLimit = .standard
    ) throws(ContentCodingError) -> Int64 {
        guard let inflater = ContentInflater(coding: coding, limit: limit) else { throw .unknownCoding(coding) }
        inflater.feed(body)
        var length: Int64 = 0
        while let piece = try inflater.next() { length += Int64(piece.count) }
        guard inflater.isWhole else { throw .truncated }
        return length
    }
}
