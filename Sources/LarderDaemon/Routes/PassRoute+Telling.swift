// What a pass-through response did besides answering, as rules for the explanation.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

extension Served {
    /// The rules that applied to its storage and use, derived from the fields of its head.
    func furtherRules(_ request: PassRequest) -> [CacheRule] {
        var out: [CacheRule] = []
        if outcome.isFetched, request.rule.semantics == .rfc {
            // Most responses have neither a targeted field nor `no-store`, and are not read once more.
            if request.targets.mayControl(entry.fields) || provenance.isStored && entry.fields.mayForbidStoring {
                let answer = ResponseControl(fields: entry.fields, targets: request.targets)
                if answer.isTargeted { out.append(.targeted) }
                if provenance.isStored, answer.control.mustUnderstand, answer.control.noStore {
                    out.append(.mustUnderstand)
                }
            }
            if provenance.confirmsOtherVariant { out.append(.variantConfirmed) }
        } else if !outcome.isFetched, entry.variant != nil, outcome == .hit || outcome == .stale,
            provenance.rule != .searchVariance, provenance.rule != .bestLanguage
        {
            out.append(.variantMatch)
        }
        guard entry.fields.contains(.setCookie) else { return out }
        let control = ResponseControl(fields: entry.fields, targets: request.targets).control
        let isWithheld = (control.privateFields + control.noCacheFields).contains { $0.lowercased() == "set-cookie" }
        let isKept = request.rule.semantics == .rfc && request.rule.cookies == .keep && !isWithheld
        if outcome.isFetched {
            if provenance.isStored { out.append(isKept ? .cookiesStored : .cookiesLeftOut) }
        } else if outcome == .hit || outcome == .stale {
            out.append(.cookiesStored)
        }
        return out
    }
}

extension ServerRequest {
    /// Whether `If-Range` made the request's ranges void (RFC 9110 §13.1.5).
    /// - Parameter fields: the fields of the response that the ranges refer to.
    func hasFailedIfRange(_ fields: HeaderFields, now: WallTime) -> Bool {
        guard self.method == .get, self.fields.contains(.ifRange), ByteRange.specs(self.fields) != nil else {
            return false
        }
        return !ByteRange.ifRangeHolds(
            self.fields, etag: Validation.etag(fields), lastModified: Validation.lastModifiedTime(fields, now: now),
            date: fields.first(.date).flatMap { HTTPDate.parse($0, now: now) })
    }
}

extension HeaderFields {
    /// Whether the fields have room for both `no-store` and `must-understand`, which Cache-Control names together (RFC 9111
    /// §5.2.2.3). A shorter field need not be read for an explanation.
    fileprivate var mayForbidStoring: Bool {
        var length = 0
        visit(.cacheControl) { line in
            length += line.value.count
            return true
        }
        return length >= 23
    }
}
