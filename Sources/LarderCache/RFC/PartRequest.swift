// Decides how a request is answered when only parts are stored, and whether a 206 may be stored (RFC 9111 §3.3, §3.4,
// RFC 9110 §14, §15.3.7). Pure.
import LarderCore
import LarderHTTP

/// How to answer a request when no whole response of the representation is stored.
public enum PartDecision: Sendable, Hashable {
    /// The stored parts hold all of these ranges, and these ranges are what the request asks for.
    case covered([Range<Int64>])
    /// Ask the upstream for these ranges, one after the other. The rest is stored already.
    case ask([Range<Int64>])
    /// Ask the upstream for the range as the client wrote it. Either nothing is known of the representation, or the
    /// rule says why the stored parts cannot be used.
    case askAsWritten(CacheRule?)
    /// Ask the upstream for the whole representation.
    case whole
    /// Forward the request unchanged.
    case forward(CacheRule)
}

/// A 206 that may be stored as a part.
public struct PartAnswer: Sendable, Hashable {
    public var range: Range<Int64>
    /// The length of the whole representation in bytes.
    public var length: Int64
    /// Nil if the part stands alone.
    public var validator: StrongValidator?

    public init(range: Range<Int64>, length: Int64, validator: StrongValidator?) {
        (self.range, self.length, self.validator) = (range, length, validator)
    }
}

/// Decides how parts are used and stored.
public enum PartRequest {
    /// A range of an unknown representation that begins before this byte is cut from the whole response. One call then
    /// stores all of a small representation; of a large one, no more than needed is read.
    public static let nearBeginning: Int64 = 1 << 20
    /// The most missing ranges that are asked for one by one to complete a whole response.
    public static let mostStretches = 4

    /// Decides how a request is answered from the stored parts.
    /// - Parameters:
    ///   - content: the stored parts of the representation; nil if there are none.
    ///   - fields: the fields of the stored head, for `If-Range`.
    ///   - largest: the largest body in bytes that is stored whole. A longer one is not completed for a request for the
    ///     whole.
    ///   - now: for dates with a two-digit year.
    public static func decide(
        method: Method, requestFields: HeaderFields, content: PartialContent?, fields: HeaderFields,
        largest: Int64 = .max, now: WallTime
    ) -> PartDecision {
        if method == .get, ByteRange.hasOtherUnit(requestFields) { return .forward(.rangeUnit) }
        guard let content else { return method == .get ? unknown(requestFields) : .whole }
        guard method == .get else { return content.isComplete ? .covered([]) : .whole }
        let outcome = ByteRange.evaluate(
            requestFields: requestFields, length: content.length, etag: Validation.etag(fields),
            lastModified: Validation.lastModifiedTime(fields, now: now),
            date: fields.first(.date).flatMap { HTTPDate.parse($0, now: now) })
        switch outcome {
        case .whole:
            let missing = content.missing(in: 0..<content.length)
            if missing.isEmpty { return .covered([0..<content.length]) }
            if content.validator == nil { return .whole }
            return missing.count <= mostStretches && content.length <= largest ? .ask(missing) : .whole
        case .single(let range):
            let missing = content.missing(in: range)
            guard let first = missing.first, let last = missing.last else { return .covered([range]) }
            // A part without a validator cannot be combined with another.
            if content.validator == nil { return unknown(requestFields) }
            return .ask(missing.count <= mostStretches ? missing : [first.lowerBound..<last.upperBound])
        case .several(let ranges):
            return ranges.allSatisfy(content.covers) ? .covered(ranges) : .forward(.severalRanges)
        // Only the origin knows whether the representation has become longer.
        case .unsatisfiable:
            return isSingle(requestFields) ? .askAsWritten(.rangeUnsatisfiable) : .forward(.rangeUnsatisfiable)
        }
    }

    /// Whether an error to a request for the whole may mean that the origin serves ranges only: it calls the request
    /// wrong, forbidden, too large or without a condition. The range is then asked for as the client wrote it. Absence,
    /// missing credentials, limits and failures concern every request for the URL.
    static func mayDemandRange(status: Int) -> Bool { [400, 403, 413, 416, 428, 501].contains(status) }

    private static func isSingle(_ requestFields: HeaderFields) -> Bool {
        ByteRange.specs(requestFields)?.count == 1
    }

    /// Whether a range of an unknown representation is asked for as written, because fetching the whole would be
    /// wasteful.
    public static func isFar(_ requestFields: HeaderFields) -> Bool {
        if case .askAsWritten = unknown(requestFields) { true } else { false }
    }

    private static func unknown(_ requestFields: HeaderFields) -> PartDecision {
        guard let specs = ByteRange.specs(requestFields), specs.count == 1 else { return .whole }
        return switch specs[0] {
        case .from(let first, last: _): first < nearBeginning ? .whole : .askAsWritten(nil)
        case .suffix(let count): count > 0 ? .askAsWritten(nil) : .whole
        }
    }

    /// Decides what of a 206 may be stored.
    /// - Parameters:
    ///   - asked: the only range that was requested.
    ///   - known: the stored parts. The response may omit the complete length if they give it.
    /// - Returns: a failure if the range of the response does not match the requested range, or cannot be stored.
    public static func judge(
        _ head: UpstreamHead, asked: ByteRange.Spec, known: PartialContent?
    ) -> Result<PartAnswer, PartRefusal> {
        if head.fields.first(.contentType).map({ FieldList.lowercased($0).hasPrefix("multipart/byteranges") }) == true {
            return .failure(PartRefusal(rule: .partialContent))
        }
        guard let place = ContentRange(head.fields), head.length.map({ $0 == Int64(place.range.count) }) ?? true else {
            return .failure(PartRefusal(rule: .partInvalid))
        }
        let validator = StrongValidator(head.fields, now: head.responseTime)
        let told = place.length ?? known.flatMap { $0.isSame(as: validator, length: $0.length) ? $0.length : nil }
        guard let length = told else { return .failure(PartRefusal(rule: .partOfUnknownLength)) }
        // The upstream may send less than the requested range, but from its beginning (RFC 9110 §15.3.7).
        guard let wanted = asked.resolved(length), wanted.lowerBound == place.range.lowerBound,
            place.range.upperBound <= wanted.upperBound
        else { return .failure(PartRefusal(rule: .partInvalid)) }
        // The missing bytes cannot be fetched later: without a validator nothing proves that they belong to this part.
        if validator == nil, place.range.upperBound < wanted.upperBound {
            return .failure(PartRefusal(rule: .partTooShort))
        }
        return .success(PartAnswer(range: place.range, length: length, validator: validator))
    }

    /// The part to store of a whole response that was cut off or is too large to be stored whole; nil if it cannot be a
    /// part.
    public static func incomplete(_ head: UpstreamHead) -> PartAnswer? {
        guard head.status == 200, let length = head.length, length > 0, length <= ContentRange.mostBytes,
            let validator = StrongValidator(head.fields, now: head.responseTime)
        else { return nil }
        return PartAnswer(range: 0..<length, length: length, validator: validator)
    }

    /// Makes the head of the whole representation from the head of a part. The content digest is removed, because it is
    /// that of the part.
    public static func wholeHead(_ head: UpstreamHead) -> UpstreamHead {
        var head = head
        head.status = 200
        head.reason = ""
        head.fields.remove(ofPart)
        head.fields.remove(DigestFields.ofContent)
        return head
    }

    /// The fields of the stored parts, updated by the head of a further part (RFC 9111 §3.2, RFC 9110 §15.3.7.3).
    /// - Parameter head: a head made by `wholeHead`.
    public static func combined(
        _ stored: HeaderFields, with head: UpstreamHead, targets: TargetFields, cookies: FreshnessRule.Cookies
    ) -> HeaderFields {
        Validation.updated(stored, by: head, targets: targets, cookies: cookies)
    }

    private static let ofPart: FieldNameSet = ["Content-Range", "Content-Length"]
}

/// Why a 206 is not stored.
public struct PartRefusal: Error, Sendable, Hashable {
    public var rule: CacheRule

    public init(rule: CacheRule) {
        self.rule = rule
    }
}
