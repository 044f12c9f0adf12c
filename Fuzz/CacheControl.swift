// Cache-Control from any bytes: figures stay in bounds, and a forbidding directive behind anything is heard.
// Fuzzes: LarderHTTP/Semantics/CacheControl.swift LarderHTTP/Semantics/FieldList.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = HeaderField.text(UnsafeBufferPointer(start: start, count: count))
    let control = CacheControl([text])
    let figures = [
        control.maxAge, control.sMaxAge, control.minFresh, control.staleIfError, control.staleWhileRevalidate,
    ]
    for case .some(let figure) in figures { precondition((0...DeltaSeconds.limit).contains(figure)) }
    precondition(control.noCache || control.noCacheFields.isEmpty)
    precondition(control.isPrivate || control.privateFields.isEmpty)
    let strict = CacheControl([text, "no-store, no-cache"])
    precondition(strict.noStore && strict.noCache && strict.noCacheFields.isEmpty)
    precondition(strict.maxAge == control.maxAge)
    // Reading what was read changes nothing.
    precondition(CacheControl(FieldList.members([text]).map(String.init)) == control)
    return 0
}
