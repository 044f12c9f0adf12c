// Images from any bytes: recognising one never reads outside it, cutting a whole one never makes it another type, and
// the pieces in which one comes change nothing.
// Fuzzes: LarderHTTP/Semantics/MediaType.swift LarderHTTP/Semantics/ImageCheck.swift LarderHTTP/Semantics/MediaType+Video.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let body = Bytes(UnsafeBufferPointer(start: start, count: count))
    let size = Int(body.last ?? 0) % 7 + 1
    var check = ImageCheck()
    for start in stride(from: 0, to: body.count, by: size) {
        check.add(Bytes(body[start..<min(start + size, body.count)]))
    }
    let image = MediaType.sniffImage(body)
    precondition(check.type == image?.type && check.isComplete == (image?.isComplete ?? false))
    guard let image else { return 0 }
    precondition(image.type.hasPrefix("image/"))
    if let cut = MediaType.sniffImage(Bytes(body.dropLast())) { precondition(cut.type == image.type) }
    return 0
}
