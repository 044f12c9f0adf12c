// Several ranges of a body as one multipart response (RFC 9110 §14.6), whose length is known in advance. Parts of a
// body in the store are read piece by piece.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

struct MultipartRanges {
    let boundary: String
    let body: ResponseBody

    /// - Parameter type: the `Content-Type` of the whole body.
    /// - Returns: nil if the body is still arriving or is decoded while it is sent. Such a body can be read only once,
    ///   and several ranges need several passes.
    init?(_ source: BodySource, _ ranges: [Range<Int64>], type: String?) {
        switch source {
        case .bytes(let bytes): self.init(bytes, ranges, type: type)
        case .large(let large): self.init(large, ranges, type: type)
        case .tape, .plain: return nil
        }
    }

    private init(_ bytes: Bytes, _ ranges: [Range<Int64>], type: String?) {
        boundary = ByteRange.boundary(for: bytes)
        body = .bytes(ByteRange.multipart(body: bytes, ranges: ranges, contentType: type, boundary: boundary))
    }

    private init(_ large: any LargeBody, _ ranges: [Range<Int64>], type: String?) {
        // 128 random bits: no body contains them by chance, and nobody knew them when the body was written.
        let boundary =
            "larder-\(String(UInt64.random(in: .min ... .max), radix: 16))"
            + String(UInt64.random(in: .min ... .max), radix: 16)
        self.boundary = boundary
        var parts: [any BodyReader] = []
        var length: Int64 = 0
        func add(_ text: String) {
            var bytes = Bytes()
            HeaderField.append(text, to: &bytes)
            length += Int64(bytes.count)
            parts.append(WholeBodyReader(bytes))
        }
        for range in ranges {
            let place = ByteRange.contentRange(range, length: large.length)
            let kind = type.map { "Content-Type: \($0)\r\n" } ?? ""
            add("--\(boundary)\r\n\(kind)Content-Range: \(place)\r\n\r\n")
            parts.append(large.reader(range))
            length += range.upperBound - range.lowerBound
            add("\r\n")
        }
        add("--\(boundary)--\r\n")
        body = .stream(ChainedBodyReader(parts), length: length)
    }
}
