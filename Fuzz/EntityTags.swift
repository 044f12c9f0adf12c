// Entity tags and lists of them from any bytes: what is read is written as it was, and conditions always decide.
// Fuzzes: LarderHTTP/Semantics/EntityTag.swift LarderHTTP/Semantics/Conditional.swift LarderHTTP/Semantics/FieldList.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = HeaderField.text(UnsafeBufferPointer(start: start, count: count))
    let tag = EntityTag.parse(text)
    if let tag {
        precondition(tag.description.unicodeScalars.elementsEqual(text.unicodeScalars))
        precondition(EntityTagList.parse([text]) == .tags([tag]))
    }
    if case .tags(let tags) = EntityTagList.parse([text]) {
        precondition(EntityTagList.parse([tags.map(\.description).joined(separator: ",")]) == .tags(tags))
    }
    let outcome = Conditional.evaluate(
        method: .get, requestFields: ["If-Match": text, "If-None-Match": text], status: 200, etag: tag,
        lastModified: nil,
        now: WallTime(seconds: 0))
    // A strong tag that matches If-Match matches If-None-Match too; a weak one fails If-Match.
    if let tag { precondition(outcome == (tag.isWeak ? .preconditionFailed : .notModified)) }
    return 0
}
