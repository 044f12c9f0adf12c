// Encodes response heads (RFC 9112 §4). Framing fields belong to the encoder. Those that a handler sets are dropped, so
// no response can be sent with two lengths.
import LarderCore

/// A response head before it is encoded.
public struct ResponseHead: Sendable, Hashable {
    public var status: Int
    /// The reason phrase; nil for the standard one.
    public var reason: String?
    public var fields: HeaderFields

    public init(status: Int, reason: String? = nil, fields: HeaderFields = [:]) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }
}

public enum ResponseEncoder {
    /// "100 Continue", which is sent before a response (RFC 9110 §15.2.1).
    public static let `continue` = Bytes(text: "HTTP/1.1 100 Continue\r\n\r\n")

    /// Whether responses with this status never have a body, and so no length (RFC 9110 §6.4.1, §8.6).
    public static func forbidsBody(_ status: Int) -> Bool { status < 200 || status == 204 || status == 304 }

    /// Appends the status line and the fields, without the empty line.
    /// - Parameter length: the body's length in bytes; for a response to HEAD, the length it would have. Nil writes
    ///   none.
    public static func append(_ head: ResponseHead, length: Int?, to out: inout Bytes) {
        let reason = head.reason ?? StatusText.reason(head.status)
        // The status line and the length need less than this in addition to the reason.
        let size = 96 + reason.utf8.count + head.fields.wireSize
        write(atMost: size, to: &out) { cursor in
            cursor.put("HTTP/1.1 ")
            cursor.put(String(head.status))
            cursor.put(0x20)
            put(text: reason, to: &cursor)
            putLineEnd(to: &cursor)
            let areSendable = head.fields.isSendable
            head.fields.visit { line in
                if line.isIn(framing) { return true }
                if areSendable {
                    cursor.put(line.wire)
                } else {
                    put(HeaderField.text(line.name), HeaderField.text(line.value), to: &cursor)
                }
                return true
            }
            if let length, !forbidsBody(head.status) { put("Content-Length", String(length), to: &cursor) }
        }
    }

    /// Appends one field line. A byte that would end the line or the head is written as a space, so no value from
    /// elsewhere can add a line (RFC 9110 §5.5).
    public static func appendField(_ name: String, _ value: String, to out: inout Bytes) {
        write(atMost: room(name, value), to: &out) { put(name, value, to: &$0) }
    }

    /// Appends the empty line that ends a head.
    public static func endHead(_ out: inout Bytes) {
        out.append(0x0D)
        out.append(0x0A)
    }

    /// Writes to temporary memory, and appends the result to `out` at once.
    private static func write(atMost size: Int, to out: inout Bytes, _ body: (inout ByteCursor) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { memory in
            var cursor = ByteCursor(memory)
            body(&cursor)
            out.append(contentsOf: cursor.written(from: 0))
        }
    }

    /// The most bytes that a line needs. Each scalar becomes one byte, and takes one or more bytes in UTF-8.
    private static func room(_ name: String, _ value: String) -> Int { name.utf8.count + value.utf8.count + 4 }

    /// Writes one field line, or nothing if the name is invalid.
    private static func put(_ name: String, _ value: String, to cursor: inout ByteCursor) {
        let start = cursor.count
        cursor.put(name)
        guard cursor.count > start, cursor.written(from: start).allSatisfy({ Octet.isToken($0) }) else {
            return cursor.goBack(to: start)
        }
        cursor.put(0x3A)
        cursor.put(0x20)
        put(text: value, to: &cursor)
        putLineEnd(to: &cursor)
    }

    /// Writes a text whose scalars stand for bytes. A byte that is not allowed in a value becomes a space.
    private static func put(text: String, to cursor: inout ByteCursor) {
        let start = cursor.count
        cursor.put(text)
        // The loop always runs to the end, so that the compiler can process many bytes per step.
        var others: UInt8 = 0
        for byte in cursor.written(from: start) { others |= byte &- 0x20 < 0x5F ? 0 : 1 }
        // Nearly every text is printable ASCII.
        if others == 0 { return }
        cursor.goBack(to: start)
        for scalar in text.unicodeScalars {
            let byte = scalar.value < 0x100 ? UInt8(truncatingIfNeeded: scalar.value) : 0x3F
            cursor.put(Octet.isValue(byte) ? byte : 0x20)
        }
    }

    private static func putLineEnd(to cursor: inout ByteCursor) {
        cursor.put(0x0D)
        cursor.put(0x0A)
    }

    /// Fields that say how the message is framed and whether the connection stays open, including HTTP/1.0's
    /// Keep-Alive.
    private static let framing: FieldNameSet = ["Connection", "Keep-Alive", "Content-Length", "Transfer-Encoding"]
}

/// Standard reason phrases (RFC 9110 §15, RFC 6585).
public enum StatusText {
    public static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 425: "Too Early"
        case 101: "Switching Protocols"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
