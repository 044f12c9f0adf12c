// What the origin of a scenario answers. Everything is text that goes out byte for byte, after placeholders were
// filled in: nothing here knows what a correct answer is.
//
//   {n}              which request for this path it is, from 1
//   {origin}         "http://127.0.0.1:port" of the origin itself
//   {host}           the same without "http://"
//   {now}, {now-60}  an IMF-fixdate (RFC 9110 §5.6.7) so many seconds from the time of the scenario
//   {rfc850+60}, {asctime+60}  the two older forms
//   {got:Name}       the value of that field in the request, "-" where it was not there

/// One answer of the origin.
struct Answer: Sendable {
    enum Part: Sendable {
        case text(String)
        case bytes([UInt8])
        /// Waits until a step of the scenario opens the gate.
        case gate(String)
        /// Ends the connection.
        case close
        /// Ends it with a reset.
        case reset
    }

    /// Only for requests of this path, query included; nil for every path without answers of its own.
    var path: String?
    var parts: [Part]

    /// The same, but nothing is sent before the gate opens.
    func held(at gate: String) -> Answer {
        Answer(path: path, parts: [.gate(gate)] + parts)
    }
}

/// A whole answer with these lines, a Content-Length and a body.
func reply(
    _ lines: String..., status: String = "200 OK", body: String = "body {n}", at path: String? = nil
) -> Answer {
    let head = (["HTTP/1.1 \(status)"] + lines).joined(separator: "\r\n")
    // The length is known once the placeholders are filled in.
    return Answer(path: path, parts: [.text("\(head)\r\nContent-Length: {length:\(body)}\r\n\r\n\(body)")])
}

/// A head without a body: to HEAD, or with 304 or 204.
func replyHead(_ lines: String..., status: String = "200 OK", at path: String? = nil) -> Answer {
    let head = (["HTTP/1.1 \(status)"] + lines).joined(separator: "\r\n")
    return Answer(path: path, parts: [.text("\(head)\r\n\r\n")])
}

/// 304 with these lines.
func notModified(_ lines: String..., at path: String? = nil) -> Answer {
    let head = (["HTTP/1.1 304 Not Modified"] + lines).joined(separator: "\r\n")
    return Answer(path: path, parts: [.text("\(head)\r\n\r\n")])
}

/// Closes the connection instead of answering.
func disconnection(at path: String? = nil) -> Answer { Answer(path: path, parts: [.close]) }

/// These parts, whatever they are.
func say(_ parts: Answer.Part..., at path: String? = nil) -> Answer { Answer(path: path, parts: parts) }
