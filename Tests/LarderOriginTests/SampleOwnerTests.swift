// The API that answers a path without an API's name.
import LarderProviders
import Testing

@testable import LarderOrigin

@Suite struct SampleOwnerTests {
    @Test(
        arguments: [
            ("/3/image/a", "imgur"), ("/3/movie/1", "tmdb"), ("/jokes/7", "chucknorris"), ("/categories", "icndb"),
            ("/api/v1/search", "hackernews"), ("/v0/maxitem.json", "hackernews"), ("/v0/topstories.json", "hackernews"),
            ("/nowhere", nil),
        ] as [(String, String?)])
    func theFirstAPIThatHasABarePathAnswersIt(_ path: String, _ name: String?) {
        #expect(SampleAPIs.owner(of: path)?.name == name)
    }
}
