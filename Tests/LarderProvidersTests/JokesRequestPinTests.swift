// Raw requests of both joke APIs, the facts, and what samples yield, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct JokesRequestPinTests {
    private func pins(_ dialect: String) -> ProviderPins { ProviderPins(SpecProvider(.jokes).speaking(dialect)) }

    @Test(arguments: [
        ("chucknorris", "/jokes/search?query=ABC&x=1", "search /jokes/search?query=abc&x=1"),
        ("chucknorris", "/jokes/random?category=DEV", "random /jokes/random?category=dev"),
        ("chucknorris", "/jokes/random?category=b&category=a", "random /jokes/random?category=b&category=a"),
        ("chucknorris", "/jokes/x-Y?Category=A", "joke /jokes/x-Y?Category=A"),
        ("chucknorris", "/x?query=A", "other /x?query=a"),
        ("chucknorris", "/jokes/search?query=%ZZ", "search /jokes/search?query=%ZZ"),
        ("icndb", "/jokes?exclude=%5Bexplicit%5D", "search /jokes?exclude=%5Bexplicit%5D"),
        (
            "icndb",
            "/jokes/random?limitTo=%5Bnerdy%5D&exclude=a",
            "random /jokes/random?exclude=a&limitTo=%5Bnerdy%5D"
        ),
        ("icndb", "/jokes/7", "joke /jokes/7"),
        ("icndb", "/jokes/random/3?x=A", "random /jokes/random/3?x=A"),
        ("icndb", "/categories", "categories /categories"),
    ])
    func aRawRequestIsSpeltSo(_ dialect: String, _ target: String, _ told: String) {
        #expect(pins(dialect).request(target) == told)
    }

    @Test(arguments: ["chucknorris", "icndb"])
    func theFactsAreToldSo(_ dialect: String) {
        let about = pins(dialect).about
        #expect(Digest(of: Bytes(text: about)).hex.prefix(16) == "1aa29792be37baab", "\(about)")
    }

    @Test(arguments: [
        (
            "chucknorris",
            "random",
            "/jokes/random",
            #"""
            1  total=-1 leftOut=0 [{"id":"jokes:joke:ObcLkSEC7mnzfdciIxV4-w","provider":"jokes","kind":"joke\#
            ","title":"Chuck Norris does not start a daemon. It was running already, and waits for him.","su\#
            mmary":"Chuck Norris does not start a daemon. It was running already, and waits for him.","url":\#
            "https://api.chucknorris.io/jokes/ObcLkSEC7mnzfdciIxV4-w","genres":["dev"],"publishedAt":"2020-0\#
            1-11T13:42:24Z"}]
            """#
        ),
        (
            "chucknorris",
            "search?q=daemon",
            "/jokes/search?query=daemon",
            #"""
            1  total=1 leftOut=0 [{"id":"jokes:joke:ObcLkSEC7mnzfdciIxV4-w","provider":"jokes","kind":"joke"\#
            ,"title":"Chuck Norris does not start a daemon. It was running already, and waits for him.","sum\#
            mary":"Chuck Norris does not start a daemon. It was running already, and waits for him.","url":"\#
            https://api.chucknorris.io/jokes/ObcLkSEC7mnzfdciIxV4-w","genres":["dev"],"publishedAt":"2020-01\#
            -11T13:42:24Z"}]
            """#
        ),
        (
            "chucknorris",
            "categories",
            "/jokes/categories",
            #"""
            4  total=4 leftOut=0 [{"id":"jokes:jokeCategory:animal","provider":"jokes","kind":"jokeCategory"\#
            ,"title":"animal"},{"id":"jokes:jokeCategory:dev","provider":"jokes","kind":"jokeCategory","titl\#
            e":"dev"},{"id":"jokes:jokeCategory:explicit","provider":"jokes","kind":"jokeCategory","title":"\#
            explicit"},{"id":"jokes:jokeCategory:food","provider":"jokes","kind":"jokeCategory","title":"foo\#
            d"}]
            """#
        ),
        (
            "icndb",
            "random",
            "/jokes/random",
            #"""
            1  total=-1 leftOut=0 [{"id":"jokes:joke:1","provider":"jokes","kind":"joke","title":"Chuck Norr\#
            is does not start a daemon. It was running already, and waits for him.","summary":"Chuck Norris\#
             does not start a daemon. It was running already, and waits for him.","genres":["nerdy"]}]
            """#
        ),
        (
            "icndb",
            "search?q=daemon",
            "/jokes",
            #"""
            1  total=-1 leftOut=11 [{"id":"jokes:joke:1","provider":"jokes","kind":"joke","title":"Chuck Nor\#
            ris does not start a daemon. It was running already, and waits for him.","summary":"Chuck Norris\#
             does not start a daemon. It was running already, and waits for him.","genres":["nerdy"]}]
            """#
        ),
        (
            "icndb",
            "categories",
            "/categories",
            #"""
            2  total=2 leftOut=0 [{"id":"jokes:jokeCategory:explicit","provider":"jokes","kind":"jokeCategor\#
            y","title":"explicit"},{"id":"jokes:jokeCategory:nerdy","provider":"jokes","kind":"jokeCategory"\#
            ,"title":"nerdy"}]
            """#
        ),
        (
            "icndb",
            "1",
            "/jokes/1",
            #"""
            1  total=-1 leftOut=0 [{"id":"jokes:joke:1","provider":"jokes","kind":"joke","title":"Chuck Norr\#
            is does not start a daemon. It was running already, and waits for him.","summary":"Chuck Norris\#
             does not start a daemon. It was running already, and waits for him.","genres":["nerdy"]}]
            """#
        ),
    ])
    func aSampleIsToldSo(_ dialect: String, _ route: String, _ target: String, _ told: String) throws {
        let pins = pins(dialect)
        let parts = target.split(separator: "?").map(String.init)
        let sample = try #require(pins.provider.samples().first { $0.name == dialect })
        let request = SampleRequest(
            path: parts[0], parameters: try QueryParameters(parsing: parts.count > 1 ? parts[1] : ""))
        #expect(pins.answer(route, sample.answer(request).body.lossyText) == told)
    }
}
