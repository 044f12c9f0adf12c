// The head of a request in absolute form that passes to its host unread: a request of one connection of its own, which
// ends with the response. So the response needs no reading, and no second request can follow on the connection.
import LarderCore
import LarderHTTP

enum ForwardedHead {
    /// The bytes for the host (RFC 9112 §3.2.1, RFC 9110 §7.6).
    /// - Parameter framing: that of the body, which follows as the client sends it.
    static func bytes(_ request: ServerRequest, framing: BodyFraming, to target: ProxyTarget) -> Bytes {
        var fields = HopByHop.endToEnd(request.fields)
        fields.remove(.contentLength)
        fields.set(.host, target.authority)
        if [.options, .trace].contains(request.method), let left = MaxForwards.left(fields), left > 0 {
            fields.set(.maxForwards, String(left - 1))
        }
        Via.append(to: &fields, version: request.isVersion10 ? "1.0" : "1.1")
        var head = Bytes(text: "\(request.method.name) ")
        head += Bytes(text: request.path)
        if let query = request.query { head += Bytes(text: "?\(query)") }
        head += Bytes(text: request.isVersion10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n")
        for field in fields { ResponseEncoder.appendField(field.name, field.value, to: &head) }
        switch framing {
        case .none: break
        case .length(let length): ResponseEncoder.appendField("Content-Length", String(length), to: &head)
        case .chunked: ResponseEncoder.appendField("Transfer-Encoding", "chunked", to: &head)
        }
        ResponseEncoder.appendField("Connection", "close", to: &head)
        ResponseEncoder.endHead(&head)
        return head
    }
}
