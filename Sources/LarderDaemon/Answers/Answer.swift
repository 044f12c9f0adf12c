// A cached answer as every route makes it, before the request's own conditions are applied (`Responder`).
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

/// A 200 (or mirrored) answer before the request's own conditions are applied.
struct Answer: Sendable {
    var status = 200
    var reason: String?
    /// Everything constant: type, validators, caching of the client. Not Age, Cache-Status, Content-Length.
    var fields: HeaderFields
    /// Where the body is read from.
    var body: BodySource
    /// The body's room in memory, which others may share; nil where it has none yet.
    var hold: BodyHold?
    /// When its age was zero.
    var bornAt: WallTime
    var freshUntil: WallTime
    var provenance: Provenance
    /// Nil for an answer over several.
    var provider: String?
    /// Under which keys it may be kept ready; nil: neither memory nor the database keeps it.
    var keeping: Keeping?
    /// It was made from several sources' answers.
    var isMerged = false
    /// It was chosen by the client's `Accept-Encoding`.
    var variesByCoding = false
    /// Larder made this representation; a raw answer is the upstream's, and some conditions are its own to decide.
    var isOurs = true
    /// It is an error that the upstream made: no conditions apply.
    var isMirroredError = false
}

extension Answer {
    /// Under which keys an answer is kept ready.
    struct Keeping: Sendable {
        /// The entry it was made from, and the state of memory when that was read.
        var digest: Digest
        var stamp: ReadyStamp
        /// What makes the entry's identity, for explanations.
        var target: PassTarget?
        /// The stored entries it was made from, where that is not `digest` alone.
        var rows: [Digest]?
        /// The row that it was made from, where the database is to keep it ready.
        var row: StoredRow?
    }

    /// An entry as it is kept, with these fields. No initialiser, which would copy what it is given.
    static func of(_ served: Served, _ fields: HeaderFields, provider: String) -> Answer {
        let reason = served.entry.reason
        return Answer(
            status: served.entry.status, reason: reason.isEmpty ? nil : reason, fields: fields,
            body: served.body, hold: served.hold,
            bornAt: served.entry.responseTime + .milliseconds(-served.entry.initialAge),
            freshUntil: served.entry.freshUntil,
            provenance: served.provenance, provider: provider)
    }

    /// An answer of the upstream's that is passed on as it came and kept by nobody: no conditions apply to it here.
    init(
        passedOn response: UpstreamResponse, _ fields: HeaderFields, _ provenance: Provenance, provider: String
    ) {
        self.init(
            status: response.status, reason: response.reason.isEmpty ? nil : response.reason, fields: fields,
            body: .bytes(response.body), hold: response.hold, bornAt: response.responseTime,
            freshUntil: response.responseTime, provenance: provenance, provider: provider)
        isMirroredError = true
    }
}
