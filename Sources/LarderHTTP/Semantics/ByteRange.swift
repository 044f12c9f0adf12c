// Range requests (RFC 9110 §14). A server may ignore a range. A range that is malformed, in another unit, or looks like
// an attack (§17.15: many or overlapping ranges) therefore gets the whole representation, which is always correct.
import LarderCore

/// The part of a representation that a request gets.
public enum RangeOutcome: Sendable, Hashable {
    /// 200 with everything.
    case whole
    /// 206 with one part.
    case single(Range<Int64>)
    /// 206 as `multipart/byteranges`, in the requested order. The parts do not overlap.
    case several([Range<Int64>])
    /// 416 with `Content-Range: bytes */length`.
    case unsatisfiable
}

/// Reads `Range` and `If-Range`, and renders the parts of a response.
public enum ByteRange {
    /// The most ranges in one request. If there are more, the range request is ignored and the whole representation is
    /// sent.
    public static let maxRanges = 16

    /// Decides which part of a representation a request gets.
    /// - Parameters:
    ///   - method: ranges are defined for GET only (RFC 9110 §14.2).
    ///   - length: the length of the whole representation in bytes.
    ///   - date: the response's `Date`. For `If-Range`, a `Last-Modified` counts only if it is at least one second
    ///     older than `date`, because only then is it a strong validator (RFC 9110 §8.8.2.2).
    public static func evaluate(
        method: Method = .get, requestFields: HeaderFields, length: Int64, etag: EntityTag?, lastModified: WallTime?,
        date: WallTime?
    ) -> RangeOutcome {
        let values = requestFields.all(.range)
        guard method == .get, values.count == 1, length >= 0, let wanted = parse(values[0]),
            ifRangeHolds(requestFields, etag: etag, lastModified: lastModified, date: date)
        else { return .whole }
        let ranges = wanted.compactMap { $0.resolved(length) }
        if ranges.isEmpty {
            // A suffix of an empty representation is satisfiable, but no Content-Range can express it (§14.1.2).
            let isSuffixOfNothing = length == 0 && wanted.contains { $0.isSatisfiableSuffix }
            return isSuffixOfNothing ? .whole : .unsatisfiable
        }
        let parts = coalesced(ranges)
        // A range of everything is a range too (RFC 9110 §14.2): the client learns that ranges are served.
        if parts.count == 1 { return .single(parts[0]) }
        return .several(parts)
    }

    /// A range as written, before the length is known.
    public enum Spec: Sendable, Hashable {
        /// `last` is inclusive.
        case from(Int64, last: Int64?)
        case suffix(Int64)

        /// The bytes of a representation of this length; nil if it has none of them.
        public func resolved(_ length: Int64) -> Range<Int64>? {
            switch self {
            case .from(let first, let last):
                guard first < length else { return nil }
                return first..<(min(last ?? length, length - 1) + 1)
            case .suffix(let count):
                return count > 0 && length > 0 ? max(0, length - count)..<length : nil
            }
        }

        var isSatisfiableSuffix: Bool {
            if case .suffix(let count) = self { count > 0 } else { false }
        }
    }

    /// The ranges of a request as written; nil if it has none, or one that is ignored.
    public static func specs(_ requestFields: HeaderFields) -> [Spec]? {
        let values = requestFields.all(.range)
        return values.count == 1 ? parse(values[0]) : nil
    }

    /// Whether a request asks for ranges in a unit other than bytes, which only the origin may know (RFC 9110 §14.1).
    public static func hasOtherUnit(_ requestFields: HeaderFields) -> Bool {
        let values = requestFields.all(.range)
        guard values.count == 1, let mark = values[0].firstIndex(of: "=") else { return false }
        let unit = FieldList.lowercased(ASCII.trimmed(values[0][..<mark]))
        return !unit.isEmpty && unit != "bytes" && unit.utf8.allSatisfy(ASCII.isToken)
    }

    /// The ranges of a well-formed `bytes=` list, or nil.
    private static func parse(_ value: String) -> [Spec]? {
        let halves = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, FieldList.lowercased(ASCII.trimmed(halves[0])) == "bytes" else { return nil }
        var out: [Spec] = []
        for piece in halves[1].split(separator: ",") {
            let text = ASCII.trimmed(piece)
            if text.isEmpty { continue }
            guard out.count < maxRanges, let dash = text.utf8.firstIndex(of: 0x2D) else { return nil }
            let before = text[..<dash]
            let after = text[text.utf8.index(after: dash)...]
            if before.isEmpty {
                guard let count = position(after) else { return nil }
                out.append(.suffix(count))
            } else {
                guard let first = position(before) else { return nil }
                let last = after.isEmpty ? nil : position(after)
                guard after.isEmpty || last.map({ $0 >= first }) == true else { return nil }
                out.append(.from(first, last: last))
            }
        }
        return out.isEmpty ? nil : out
    }

    /// Digits only. A number that does not fit is treated as beyond every length.
    private static func position(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return Int64(text) ?? .max
    }

    /// Joins ranges that touch or overlap. If any are joined, all are in byte order; otherwise the requested order
    /// stays.
    private static func coalesced(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        let sorted = ranges.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var out: [Range<Int64>] = []
        for range in sorted {
            if let last = out.last, range.lowerBound <= last.upperBound {
                out[out.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                out.append(range)
            }
        }
        return out.count == ranges.count ? ranges : out
    }

    /// Whether a request's ranges apply: `If-Range` (RFC 9110 §13.1.5) matches an entity tag by strong comparison, or
    /// the exact `Last-Modified`. True without `If-Range`.
    public static func ifRangeHolds(
        _ fields: HeaderFields, etag: EntityTag?, lastModified: WallTime?, date: WallTime?
    ) -> Bool {
        let values = fields.all(.ifRange)
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        if let tag = EntityTag.asGiven(ASCII.trimmed(value[...])) {
            return etag?.stronglyEquals(tag) ?? false
        }
        guard let lastModified, let date, let wanted = HTTPDate.parse(value, now: date) else { return false }
        return wanted.seconds == lastModified.seconds && lastModified.seconds < date.seconds
    }

    /// The value of `Content-Range` for one part.
    public static func contentRange(_ range: Range<Int64>, length: Int64) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }

    /// The value of `Content-Range` for 416.
    public static func unsatisfiedRange(length: Int64) -> String { "bytes */\(length)" }

    /// A boundary that the body cannot contain by chance: 128 bits of the body's digest.
    public static func boundary(for body: Bytes) -> String {
        "larder-" + Hex.encode(Digest(of: body).bytes.prefix(16))
    }

    /// The body of a `multipart/byteranges` response (RFC 9110 §14.6). The part of a range that lies outside the body
    /// is left out. The response's own `Content-Type` must be `multipart/byteranges; boundary=` and the boundary.
    public static func multipart(
        body: Bytes, ranges: [Range<Int64>], contentType: String?, boundary: String
    ) -> Bytes {
        var out = Bytes()
        out.reserveCapacity(ranges.reduce(64) { $0 + Int($1.upperBound - $1.lowerBound) + 192 })
        for range in ranges {
            let range = range.clamped(to: 0..<Int64(body.count))
            if range.isEmpty { continue }
            out.append(contentsOf: "--\(boundary)\r\n".utf8)
            if let contentType {
                out.append(contentsOf: "Content-Type: ".utf8)
                HeaderField.append(contentType, to: &out)
                out.append(contentsOf: "\r\n".utf8)
            }
            let place = contentRange(range, length: Int64(body.count))
            out.append(contentsOf: "Content-Range: \(place)\r\n\r\n".utf8)
            out.append(contentsOf: body[Int(range.lowerBound)..<Int(range.upperBound)])
            out.append(contentsOf: "\r\n".utf8)
        }
        out.append(contentsOf: "--\(boundary)--\r\n".utf8)
        return out
    }
}
