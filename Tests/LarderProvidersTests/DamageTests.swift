// Responses come from outside. However a response is damaged, classification and normalisation return a verdict,
// results or an error, and never trap. What they return is whole.
import LarderCore
import LarderProviders
import Testing

@Suite struct DamageTests {
    /// A seeded generator, to make a failure repeatable.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let samples: [(route: String, body: String)] = [
        (
            "itunes/search?term=x&sort=name",
            #"""
            {"resultCount":2,"results":[{"wrapperType":"track","kind":"song","trackId":1,"trackName":"a \u00e9 &amp; b",
            "trackPrice":1.29,"currency":"USD","releaseDate":"2005-03-01T12:00:00Z","genres":["Rock"],"description":
            "<p>One<br>two &#8212;</p>","artworkUrl100":"https://is1-ssl.mzstatic.com/image/thumb/x/100x100bb.jpg"},
            {"kind":"ebook","trackId":2,"trackName":"c","price":-1,"fileSizeBytes":"123"}]}
            """#
        ),
        (
            "news/everything?q=x&sort=date",
            #"""
            {"status":"ok","totalResults":2,"articles":[{"source":{"id":null,"name":"S"},"author":"A","title":"T &amp; t",
            "description":"<b>d</b>","url":"https://a.org/1","urlToImage":"//a.org/i.jpg","publishedAt":
            "2026-11-20T08:00:00+01:00","content":"c… [+12 chars]"},{"title":"[Removed]","url":"https://removed.com"}]}
            """#
        ),
        (
            "hackernews/search?q=x",
            #"""
            {"hits":[{"created_at_i":1572600000,"author":"a","points":3,"num_comments":1,"title":"T &amp; t","url":
            "https://a.org/1","_tags":["story"],"objectID":"1"},{"comment_text":"<p>c &#x27;","story_id":1,"story_title":
            "S","parent_id":1,"_tags":["comment"],"objectID":"2","created_at_i":1572600001}],"nbHits":2}
            """#
        ),
        (
            "dnd/monsters/a",
            #"""
            {"index":"a","name":"A","size":"Small","type":"beast","alignment":"x","armor_class":[{"value":15}],"desc":["p","q"],
            "cost":{"quantity":1,"unit":"gp"},"image":"/api/images/a.png","speed":{"walk":"30 ft."},"challenge_rating":0.25}
            """#
        ),
        (
            "jokes/search?q=abc",
            #"""
            {"total":2,"result":[{"categories":["dev"],"created_at":"2020-01-05 13:42:21.795084","id":"5S-_",
            "updated_at":"2020-05-22 06:02:41.792421","url":"https://a.org/jokes/5S-_","value":"a &amp; b"},
            {"category":null,"id":"x","value":"c"}]}
            """#
        ),
    ]

    @Test(arguments: samples.indices)
    func noDamageMakesATrapOrHalfAnAnswer(_ index: Int) throws {
        let (route, text) = Self.samples[index]
        let endpoint = try endpoint(route)
        let provider = try #require(ProviderRegistry().named(endpoint.provider))
        let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
        var dice = Dice(state: UInt64(index + 1))
        let original = Bytes(text: text)
        var whole = 0
        for _ in 0..<3000 {
            var body = original
            for _ in 0..<Int.random(in: 0...3, using: &dice) {
                let place = Int.random(in: 0..<body.count, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: body[place] = UInt8.random(in: 0x20...0x7E, using: &dice)
                case 1: body.remove(at: place)
                default:
                    body.insert(
                        contentsOf: Bytes(text: ["\"", "0", "null", "{}", "&", "<"].randomElement(using: &dice) ?? ""),
                        at: place)
                }
            }
            let response = UpstreamResponse(
                status: 200, body: body, requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0),
                url: provider.about.defaultBaseURL + endpoint.upstream.target)
            _ = provider.classify(response, endpoint: endpoint.name)
            guard let answer = try? endpoint.normalise(response, signer) else { continue }
            whole += 1
            try expectWhole(answer, from: nil, provider: endpoint.provider, signer: signer)
        }
        #expect(whole > 300)
    }
}
