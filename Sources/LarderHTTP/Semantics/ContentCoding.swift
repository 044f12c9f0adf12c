// Content codings, using zlib (RFC 9110 §8.4). No output exceeds the limit that the caller gives. A coded body that is
// cut off or has bytes after its end is an error: a truncated body must never look complete.
import CZlib
import LarderCore

/// Why a coded body could not be decoded or made.
public enum ContentCodingError: Error, Sendable, Hashable {
    /// A coding that Larder does not know, by its name.
    case unknownCoding(String)
    /// The plain body would be larger than the limit.
    case tooLarge
    /// The body ends before the coding does.
    case truncated
    /// The bytes are not what the coding says.
    case damaged
    /// zlib had no memory.
    case noMemory
}

/// Decodes and encodes `gzip` and `deflate`, and determines what a client accepts.
public enum ContentCoding {
    /// The most codings on one body. More than this is an attack, not a response.
    public static let maxCodings = 3

    /// The plain body of a body with `Content-Encoding: coding`.
    ///
    /// - Parameters:
    ///   - coding: the field's value. A list is decoded from its end. `identity` and "" do nothing.
    ///   - limit: the largest size of the plain body in bytes.
    /// - Throws: if a coding is unknown, the plain body is too large, or the body is truncated or damaged.
    public static func inflate(_ body: Bytes, coding: String, limit: Int) throws(ContentCodingError) -> Bytes {
        let codings = FieldList.members([coding]).map { FieldList.lowercased($0) }.filter { $0 != "identity" }
        guard codings.count <= maxCodings else { throw .unknownCoding(coding) }
        var body = body
        for name in codings.reversed() {
            switch name {
            case "gzip", "x-gzip": body = try expand(body, window: 15 + 16, limit: limit)
            case "deflate": body = try expand(body, window: isZlibFormat(body) ? 15 : -15, limit: limit)
            default: throw .unknownCoding(name)
            }
        }
        guard body.count <= limit else { throw .tooLarge }
        return body
    }

    /// The body as gzip (RFC 1952), without name or time, so that equal bodies give equal bytes.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    public static func gzip(_ body: Bytes, level: Int = 6) throws(ContentCodingError) -> Bytes {
        var stream = z_stream()
        guard larder_deflate_init(&stream, Int32(min(max(level, 1), 9)), 15 + 16) == Z_OK else { throw .noMemory }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(body.count)))
        let isDone: Bool
        var out = Bytes()
        (out, isDone) = pump(&stream, body, capacity: bound) { deflate(&$0, Z_FINISH) == Z_STREAM_END }
        guard isDone else { throw .noMemory }
        return out
    }

    /// Whether a request with this `Accept-Encoding` accepts the coding (RFC 9110 §12.5.3). Without the field only
    /// `identity` is sent, because a client that does not ask might not be able to decode.
    public static func accepts(_ acceptEncoding: String?, _ coding: String) -> Bool {
        let coding = canonical(coding)
        guard let acceptEncoding else { return coding == "identity" }
        var wildcard: Bool?
        for member in FieldList.members([acceptEncoding]) {
            let pieces = member.split(separator: ";", omittingEmptySubsequences: false)
            let name = canonical(String(ASCII.trimmed(pieces[0])))
            let isWanted = pieces.dropFirst().allSatisfy { !isZeroWeight($0) }
            if name == coding { return isWanted }
            if name == "*" { wildcard = isWanted }
        }
        return wildcard ?? (coding == "identity")
    }

    /// The name by which codings are compared: "x-gzip" is equivalent to "gzip" (RFC 9110 §8.4.1.3).
    private static func canonical(_ coding: String) -> String {
        let name = FieldList.lowercased(coding)
        return name == "x-gzip" ? "gzip" : name
    }

    /// Whether a parameter is "q=0", "q=0.0" and so on: not acceptable. A parameter that is no weight forbids nothing.
    private static func isZeroWeight(_ parameter: Substring) -> Bool {
        let text = FieldList.lowercased(parameter.filter { $0 != " " && $0 != "\t" })
        guard text.hasPrefix("q=0") else { return false }
        return text.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
    }

    /// "deflate" means the zlib format, but some servers send the bare format. The zlib header distinguishes them (RFC
    /// 1950 §2.2).
    static func isZlibFormat(_ body: Bytes) -> Bool {
        guard body.count >= 2 else { return true }
        return body[0] & 0x0F == 8 && (Int(body[0]) << 8 | Int(body[1])) % 31 == 0
    }

    /// Expands one coding. Consecutive gzip members are one body (RFC 1952 §2.2).
    private static func expand(_ body: Bytes, window: Int32, limit: Int) throws(ContentCodingError) -> Bytes {
        var stream = z_stream()
        guard larder_inflate_init(&stream, window) == Z_OK else { throw .noMemory }
        defer { inflateEnd(&stream) }
        let result = body.withUnsafeBufferPointer { input in
            Expansion.run(&stream, input, limit: limit, takesMembers: window > 15)
        }
        return try result.get()
    }

    /// One call of zlib on the whole input, into one buffer of known size.
    private static func pump(
        _ stream: inout z_stream, _ body: Bytes, capacity: Int, _ step: (inout z_stream) -> Bool
    ) -> (Bytes, Bool) {
        var isDone = false
        let out = body.withUnsafeBufferPointer { input in
            Bytes(room: capacity) { output, count in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: output.count)
                isDone = step(&stream)
                count = output.count - Int(stream.avail_out)
            }
        }
        return (out, isDone)
    }
}

/// The loop around `inflate`. The output buffer grows with the output, so a small decompression bomb costs no large
/// buffer.
private enum Expansion {
    static func run(
        _ stream: inout z_stream, _ input: UnsafeBufferPointer<UInt8>, limit: Int, takesMembers: Bool
    ) -> Result<Bytes, ContentCodingError> {
        // zlib counts input in 32 bits, so a longer body is refused.
        guard input.count <= Int(UInt32.max) else { return .failure(.tooLarge) }
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        var out = Bytes()
        var chunk = Bytes(repeating: 0, count: min(max(input.count * 4, 4096), 1 << 18))
        while true {
            var status = Z_OK
            let room = chunk.count
            let written = chunk.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(room)
                status = inflate(&stream, Z_NO_FLUSH)
                return room - Int(stream.avail_out)
            }
            guard out.count + written <= limit else { return .failure(.tooLarge) }
            out.append(contentsOf: chunk[..<written])
            switch status {
            case Z_STREAM_END where stream.avail_in == 0: return .success(out)
            case Z_STREAM_END:
                guard takesMembers, inflateReset(&stream) == Z_OK else { return .failure(.damaged) }
            case Z_OK: continue
            // zlib made no progress: the input is used up and the coding has not ended.
            case Z_BUF_ERROR: return .failure(.truncated)
            case Z_MEM_ERROR: return .failure(.noMemory)
            default: return .failure(.damaged)
            }
        }
    }
}
