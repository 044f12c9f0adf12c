// Heads of answers from any bytes: what is let through holds one framing, no line end inside a line, and reads the same
// when it is written down and read again.
// Fuzzes: LarderHTTP/Wire/ResponseHeadReader.swift LarderHTTP/Wire/Octet.swift LarderCore/HeaderFields.swift LarderCore/HeaderField.swift LarderCore/FieldName.swift
import LarderCore
import LarderHTTP

/// Lines with their line feeds; a last one without stays as it is.
private func lines(_ bytes: Bytes) -> [Bytes] {
    var lines: [Bytes] = []
    var line = Bytes()
    for byte in bytes {
        line.append(byte)
        if byte == 0x0A {
            lines.append(line)
            line = []
        }
    }
    if !line.isEmpty { lines.append(line) }
    return lines
}

/// The reader after the final head, nil where there is none.
private func read(_ bytes: Bytes, method: Method) -> ResponseHeadReader? {
    var reader = ResponseHeadReader(method: method)
    for line in lines(bytes) {
        var isOver = false
        var isFault = false
        line.withUnsafeBytes { raw in
            do throws(ResponseHeadFault) {
                if case .complete = try reader.take(raw) { isOver = true }
            } catch {
                isFault = true
            }
        }
        if isFault { return nil }
        if isOver { return reader }
    }
    return nil
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Bytes(UnsafeBufferPointer(start: start, count: count))
    // The first byte chooses the method: a head's framing depends on it.
    guard let choice = input.first else { return 0 }
    let method: Method = choice & 1 == 0 ? .get : .head
    guard let reader = read(Bytes(input.dropFirst()), method: method) else { return 0 }

    precondition((200..<600).contains(reader.status) && reader.interim.count <= ResponseHeadReader.maxInterim)
    let lengths = reader.fields.all("Content-Length")
    let codings = reader.fields.all("Transfer-Encoding")
    precondition(lengths.count + codings.count <= 1, "two framings")
    if case .length(let length) = reader.framing { precondition(lengths.first.flatMap { Int64($0) } == length) }
    if case .chunked = reader.framing { precondition(codings.count == 1) }

    var written = Bytes(text: "HTTP/1.\(reader.isVersion10 ? 0 : 1) \(reader.status) ")
    HeaderField.append(reader.reason, to: &written)
    written += Bytes(text: "\r\n")
    for field in reader.fields {
        precondition(!field.name.isEmpty && field.name.utf8.allSatisfy(ASCII.isToken), "a name that is no token")
        precondition(
            !field.value.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }, "a value with a control character")
        written += Bytes(text: field.name + ": ")
        HeaderField.append(field.value, to: &written)
        written += Bytes(text: "\r\n")
    }
    written += Bytes(text: "\r\n")
    guard let again = read(written, method: method) else { preconditionFailure("what was let through is refused") }
    precondition(again.fields == reader.fields && again.framing == reader.framing && again.reason == reader.reason)
    return 0
}
