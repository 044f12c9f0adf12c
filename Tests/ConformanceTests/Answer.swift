// The responses of the origin in a scenario, sent byte for byte after the placeholders are filled in. Nothing here knows
// what a correct response is.
//   {n}              the number of this request for its path, from 1
//   {origin}, {host} "http://127.0.0.1:port" of the origin itself; the same without "http://"
//   {now}, {now-60}  an IMF-fixdate (RFC 9110 §5.6.7) this many seconds from the time of the scenario
//   {rfc850+60}, {asctime+60}  the two older forms
//   {got:Name}       the value of this field in the request, or "-" if there is no request

/// One response of the origin.
struct Answer: Sendable {
    enum Part: Sendable {
        case text(String)
        case bytes([UInt8])
        /// Waits until a step of the scenario opens the gate.
        case gate(String)
        /// Closes the connection.
        case close
        /// Resets the connection.
        case reset
    }

    /// The path, including the query, for which the response is meant. Nil means every path without its own responses.
    var path: String?
    var parts: [Part]

    /// The same response, held back until the gate opens.
    func held(at gate: String) -> Answer {
        Answer(path: path, parts: [.gate(gate)] + parts)
    }
}

/// A complete response with these lines, a Content-Length and a body.
func reply(
    _ lines: String..., status: String = "200 OK", body: String = "body {n}", at path: String? = nil
) -> Answer {
    let head = (["HTTP/1.1 \(status)"] + lines).joined(separator: "\r\n")
    // The length is known once the placeholders are filled in.
    return Answer(path: path, parts: [.text("\(head)\r\nContent-Length: {length:\(body)}\r\n\r\n\(body)")])
}

/// A head without a body, for HEAD or with status 304 or 204.
func replyHead(_ lines: String..., status: String = "200 OK", at path: String? = nil) -> Answer {
    let head = (["HTTP/1.1 \(status)"] + lines).joined(separator: "\r\n")
    return Answer(path: path, parts: [.text("\(head)\r\n\r\n")])
}

/// A 304 with these lines.
func notModified(_ lines: String..., at path: String? = nil) -> Answer {
    let head = (["HTTP/1.1 304 Not Modified"] + lines).joined(separator: "\r\n")
    return Answer(path: path, parts: [.text("\(head)\r\n\r\n")])
}

/// Closes the connection instead of responding.
func disconnection(at path: String? = nil) -> Answer { Answer(path: path, parts: [.close]) }

/// A response of exactly these parts.
func say(_ parts: Answer.Part..., at path: String? = nil) -> Answer { Answer(path: path, parts: parts) }
