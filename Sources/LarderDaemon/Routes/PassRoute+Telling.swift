// What a pass-through answer did besides answering, told by rule.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

/// What an answer that was passed on did to what is stored.
struct StoredChange {
    /// How often the state of removals of the target changed: at the beginning of each removal and at its end.
    var count: UInt64 = 0
    var rules: [CacheRule] = []
}

extension Served {
    /// What its storing and its use did besides, by the fields of its head.
    func furtherRules(_ request: PassRequest) -> [CacheRule] {
        var out: [CacheRule] = []
        if outcome.isFetched, request.rule.semantics == .rfc {
            let answer = ResponseControl(fields: entry.fields, targets: request.targets)
            if answer.isTargeted { out.append(.targeted) }
            if provenance.isStored, answer.control.mustUnderstand, answer.control.noStore {
                out.append(.mustUnderstand)
            }
            if outcome == .revalidated, provenance.rule == .variantMiss { out.append(.variantConfirmed) }
        } else if !outcome.isFetched, list != nil, outcome == .hit || outcome == .stale,
            provenance.rule != .searchVariance, provenance.rule != .bestLanguage
        {
            out.append(.variantMatch)
        }
        guard entry.fields.contains("Set-Cookie") else { return out }
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
    /// Whether `If-Range` made the ranges of the request void (RFC 9110 §13.1.5).
    /// - Parameter fields: of the answer that the ranges were about.
    func hasFailedIfRange(_ fields: HeaderFields, now: WallTime) -> Bool {
        guard method == .get, self.fields.contains("If-Range"), ByteRange.specs(self.fields) != nil else {
            return false
        }
        return !ByteRange.ifRangeHolds(
            self.fields, etag: Validation.etag(fields), lastModified: Validation.lastModifiedTime(fields, now: now),
            date: fields.first("Date").flatMap { HTTPDate.parse($0, now: now) })
    }
}
