// Several ranges of a body that is read from the store piece by piece (RFC 9110 §14.6), with a length known beforehand.
import LarderCore
import LarderHTTP
import LarderServer

struct MultipartRanges {
    let boundary: String
    let body: ResponseBody

    init(_ large: any LargeBody, _ ranges: [Range<Int64>], type: String?) {
        // 128 random bits: no body holds them by chance, and none was written knowing them.
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
            parts.append(LargeBodyReader(large, range: range))
            length += range.upperBound - range.lowerBound
            add("\r\n")
        }
        add("--\(boundary)--\r\n")
        body = .stream(ChainedBodyReader(parts), length: length)
    }
}
