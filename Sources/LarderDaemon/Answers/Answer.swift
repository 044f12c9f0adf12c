// A cached answer as every route makes it. `Responder` then applies the request's conditions and ranges to it.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

/// A 200, or a mirrored upstream response, before the request's conditions and ranges are applied.
struct Answer: Sendable, CopyOnWrite {
    struct Content: Sendable {
        var status = 200
        var reason: String?
        /// The constant fields: type, validators, caching by the client. Without Age, Cache-Status and Content-Length.
        var fields: HeaderFields
        /// The source of the body.
        var body: BodySource
        /// The memory reservation of the body, which other answers may share; nil if it has none yet.
        var hold: BodyHold?
        /// When the response's age was zero.
        var bornAt: WallTime
        var freshUntil: WallTime
        var provenance: Provenance
        /// Nil for an answer that several sources contribute to.
        var provider: String?
        /// How the answer may be kept ready. If nil, neither memory nor the database keeps it.
        var keeping: Keeping?
        /// Whether the answer was merged from several sources' answers.
        var isMerged = false
        /// Whether the client's `Accept-Encoding` decided the form of the answer.
        var variesByCoding = false
        /// Whether Larder made the representation. A raw answer is the upstream's, and Larder acts as its cache.
        var isOurs = true
        /// Whether the answer is an error from the upstream. Conditions do not apply to it.
        var isMirroredError = false
    }

    var content: Shared<Content>

    // More than six parameters: one for each property that answers differ in.
    init(
        status: Int = 200, reason: String? = nil, fields: HeaderFields, body: BodySource, hold: BodyHold? = nil,
        bornAt: WallTime, freshUntil: WallTime, provenance: Provenance, provider: String? = nil
    ) {
        content = Shared(
            Content(
                status: status, reason: reason, fields: fields, body: body, hold: hold, bornAt: bornAt,
                freshUntil: freshUntil, provenance: provenance, provider: provider))
    }
}

extension Answer {
    /// The keys under which an answer is kept ready.
    struct Keeping: Sendable {
        /// The key digest of the entry that the answer was made from, and the state of memory when the entry was read.
        var digest: Digest
        var stamp: ReadyStamp
        /// What identifies the entry, for explanations.
        var target: PassTarget?
        /// The stored entries that the answer was made from, if `digest` is not the only one.
        var rows: [Digest]?
        /// The row that the answer was made from, if the database should keep it ready.
        var row: StoredResponse?
    }

    /// Makes an answer from an entry, with these fields. A function, because an initialiser would copy its arguments.
    static func of(_ served: Served, _ fields: HeaderFields, provider: String) -> Answer {
        let reason = served.entry.reason
        return Answer(
            status: served.entry.status, reason: reason.isEmpty ? nil : reason, fields: fields,
            body: served.body, hold: served.hold,
            bornAt: served.entry.responseTime + .milliseconds(-served.entry.initialAge),
            freshUntil: served.entry.freshUntil,
            provenance: served.provenance, provider: provider)
    }

    /// Makes an answer from an upstream response that is passed on unchanged, not stored, and exempt from conditions.
    init(
        passedOn response: UpstreamResponse, _ fields: HeaderFields, _ provenance: Provenance, provider: String
    ) {
        self.init(
            status: response.status, reason: response.reason.isEmpty ? nil : response.reason, fields: fields,
            body: .bytes(response.body), hold: response.hold, bornAt: response.responseTime,
            freshUntil: response.responseTime, provenance: provenance, provider: provider)
        self.isMirroredError = true
    }
}
