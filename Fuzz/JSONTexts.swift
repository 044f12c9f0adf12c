// JSON from any bytes: read or refused, and what the writer makes of it is read again.
// Fuzzes: LarderCore/JSON.swift LarderCore/JSONParser.swift LarderCore/JSONValue.swift LarderCore/JSONWriter.swift LarderCore/ByteCursor.swift
import LarderCore

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Bytes(UnsafeBufferPointer(start: start, count: count))
    guard let value = try? JSON.parse(input) else { return 0 }
    precondition(value.range.lowerBound >= 0 && value.range.upperBound <= count)
    visit(value, depth: 0)
    var writer = JSONWriter()
    writer.array { $0.raw(value.raw) }
    precondition((try? JSON.parse(writer.bytes, maxDepth: JSON.defaultMaxDepth + 1)) != nil)
    return 0
}

private func visit(_ value: JSONValue, depth: Int) {
    precondition(depth <= JSON.defaultMaxDepth)
    if let text = value.string {
        var writer = JSONWriter()
        writer.string(text)
        precondition((try? JSON.parse(writer.bytes))?.string == text, "a text changed on the way through the writer")
    }
    for element in value.elements { visit(element, depth: depth + 1) }
    for member in value.members { visit(member.value, depth: depth + 1) }
}
