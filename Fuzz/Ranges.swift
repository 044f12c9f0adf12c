// Range from any bytes: parts lie inside the representation, are few and apart.
// Fuzzes: LarderHTTP/Semantics/ByteRange.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let length = Int64(start[0])
    let text = HeaderField.text(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let outcome = ByteRange.evaluate(
        requestFields: ["Range": text, "If-Range": "\"x\""], length: length, etag: EntityTag(opaque: "x"),
        lastModified: nil, date: nil)
    let parts: [Range<Int64>] =
        switch outcome {
        case .whole, .unsatisfiable: []
        case .single(let part): [part]
        case .several(let several): several
        }
    precondition(parts.count <= ByteRange.maxRanges)
    for part in parts { precondition(part.lowerBound >= 0 && part.upperBound <= length && !part.isEmpty) }
    let sorted = parts.sorted { $0.lowerBound < $1.lowerBound }
    for (one, next) in zip(sorted, sorted.dropFirst()) { precondition(one.upperBound < next.lowerBound) }
    let body = Bytes(repeating: 0, count: Int(length))
    let whole = parts.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound) }
    precondition(ByteRange.multipart(body: body, ranges: parts, contentType: text, boundary: "b").count > whole)
    return 0
}
