// Reads the context of a distributed trace from a request and passes it on (W3C Trace Context,
// www.w3.org/TR/trace-context-1). A client that sends no context gets none: Larder starts no trace and samples nothing.
import LarderCore

/// A valid `traceparent`, with its `tracestate`.
public struct TraceContext: Sendable, Hashable {
    /// Fields that are written anew for each upstream request.
    public static let fields: FieldNameSet = ["traceparent", "tracestate"]

    /// 32 hexadecimal digits in lower case.
    public var traceID: String
    /// Of version 00, only the sampled flag has a meaning. The other flags are sent as zero (§3.2.2.5).
    var isSampled: Bool
    /// As received; nil if it is absent or invalid.
    var state: String?

    /// Nil if there is no `traceparent`, more than one, or an invalid one (§4.3).
    public init?(_ fields: HeaderFields) {
        guard fields.contains(.traceparent) else { return nil }
        let lines = fields.all(.traceparent)
        guard lines.count == 1, let line = lines.first, let read = Self.parse(line) else { return nil }
        traceID = read.traceID
        isSampled = read.isSampled
        state = Self.state(fields.all(.tracestate))
    }

    /// Parses `version-traceid-parentid-flags`. A later version may have more after another hyphen and is read as 00
    /// (§4.3).
    private static func parse(_ line: String) -> (traceID: String, isSampled: Bool)? {
        let parts = ASCII.trimmed(line[...]).split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, isHex(parts[0], 2), parts[0] != "ff", parts.count == 4 || parts[0] != "00",
            isHex(parts[1], 32), parts[1].contains(where: { $0 != "0" }),
            isHex(parts[2], 16), parts[2].contains(where: { $0 != "0" }),
            isHex(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        return (String(parts[1]), flags & 1 == 1)
    }

    /// Whether the text has exactly `count` hexadecimal digits. Only lower case is valid (§3.2.2).
    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
    }

    /// The `tracestate` with at most 32 members `key=value`. A list that breaks the rules is not passed on (§3.3.1).
    private static func state(_ lines: [String]) -> String? {
        let members = FieldList.members(lines).filter { !$0.isEmpty }
        guard !members.isEmpty, members.count <= 32, members.allSatisfy({ isMember(String($0)) }) else { return nil }
        return members.joined(separator: ",")
    }

    private static func isMember(_ member: String) -> Bool {
        let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...256).contains(parts[0].utf8.count), (1...256).contains(parts[1].utf8.count)
        else { return false }
        let isKey = parts[0].utf8.allSatisfy {
            ASCII.isLowercaseLetter($0) || ASCII.isDigit($0) || [0x5F, 0x2D, 0x2A, 0x2F, 0x40].contains($0)
        }
        return isKey && parts[1].utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3D && $0 != 0x2C }
    }

    /// Writes the context of a request that Larder makes, replacing the context in `fields`.
    /// - Parameter parent: identifies that request; not 0.
    public func continued(as parent: UInt64, in fields: inout HeaderFields) {
        let digits = String(parent, radix: 16)
        let name = String(repeating: "0", count: 16 - digits.count) + digits
        fields.set(.traceparent, "00-\(traceID)-\(name)-0\(isSampled ? 1 : 0)")
        fields.remove(.tracestate)
        if let state { fields.add(.tracestate, state) }
    }
}
