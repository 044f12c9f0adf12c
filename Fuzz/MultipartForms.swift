// Forms from any bytes: bounded, the same however they are cut into pieces, and never more content than came.
// Fuzzes: LarderHTTP/Multipart
import LarderCore
import LarderHTTP

private func read(_ input: Bytes, piece: Int) -> (parts: [MultipartPart], contents: [Bytes], fault: MultipartFault?) {
    var parts: [MultipartPart] = []
    var contents: [Bytes] = []
    do throws(MultipartFault) {
        var reader = try MultipartFormReader(boundary: "b")
        var rest = input[...]
        while !rest.isEmpty {
            for event in try reader.feed(Bytes(rest.prefix(piece))) {
                switch event {
                case .part(let part):
                    parts.append(part)
                    contents.append([])
                case .content(let bytes):
                    precondition(!bytes.isEmpty, "an empty piece")
                    contents[contents.count - 1] += bytes
                case .partEnd: precondition(!parts.isEmpty)
                case .end: precondition(reader.isComplete)
                }
            }
            rest = rest.dropFirst(piece)
        }
        try reader.finish()
        return (parts, contents, nil)
    } catch {
        return (parts, contents, error)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Bytes(UnsafeBufferPointer(start: start, count: count))
    let whole = read(input, piece: max(1, count))
    precondition(whole.contents.reduce(0) { $0 + $1.count } <= count)
    precondition(whole.parts.count <= MultipartFormReader.maxParts)
    let pieces = read(input, piece: 1)
    precondition((whole.fault == nil) == (pieces.fault == nil), "the pieces' size changed the outcome")
    // What broke broke at the same place, or earlier where more came at once.
    if whole.fault == nil { precondition(whole.parts == pieces.parts && whole.contents == pieces.contents) }
    _ = MultipartFormReader.boundary(of: HeaderField.text(input))
    _ = MediaType.sniffMedia(prefix: input)
    return 0
}
