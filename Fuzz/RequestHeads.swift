// Request heads from any bytes: every offset lies inside them, and what fits in one piece is read alike in two.
// Fuzzes: LarderHTTP/Wire/RequestParser.swift LarderHTTP/Wire/RequestHead.swift LarderHTTP/Wire/HeadEnd.swift LarderHTTP/Wire/Octet.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let parser = RequestParser(limits: HeadLimits(target: 128, head: 384, fields: 8))
    var head = RequestHead()
    let whole = parser.parse(input, into: &head)
    if whole == .complete {
        precondition(head.byteCount > 0 && head.byteCount <= count)
        precondition(head.fieldCount <= 8)
        for index in 0..<head.fieldCount {
            let span = parser.field(index)
            for part in [span.name, span.value] { precondition(Int(part.start) + Int(part.count) <= head.byteCount) }
            precondition(span.name.bytes(in: input).allSatisfy(ASCII.isToken), "a name that is no token")
            let value = span.value.bytes(in: input)
            precondition(
                !value.contains(0) && !value.contains(0x0A) && !value.contains(0x0D), "a value with a line end")
        }
    }
    // What is complete needs none of the bytes behind it, and is not complete without its last one.
    if whole == .complete {
        var again = RequestHead()
        let exact = UnsafeBufferPointer(rebasing: input[..<head.byteCount])
        precondition(parser.parse(exact, into: &again) == .complete && again.byteCount == head.byteCount)
        let shorter = UnsafeBufferPointer(rebasing: input[..<(head.byteCount - 1)])
        precondition(parser.parse(shorter, into: &again) == .incomplete)
    }
    return 0
}
