// `/v1/local`: full-text search over all stored results. No API is asked and nothing is fetched, so it works without a
// network. The answer changes with every stored entry, so it is not cached.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer
import LarderStore

struct LocalRoute: Sendable {
    let engine: Engine

    func search(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let question = try LocalQuestion(query: request.parameters(), providers: engine.snapshot.providers)
        let answer: FullTextAnswer
        do throws(StoreError) {
            answer = try await engine.cache.store.search(question.fullText(engine))
        } catch {
            engine.countLocal(.asked, .failed)
            throw Self.face(of: error, engine)
        }
        engine.countLocal(.asked, answer.matches.isEmpty ? .noResults : .results)
        let now = engine.time.wall()
        let body = await engine.compute.run { LocalAnswer.render(question, answer, now: now) }
        return ServerResponse(
            status: 200,
            fields: [
                "Content-Type": "application/json", "Cache-Control": "no-store",
                "Cache-Status": CacheStatus.hit(ttl: nil, detail: "local"),
            ], body: .bytes(body), outcome: .hit, route: route)
    }

    private static func face(of error: StoreError, _ engine: Engine) -> ClientFacingError {
        if error.isInterruption {
            return ClientFacingError(
                status: 503, code: "tooBroad",
                detail: "The search took too long and was ended. Use more letters or words to narrow it.",
                retryable: false)
        }
        engine.log.warning("a full-text search failed", ["error": "\(error)"])
        return ClientFacingError(
            status: 503, code: "storeUnavailable", detail: "The store cannot be searched at the moment.",
            retryable: true)
    }
}
