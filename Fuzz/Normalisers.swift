// Answers of every built-in API from any bytes: an answer is classified first, and what is said to be data is normalised or
// refused. Results are one JSON array of as many objects as are counted, the same each time.
// Fuzzes: LarderProviders LarderCore/JSON.swift LarderCore/JSONParser.swift LarderCore/JSONValue.swift
import LarderCore
import LarderHTTP
import LarderProviders

/// A built-in provider that is a value.
private func named(_ name: String) -> any Provider {
    guard let provider = ProviderRegistry().named(name) else { preconditionFailure("\(name) is no provider") }
    return provider
}

/// A question of each kind; the input's first byte chooses one.
private let questions: [(provider: any Provider, endpoint: Endpoint)] = {
    let asked: [(any Provider, [String], String)] = [
        (named("itunes"), ["search"], "q=word&limit=50"),
        (named("itunes"), ["search"], "q=word&media=software&sort=price"),
        (named("itunes"), ["lookup"], "id=1"), (named("newsapi"), ["headlines"], "q=word"),
        (named("newsapi"), ["everything"], "q=word&sort=date"), (named("newsapi"), ["sources"], "name=word"),
        (named("dnd5e"), ["spells"], "name=word"), (named("dnd5e"), ["spells", "word"], ""),
        (named("dnd5e"), ["monsters", "word"], ""),
        (named("dnd5e"), ["equipment", "word"], ""), (named("jokes"), ["search"], "q=word&explicit=no"),
        (named("jokes"), ["random"], ""),
        (named("jokes").speaking("icndb"), ["search"], "q=word"), (named("jokes"), ["categories"], ""),
        (named("dnd5e"), ["equipment", "word"], ""),
        (named("hackernews"), ["search"], "q=word&numericFilters=points%3E1"),
        (named("hackernews"), ["user", "word"], ""), (named("hackernews"), ["top"], "limit=5&sort=name"),
        (named("hackernews"), ["item", "1"], "depth=3&limit=9"),
        (named("tmdb"), ["search"], "q=word"), (named("tmdb"), ["movie", "1"], ""),
        (named("tmdb"), ["configuration"], ""),
        (named("imgur"), ["search"], "q=word&sort=date"), (named("imgur"), ["album", "a"], ""),
        (named("imgur"), ["tags"], ""),
        (named("imgur"), ["credits"], ""),
    ]
    return asked.map { provider, path, query in
        guard let parameters = try? QueryParameters(parsing: query),
            let endpoint = try? provider.endpoint(path: path, query: parameters)
        else { preconditionFailure("\(provider.about.name) \(path) is no question") }
        return (provider, endpoint)
    }
}()

private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

/// What the daemon makes of an answer; of a plan, which is given the same for each of its calls, once it has ended.
private func normalise(_ endpoint: Endpoint, _ response: UpstreamResponse) throws -> NormalisedAnswer {
    guard var plan = endpoint.plan else { return try endpoint.normalise(response, signer) }
    var brought: [CallOutcome] = []
    for _ in 0..<64 {
        switch try plan.next(brought, signer) {
        case .done(let answer): return answer
        case .fetch(let calls):
            precondition(calls.count <= 600, "a plan asks for more than it may")
            brought = calls.map { _ in .answered(response) }
        }
    }
    preconditionFailure("a plan does not end")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let (provider, endpoint) = questions[Int(start[0]) % questions.count]
    let body = Bytes(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let instant = WallTime(seconds: 1_795_176_000)
    for status in [200, 403] {
        let response = UpstreamResponse(
            status: status, fields: ["Content-Type": "application/json"], body: body, requestTime: instant,
            responseTime: instant)
        _ = provider.classify(response, endpoint: endpoint.name)
        // What is no data is not normalised by the daemon; that it does not trap either costs nothing to ask.
        guard let answer = try? normalise(endpoint, response) else { continue }
        precondition((try? normalise(endpoint, response)) == answer, "an answer read twice reads differently")
        guard let results = try? JSON.parse(answer.results) else { preconditionFailure("results that are no JSON") }
        precondition(results.kind == .array && results.count == answer.count)
        precondition(answer.dropped >= 0 && answer.droppedReasons.values.reduce(0, +) == answer.dropped)
        for result in results.elements { precondition(result.kind == .object) }
    }
    return 0
}
