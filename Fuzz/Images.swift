// Images from any bytes: recognising one never reads outside it, and cutting a whole one never makes it another type.
// Fuzzes: LarderHTTP/Semantics/MediaType.swift LarderHTTP/Semantics/MediaType+Video.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let body = Bytes(UnsafeBufferPointer(start: start, count: count))
    guard let image = MediaType.sniffImage(body) else { return 0 }
    precondition(image.type.hasPrefix("image/"))
    if let cut = MediaType.sniffImage(Bytes(body.dropLast())) { precondition(cut.type == image.type) }
    return 0
}
