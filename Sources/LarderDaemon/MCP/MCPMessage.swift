// The messages of the Model Context Protocol (modelcontextprotocol.io, version 2025-11-25): JSON-RPC 2.0, one object per
// message. Batches exist in one version only and are refused.
import LarderCore

/// A message of a client.
enum MCPMessage {
    /// - Parameter id: the JSON of the id, a string or a number.
    case request(id: Bytes, method: String, params: JSONValue?)
    /// A notification, or a response: nobody waits for an answer.
    case notification

    init(_ body: Bytes) throws(MCPError) {
        guard let value = try? JSON.parse(body) else { throw MCPError(.parse, "The message is not JSON.") }
        guard value.kind == .object, value["jsonrpc"]?.string == "2.0" else {
            throw MCPError(.invalidRequest, "The message is not one JSON-RPC 2.0 object.")
        }
        guard let id = value["id"] else {
            guard value["method"]?.string != nil else {
                throw MCPError(.invalidRequest, "The message has neither a method nor an id.")
            }
            self = .notification
            return
        }
        guard let method = value["method"]?.string else {
            // A response. This server asks its clients for nothing.
            guard value["result"] != nil || value["error"] != nil else {
                throw MCPError(.invalidRequest, "The message has no method.", id: id.raw)
            }
            self = .notification
            return
        }
        guard id.kind == .string || id.kind == .number else {
            throw MCPError(.invalidRequest, "The id must be a string or a number.")
        }
        self = .request(id: id.raw, method: method, params: value["params"])
    }
}

/// An error of the protocol (JSON-RPC 2.0 §5.1). What a tool could not do is a result of the tool instead.
struct MCPError: Error {
    enum Code: Int {
        case parse = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
    }

    var code: Code
    var message: String
    /// The id of the message, if it could be read.
    var id: Bytes?

    init(_ code: Code, _ message: String, id: Bytes? = nil) {
        (self.code, self.message, self.id) = (code, message, id)
    }

    /// The response that tells it. Without an id the request could not be read.
    func response(to id: Bytes?) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.member("id", raw: id ?? self.id ?? Bytes(text: "null"))
            writer.name("error")
            writer.object { writer in
                writer.member("code", code.rawValue)
                writer.member("message", message)
            }
        }
        return writer.bytes
    }
}

extension MCPMessage {
    /// The response with a result.
    static func result(_ id: Bytes, _ body: (inout JSONWriter) -> Void) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.member("id", raw: id)
            writer.name("result")
            writer.object(body)
        }
        return writer.bytes
    }
}
