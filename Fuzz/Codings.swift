// Coded bodies from any bytes: never more than the limit comes out, and what is made can be undone.
// Fuzzes: LarderHTTP/Semantics/ContentCoding.swift LarderHTTP/Semantics/ContentInflater.swift LarderHTTP/Semantics/Preferences.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let body = Bytes(UnsafeBufferPointer(start: start, count: count))
    for coding in ["gzip", "deflate", "deflate, gzip"] {
        if let plain = try? ContentCoding.inflate(body, coding: coding, limit: 65_536) {
            precondition(plain.count <= 65_536)
        }
    }
    let coded = try? ContentCoding.gzip(body, level: 1)
    precondition(coded != nil)
    precondition(coded.flatMap { try? ContentCoding.inflate($0, coding: "gzip", limit: count) } == body)
    _ = ContentCoding.accepts(HeaderField.text(body), "gzip")
    return 0
}
