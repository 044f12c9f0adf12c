// Dates from any bytes: what is read can be written and read again as the same instant.
// Fuzzes: LarderHTTP/Semantics/HTTPDate.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = HeaderField.text(UnsafeBufferPointer(start: start, count: count))
    let now = WallTime(seconds: 1_795_176_000)
    guard let time = HTTPDate.parse(text, now: now) else { return 0 }
    precondition(time.milliseconds % 1000 == 0)
    let written = HTTPDate.format(time)
    // A leap second at the end of year 9999 lies outside what can be written.
    precondition(written.utf8.count == 29)
    precondition(HTTPDate.parse(written, now: now) == time || time.seconds > 253_402_300_799)
    return 0
}
