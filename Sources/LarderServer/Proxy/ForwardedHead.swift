// The head of a request in absolute form that passes to its host unread: a request of one connection of its own, which
// ends with the response. So the response needs no reading, and no second request can follow on the connection.
import LarderCore
import LarderHTTP

enum ForwardedHead {
    /// The bytes for the host (RFC 9112 §3.2.1, RFC 9110 §7.6).
    /// - Parameter framing: that of the body, which follows as the client sends it.
    static func bytes(_ request: ServerRequest, framing: BodyFraming, to target: ProxyTarget) -> Bytes {
        var fields = Self.fields(request)
        fields.set(.host, target.authority)
        if [.options, .trace].contains(request.method), let left = MaxForwards.left(fields), left > 0 {
            fields.set(.maxForwards, String(left - 1))
        }
        var head = Bytes(text: "\(request.method.name) ")
        head += Bytes(text: self.target(request))
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

    /// The response if the host sends none.
    static func noAnswer(of target: ProxyTarget, _ id: RequestID) -> Bytes {
        let response = ProblemEncoder.response(
            for: .noTunnel(to: target, "The host closed the connection without an answer."), requestID: id)
        guard case .bytes(let body) = response.body else { return Bytes() }
        var bytes = Bytes()
        ResponseEncoder.append(
            ResponseHead(status: response.status, fields: response.fields), length: body.count, to: &bytes)
        ResponseEncoder.appendField("X-Request-Id", id.description, to: &bytes)
        ResponseEncoder.appendField("Connection", "close", to: &bytes)
        ResponseEncoder.endHead(&bytes)
        return bytes + body
    }

    /// The bytes of a request that would change the protocol.
    static func upgrade(_ request: ServerRequest, _ upgrade: ProtocolUpgrade, to target: ProxyTarget) -> Bytes {
        var fields = Self.fields(request)
        fields.remove(.host)
        return upgrade.head(request.method, self.target(request), host: target.authority, fields)
    }

    private static func fields(_ request: ServerRequest) -> HeaderFields {
        var fields = HopByHop.endToEnd(request.fields)
        fields.remove(.contentLength)
        Via.append(to: &fields, version: request.isVersion10 ? "1.0" : "1.1")
        return fields
    }

    private static func target(_ request: ServerRequest) -> String {
        request.path + (request.query.map { "?\($0)" } ?? "")
    }
}
