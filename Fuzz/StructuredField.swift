// Structured fields from any bytes: what is read can be written, is the same when it is read again, and has one form.
// Fuzzes: LarderHTTP/Semantics/StructuredField.swift LarderHTTP/Semantics/StructuredFieldParser.swift LarderHTTP/Semantics/StructuredField+Writing.swift LarderHTTP/Semantics/CacheControl.swift
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = HeaderField.text(UnsafeBufferPointer(start: start, count: count))
    if let dictionary = StructuredField.dictionary([text]) {
        let form = StructuredField.text(dictionary)
        precondition(StructuredField.dictionary([form]) == dictionary)
        precondition(Set(dictionary.members.map(\.key)).count == dictionary.members.count)
        // A targeted field is read by the same rules whatever it holds.
        let control = CacheControl(dictionary: dictionary)
        for case .some(let figure) in [control.maxAge, control.sMaxAge, control.staleIfError] {
            precondition((0...DeltaSeconds.limit).contains(figure))
        }
    }
    if let list = StructuredField.list([text]) {
        let form = StructuredField.text(list)
        precondition(StructuredField.list([form]) == list)
    }
    if let item = StructuredField.item([text]) {
        precondition(StructuredField.item([StructuredField.text(item)]) == item)
        precondition(StructuredField.list([text])?.count == 1)
    }
    // Texts of ours are always strings.
    precondition(StructuredField.item([StructuredField.quoted(text)]) != nil)
    precondition(StructuredField.item([StructuredField.tokenOrQuoted(text)]) != nil)
    return 0
}
