// Request content as part of the question: that of QUERY, and of a POST that the configuration declares read-only.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer
import LarderSettings

/// What a request asks by its content.
struct PassContent {
    /// Nil if the content is not part of the question. The request is then passed on.
    var content: QueryContent?
    /// Whether the configuration says that the POST changes nothing.
    var isReadOnly = false
    /// Why a request that asks by its content is passed on.
    var rule: CacheRule?

    /// Reads the content of a request if it is short enough for the cache key. The request then holds the whole
    /// content, in case it is passed on after all. With `semantics: ttl` content is never part of the question.
    static func take(
        _ context: inout RequestContext, _ way: WayOut, _ engine: Engine
    ) async throws(ClientFacingError) -> PassContent {
        guard way.provider.settings.semantics == .rfc else { return PassContent() }
        let post = context.request.method == .post ? way.provider.settings.readOnlyPost(way.path) : nil
        guard context.request.method == .query || post != nil else { return PassContent() }
        let fields = context.request.fields
        let query = context.request.query
        guard post == nil || !MethodOverride.isAsked(fields: fields, query: query) else {
            return PassContent(rule: .methodOverride)
        }
        var question = PassContent(isReadOnly: post?.kind == .any)
        guard let body = try await whole(&context) else {
            question.rule = .queryTooLarge
            return question
        }
        // A request without content asks nothing that a key could hold.
        guard !body.isEmpty else { return question }
        if post?.kind == .any {
            let isOther = await engine.compute.run(reading: body.count) {
                MethodOverride.isAsked(content: body, fields: fields)
            }
            guard !isOther else { return PassContent(rule: .methodOverride) }
        }
        if post?.kind == .graphql {
            let isQuery = await engine.compute.run(reading: body.count) {
                GraphQLRequest.isQuery(body, fields: fields, query: query)
            }
            guard isQuery else {
                question.rule = .graphQLOperation
                return question
            }
            question.isReadOnly = true
        }
        // Only client and origin know what a POST's condition means, and a cache would have to answer 412 if it fails.
        guard post == nil || !fields.contains(anyOf: conditions) else {
            question.rule = .postCondition
            return question
        }
        question.content = QueryContent(
            body, fields: PassRequest.choosing(fields, way), declared: post, hold: engine.bodies.claim(body.count))
        return question
    }

    /// Reads the whole content into the request and returns it; nil if it is too long.
    private static func whole(_ context: inout RequestContext) async throws(ClientFacingError) -> Bytes? {
        let limit = context.snapshot.settings.cache.maxQueryBody
        guard let upload = context.request.upload else {
            return Int64(context.request.body.count) <= limit ? context.request.body : nil
        }
        guard let length = upload.length, length <= limit else { return nil }
        var body = context.request.body
        do {
            while let piece = try await upload.reader.next() { body += piece }
        } catch {
            throw ClientFacingError(
                status: 400, code: "incompleteBody",
                detail: "The body of the request did not arrive whole. \(error.reason)")
        }
        context.request.upload = nil
        context.request.body = body
        return Int64(body.count) <= limit ? body : nil
    }

    /// Conditions that apply to every method (RFC 9110 §13.1). `If-Modified-Since` and ranges have no meaning for POST.
    private static let conditions: FieldNameSet = ["If-Match", "If-None-Match", "If-Unmodified-Since"]
}
