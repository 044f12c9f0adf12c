// The content of a request that only reads, as a part of its question: of QUERY, and of a POST of which the configuration says so.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer
import LarderSettings

/// What a request asks by its content.
struct PassContent {
    /// Nil where the content is no part of the question, so that the request is passed on.
    var content: QueryContent?
    /// The configuration says that a POST changes nothing.
    var isReadOnly = false
    /// Why a request that asks by its content is passed on.
    var rule: CacheRule?

    /// Takes the content out of the request, where it is short enough to be a part of the answer's key. It is in the request whole
    /// then, in case that is passed on after all. Our own rules know no such question.
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
        // Without content it asks nothing that a key could hold.
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
        // What a condition of a POST means is between the client and the origin: a cache would have to answer 412 where it holds not.
        guard post == nil || !fields.contains(anyOf: conditions) else {
            question.rule = .postCondition
            return question
        }
        question.content = QueryContent(
            body, fields: PassRequest.choosing(fields, way), declared: post, hold: engine.bodies.claim(body.count))
        return question
    }

    /// The content, which is in the request then; nil where it is too long.
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
                detail: "The request's body did not come whole. \(error.reason)")
        }
        context.request.upload = nil
        context.request.body = body
        return Int64(body.count) <= limit ? body : nil
    }

    /// Conditions that hold for every method (RFC 9110 §13.1). `If-Modified-Since` and ranges mean nothing to a POST.
    private static let conditions: FieldNameSet = ["If-Match", "If-None-Match", "If-Unmodified-Since"]
}
