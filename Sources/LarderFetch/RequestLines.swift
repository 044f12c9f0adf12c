// The field lines of a request, in the form that libcurl takes. A value that contains a line end would become a second
// field. An invalid field is therefore an error here and never reaches the wire (RFC 9110 §5.5).
import LarderCore

enum RequestLines {
    /// Fields that the connection and the body decide, not the order. libcurl writes them itself (RFC 9110 §7.6.1).
    private static let ownedByTheConnection: FieldNameSet = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// A field that cannot be sent. The message never contains a value, because a value may be a secret.
    struct Refusal: Error, Sendable, Hashable {
        var message: String
    }

    /// NUL-terminated lines, one after another, for a `curl_slist`. In libcurl's notation "Name;" sends an empty field and
    /// "Name:" removes the field that libcurl would add (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
    /// - Parameter expectsContinue: whether the body is held back until the upstream asks for it.
    static func make(
        fields: HeaderFields, secretFields: HeaderFields, hasBody: Bool, expectsContinue: Bool = false
    ) throws(Refusal) -> Bytes {
        var lines = Bytes()
        lines.reserveCapacity(fields.wireSize + secretFields.wireSize + 64)
        var refusal: Refusal?
        func add(_ line: FieldLine) {
            if line.isIn(ownedByTheConnection) { return }
            refusal = refusal ?? append(line, to: &lines)
        }
        // A credential replaces a field of the same name.
        fields.visit { line in
            if !secretFields.contains(line) { add(line) }
            return true
        }
        secretFields.visit { line in
            add(line)
            return true
        }
        if let refusal { throw refusal }
        // With a body, libcurl by default expects a 100 before any larger body, which costs a round trip or a second of waiting.
        // "Expect:" prevents that. If a 100 is wanted, we wait for it ourselves: libcurl answers a 417 by sending the
        // request again, without the field and without reporting the response. libcurl obeys the first line of a name
        // and sends the others.
        if hasBody { lines += Bytes(text: "Expect:\0") }
        if expectsContinue { lines += Bytes(text: "Expect: 100-continue\0") }
        if hasBody, !fields.contains(.contentType) { lines += Bytes(text: "Content-Type:\0") }
        return lines
    }

    /// Whether a method may stand on the request line.
    static func isMethod(_ method: Method) -> Bool {
        !method.name.isEmpty && method.name.utf8.allSatisfy(ASCII.isToken) && method.name != "CONNECT"
    }

    /// Appends one line. Returns why it cannot be sent; nil if it was appended.
    private static func append(_ field: FieldLine, to lines: inout Bytes) -> Refusal? {
        let name = field.name
        guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else {
            return Refusal(message: "A field of the request has an invalid name.")
        }
        let value = ASCII.trimmed(field.value)
        for byte in value where byte < 0x20 && byte != 0x09 || byte == 0x7F {
            let text = HeaderField.text(name)
            return Refusal(message: "The value of the field \(text) contains a control character.")
        }
        lines.append(contentsOf: name)
        lines.append(value.isEmpty ? 0x3B : 0x3A)
        if !value.isEmpty {
            lines.append(0x20)
            lines.append(contentsOf: value)
        }
        lines.append(0)
        return nil
    }
}
