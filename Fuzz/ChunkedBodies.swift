// Chunked bodies from any bytes: bounded, and the same whether they come in one piece or byte by byte.
// Fuzzes: LarderHTTP/Wire/ChunkedDecoder.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let limit = 256
    var whole = ChunkedDecoder()
    var body = Bytes()
    let (used, progress) = whole.decode(input, into: &body, limit: limit)
    precondition(used <= count && body.count <= limit)

    var pieces = ChunkedDecoder()
    var pieced = Bytes()
    var taken = 0
    var end = ChunkedDecoder.Progress.more
    while taken < count, end == .more {
        let one = UnsafeBufferPointer(rebasing: input[taken..<taken + 1])
        let step = pieces.decode(one, into: &pieced, limit: limit)
        end = step.progress
        if step.used == 0 { break }
        taken += step.used
    }
    precondition(end == progress, "the pieces' size changed the outcome")
    if case .fault = progress { return 0 }
    precondition(taken == used && pieced == body)
    return 0
}
