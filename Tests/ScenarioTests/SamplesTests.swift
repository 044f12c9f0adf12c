// The stand-in's samples through the providers: what a person sees in the demo.
import LarderCore
import LarderOrigin
import LarderProviders
import Testing

@Suite struct SamplesTests {
    @Test(arguments: [
        ("itunes/search?term=jack+johnson", 16), ("itunes/search?term=notes", 3),
        ("itunes/search?term=alice&category=ebooks", 2),
        ("itunes/search?term=notes&category=software", 2), ("itunes/search?term=moon", 1),
        ("itunes/search?term=bach&entity=album", 1),
        ("news/headlines?country=us", 6), ("news/everything?q=octopus", 1), ("news/sources", 6),
        ("news/sources?name=sample", 4),
        ("dnd/monsters", 7), ("dnd/monsters?name=dragon", 3), ("dnd/monsters/goblin", 1),
        ("dnd/equipment/longsword", 1),
        ("dnd/spells/fireball", 1), ("dnd/spells?level=2", 2),
    ])
    func everySampleIsAWholeResult(_ route: String, _ count: Int) throws {
        let parts = route.split(separator: "?", maxSplits: 1)
        let segments = parts[0].split(separator: "/").map(String.init)
        let provider = try #require(ProviderRegistry().providers.first { $0.about.routePrefix == segments[0] })
        let endpoint = try provider.endpoint(
            path: Array(segments.dropFirst()), query: QueryParameters(parsing: parts.count > 1 ? String(parts[1]) : ""))
        let sample = OriginSamples.answer(
            provider.about.name, path: endpoint.upstream.path, query: endpoint.upstream.query)
        let response = UpstreamResponse(
            status: sample.status, fields: sample.fields, body: sample.body, requestTime: WallTime(seconds: 0),
            responseTime: WallTime(seconds: 0), url: provider.about.defaultBaseURL + endpoint.upstream.target)
        #expect(provider.classify(response, endpoint: endpoint.name) == .data)
        let signer = ArtworkSigner(key: Bytes(repeating: 1, count: 32))
        let results = Array(try JSON.parse(endpoint.normalise(response, signer).results).elements)
        #expect(results.count == count)
        for result in results {
            #expect(result["title"]?.string?.isEmpty == false)
            #expect(result["id"]?.string?.hasPrefix(provider.about.name) == true)
        }
    }
}
