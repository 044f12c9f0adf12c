// Answers in another of an API's own forms: JSONP is read without its padding, and the other forms are not judged.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct OtherFormTests {
    private func word(_ provider: some Provider, _ path: String, _ query: String?, _ body: String) -> String {
        let request = provider.canonical(UpstreamRequest(path: path, query: query))
        let response = UpstreamResponse(
            status: 200, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
        return provider.classify(response, endpoint: provider.endpointName(for: request), of: request).word
    }

    private static let songs = #"{"resultCount":1,"results":[{"trackId":1}]}"#

    @Test(arguments: [
        ("f(\(songs))", "data"), ("\n\nf(\(songs));\n\n", "data"), ("/**/ f(\(songs));", "data"),
        (#"f({"resultCount":0,"results":[]});"#, "empty"), (#"f({"errorMessage":"no"});"#, "invalidRequest"),
        ("g(\(songs))", "broken"), ("f(\(songs)) alert(1)", "broken"), ("f(<html>)", "broken"), ("f", "broken"),
        ("f(", "broken"), (")f(", "broken"), (songs, "data"),
    ])
    func aScriptThatCallsTheNamedFunctionIsReadAsItsJSON(_ body: String, _ expected: String) {
        #expect(word(SpecProvider(.iTunes), "/search", "term=x&callback=f", body) == expected, "\(body)")
    }

    @Test func aScriptThatNobodyAskedForIsBroken() {
        #expect(word(SpecProvider(.iTunes), "/search", "term=f", "g(\(Self.songs))") == "broken")
        #expect(word(SpecProvider(.iTunes), "/search", nil, "f(\(Self.songs))") == "broken")
    }

    @Test func theRecordInsideIsStillCompared() {
        let item = { (id: Int) in "/**/cb({\"id\":\(id),\"type\":\"story\"});" }
        #expect(word(SpecProvider(.hackerNews), "/v0/item/8.json", "callback=cb", item(8)) == "data")
        #expect(word(SpecProvider(.hackerNews), "/v0/item/8.json", "callback=cb", item(9)) == "broken")
        #expect(word(SpecProvider(.tmdb), "/3/movie/5", "callback=cb", #"cb({"id":5})"#) == "data")
    }

    @Test(
        arguments: [
            ("/search", "term=x", false), ("/search", "callback=f", true), ("/v0/item/1.json", "print=silent", true),
            ("/3/gallery/hot.xml", nil, true), ("/3/gallery/hot", "_format=xml", true), ("/us/rss", "output=RSS", true),
            ("/search", "a=callback", false),
        ] as [(String, String?, Bool)])
    func aRequestTellsThatItAsksForAnotherForm(_ path: String, _ query: String?, _ isAsked: Bool) {
        #expect(OtherForm.isAsked(by: UpstreamRequest(path: path, query: query)) == isAsked)
    }
}
