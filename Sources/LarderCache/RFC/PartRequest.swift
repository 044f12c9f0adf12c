// Decides how a request is answered when only parts are stored, and whether a 206 may be stored (RFC 9111 §3.3, §3.4,
// RFC 9110 §14, §15.3.7). Pure.
import LarderCore
import LarderHTTP

/// What a request is to a representation of which no whole answer is stored.
public enum PartDecision: Sendable, Hashable {
    /// The stored parts hold all of these ranges, which are what is asked for.
    case covered([Range<Int64>])
    /// The upstream is asked for these stretches, one after the other, and the rest is stored.
    case ask([Range<Int64>])
    /// The upstream is asked for the range as it is written: nothing is known of the representation, or a rule says why what is known is
    /// of no use.
    case askAsWritten(CacheRule?)
    /// The upstream is asked for the whole representation.
    case whole
    /// The request goes forward as it is.
    case forward(CacheRule)
}

/// A 206 that may be stored as a part.
public struct PartAnswer: Sendable, Hashable {
    public var range: Range<Int64>
    /// Of the whole representation.
    public var length: Int64
    /// Nil where it stands alone.
    public var validator: StrongValidator?

    public init(range: Range<Int64>, length: Int64, validator: StrongValidator?) {
        (self.range, self.length, self.validator) = (range, length, validator)
    }
}

/// Decides about parts.
public enum PartRequest {
    /// A range that begins before this place of an unknown representation is cut from the whole: of a small one all is stored by
    /// one call, and of a large one no more is read than is wanted.
    public static let nearBeginning: Int64 = 1 << 20
    /// For a whole answer no more stretches than this are asked for one by one.
    public static let mostStretches = 4

    /// - Parameters:
    ///   - content: what is stored of the representation; nil where that is nothing.
    ///   - fields: of the stored head, for `If-Range`.
    ///   - largest: what is longer is not stored whole, and so is not completed for a request for the whole.
    ///   - now: for dates with a year of two digits.
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
            date: fields.first("Date").flatMap { HTTPDate.parse($0, now: now) })
        switch outcome {
        case .whole:
            let missing = content.missing(in: 0..<content.length)
            if missing.isEmpty { return .covered([0..<content.length]) }
            if content.validator == nil { return .whole }
            // Who asks for all by a range may leave before its end, as players do.
            if let first = missing.first, let last = missing.last, asksForAll(requestFields, content, fields, now) {
                return .ask(missing.count <= mostStretches ? missing : [first.lowerBound..<last.upperBound])
            }
            return missing.count <= mostStretches && content.length <= largest ? .ask(missing) : .whole
        case .single(let range):
            let missing = content.missing(in: range)
            guard let first = missing.first, let last = missing.last else { return .covered([range]) }
            // Nothing is put together with it.
            if content.validator == nil { return unknown(requestFields) }
            return .ask(missing.count <= mostStretches ? missing : [first.lowerBound..<last.upperBound])
        case .several(let ranges):
            return ranges.allSatisfy(content.covers) ? .covered(ranges) : .forward(.severalRanges)
        // Only the origin knows whether it is longer by now.
        case .unsatisfiable:
            return isSingle(requestFields) ? .askAsWritten(.rangeUnsatisfiable) : .forward(.rangeUnsatisfiable)
        }
    }

    /// Whether one range stands for the whole representation, and not a range that does not count.
    private static func asksForAll(
        _ requestFields: HeaderFields, _ content: PartialContent, _ fields: HeaderFields, _ now: WallTime
    ) -> Bool {
        guard let specs = ByteRange.specs(requestFields), specs.count == 1 else { return false }
        return specs[0].resolved(content.length) == 0..<content.length
            && ByteRange.ifRangeHolds(
                requestFields, etag: Validation.etag(fields),
                lastModified: Validation.lastModifiedTime(fields, now: now),
                date: fields.first("Date").flatMap { HTTPDate.parse($0, now: now) })
    }

    private static func isSingle(_ requestFields: HeaderFields) -> Bool {
        ByteRange.specs(requestFields)?.count == 1
    }

    /// Whether a range of what is unknown is asked for as it is written: the whole would be waste.
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

    /// What of a 206 may be stored.
    /// - Parameters:
    ///   - asked: the only range that was asked for.
    ///   - known: the complete length of the stored parts, which the answer need not repeat.
    /// - Returns: a failure where its range is not what was asked for, or cannot be kept.
    public static func judge(
        _ head: UpstreamHead, asked: ByteRange.Spec, known: PartialContent?
    ) -> Result<PartAnswer, PartRefusal> {
        if head.fields.first("Content-Type").map({ FieldList.lowercased($0).hasPrefix("multipart/byteranges") }) == true
        {
            return .failure(PartRefusal(rule: .partialContent))
        }
        guard let place = ContentRange(head.fields), head.length.map({ $0 == Int64(place.range.count) }) ?? true else {
            return .failure(PartRefusal(rule: .partInvalid))
        }
        let validator = StrongValidator(head.fields, now: head.responseTime)
        let told = place.length ?? known.flatMap { $0.isSame(as: validator, length: $0.length) ? $0.length : nil }
        guard let length = told else { return .failure(PartRefusal(rule: .partOfUnknownLength)) }
        // Less than was asked for may be sent, but from its beginning on (RFC 9110 §15.3.7).
        guard let wanted = asked.resolved(length), wanted.lowerBound == place.range.lowerBound,
            place.range.upperBound <= wanted.upperBound
        else { return .failure(PartRefusal(rule: .partInvalid)) }
        // What lacks cannot be asked for: nothing would tell that it belongs to the part.
        if validator == nil, place.range.upperBound < wanted.upperBound {
            return .failure(PartRefusal(rule: .partTooShort))
        }
        return .success(PartAnswer(range: place.range, length: length, validator: validator))
    }

    /// What a whole answer is a part of that is cut off, or too large to be stored whole; nil where it cannot be one.
    public static func incomplete(_ head: UpstreamHead) -> PartAnswer? {
        guard head.status == 200, let length = head.length, length > 0, length <= ContentRange.mostBytes,
            let validator = StrongValidator(head.fields, now: head.responseTime)
        else { return nil }
        return PartAnswer(range: 0..<length, length: length, validator: validator)
    }

    /// The head of the whole representation, as far as that of a part tells it. The digest of the content is that of the part.
    public static func wholeHead(_ head: UpstreamHead) -> UpstreamHead {
        var head = head
        head.status = 200
        head.reason = ""
        head.fields.remove(ofPart)
        head.fields.remove(DigestFields.ofContent)
        return head
    }

    /// The fields of stored parts as the head of one more updates them (RFC 9111 §3.2, RFC 9110 §15.3.7.3).
    /// - Parameter head: as `wholeHead` gives it.
    public static func combined(
        _ stored: HeaderFields, with head: UpstreamHead, targets: [String], cookies: FreshnessRule.Cookies
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
