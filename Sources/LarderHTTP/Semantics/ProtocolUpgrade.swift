// A change of protocol on a connection (RFC 9110 §7.8): what a request asks for, and what its server answered. A proxy
// removes Upgrade with the other fields of a connection, and so must say it anew when it passes the change on.
import LarderCore

/// The protocols that a request would change to, among those permitted, as the client wrote them. Never empty.
public struct ProtocolUpgrade: Sendable, Hashable {
    public let protocols: [String]

    /// Nil if the request asks for none that is permitted, or has content: the change is the server's to decline.
    /// - Parameter others: the names that are permitted besides `websocket` (RFC 6455), in lower case; nil for all that
    ///   are not HTTP.
    public init?(_ fields: HeaderFields, isVersion10: Bool = false, others: [String]? = []) {
        guard fields.contains(.upgrade), !isVersion10, !fields.contains(.transferEncoding),
            fields.first(.contentLength) ?? "0" == "0",
            FieldList.names(fields.all(.connection)).contains("upgrade")
        else { return nil }
        protocols = FieldList.members(fields.all(.upgrade)).map(String.init).filter { asked in
            let name = FieldList.lowercased(String(asked.prefix { $0 != "/" }))
            guard let others else { return !["h2c", "h2", "http"].contains(name) }
            return name == "websocket" || others.contains(name) || others.contains(FieldList.lowercased(asked))
        }
        if protocols.isEmpty { return nil }
    }

    /// The head of the request for the next server.
    /// - Parameters:
    ///   - target: the request target, in origin form or in absolute form.
    ///   - fields: end-to-end fields, without Host.
    public func head(_ method: Method, _ target: String, host: String, _ fields: HeaderFields) -> Bytes {
        var head = Bytes(text: "\(method.name) \(target) HTTP/1.1\r\n")
        ResponseEncoder.appendField("Host", host, to: &head)
        for field in fields { ResponseEncoder.appendField(field.name, field.value, to: &head) }
        ResponseEncoder.appendField("Connection", "Upgrade", to: &head)
        ResponseEncoder.appendField("Upgrade", protocols.joined(separator: ", "), to: &head)
        ResponseEncoder.endHead(&head)
        return head
    }
}

/// Reads the answer to such a request from its bytes.
public struct UpgradeAnswer: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// More bytes are needed.
        case incomplete
        /// The protocol has changed. `rest` follows the head, in the new protocol.
        case switched(to: String, fields: HeaderFields, rest: Bytes)
        case refused(status: Int, fields: HeaderFields)
        case malformed(String)
    }

    private let upgrade: ProtocolUpgrade
    private var bytes = Bytes()
    /// Where the present head begins, and up to where its end was looked for.
    private var (start, seen) = (0, 0)
    /// The longest answer that is read, interim responses included, in bytes.
    private static let longest = 64 << 10

    public init(to upgrade: ProtocolUpgrade) { self.upgrade = upgrade }

    /// Takes the next bytes.
    public mutating func take(_ next: UnsafeRawBufferPointer) -> Outcome {
        bytes += next
        while let end = end() {
            guard let (status, fields) = Self.head(bytes[start..<end]) else {
                return .malformed("The answer is no HTTP response.")
            }
            (start, seen) = (end, end)
            switch status {
            case 101:
                let chosen = FieldList.members(fields.all(.upgrade))
                guard chosen.count == 1, FieldList.names(fields.all(.connection)).contains("upgrade"),
                    upgrade.protocols.contains(where: { ASCII.equalFolded($0, String(chosen[0])) })
                else { return .malformed("The answer changes to a protocol that was not asked for.") }
                return .switched(
                    to: String(chosen[0]), fields: HopByHop.endToEnd(fields), rest: Bytes(bytes[end...]))
            case 100..<200: continue
            default: return .refused(status: status, fields: HopByHop.endToEnd(fields))
            }
        }
        return bytes.count > Self.longest ? .malformed("The head of the answer is too long.") : .incomplete
    }

    /// Where the present head ends, behind its empty line.
    private mutating func end() -> Int? {
        while seen + 4 <= min(bytes.count, Self.longest) {
            if bytes[seen] == 0x0D, bytes[seen + 1] == 0x0A, bytes[seen + 2] == 0x0D, bytes[seen + 3] == 0x0A {
                return seen + 4
            }
            seen += 1
        }
        return nil
    }

    /// The status and the fields of a head (RFC 9112 §4, §5).
    private static func head(_ bytes: Bytes.SubSequence) -> (status: Int, fields: HeaderFields)? {
        let lines = bytes.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
        guard let first = lines.first, first.starts(with: "HTTP/1.".utf8), first.count >= 12,
            [0x30, 0x31].contains(first[first.startIndex + 7]), first[first.startIndex + 8] == 0x20
        else { return nil }
        let code = first.dropFirst(9).prefix { $0 != 0x20 }
        guard code.count == 3, let status = Int(HeaderField.text(code)), (100..<600).contains(status) else {
            return nil
        }
        var fields = HeaderFields()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
                line[..<colon].allSatisfy(ASCII.isToken)
            else { return nil }
            let value = HeaderField.text(line[(colon + 1)...])
            fields.add(HeaderField.text(line[..<colon]), String(ASCII.trimmed(value[...])))
        }
        return (status, fields)
    }
}
