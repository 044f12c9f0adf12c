// Questions, requests and errors of TMDb, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct TMDbPinTests {
    private let pins = ProviderPins(SpecProvider(.tmdb))

    @Test(arguments: [
        (
            "search?q=Two%20%20words",
            #"""
            search {"q":"Two words","category":"multi","explicit":"false","language":"en-US","page":1,"sort"\#
            :"relevance"} /3/search/multi?query=Two%20words
            """#
        ),
        (
            "search/movie?query=a",
            #"""
            search {"q":"a","category":"movie","explicit":"false","language":"en-US","page":1,"sort":"releva\#
            nce"} /3/search/movie?query=a
            """#
        ),
        (
            "search/TV?q=a&year=2019&explicit=yes&lang=DE",
            #"""
            search {"q":"a","category":"tv","year":"2019","explicit":"true","language":"de","page":1,"sort":\#
            "relevance"} /3/search/tv?include_adult=true&language=de&query=a&year=2019
            """#
        ),
        (
            "search?q=a&category=movie&region=us&page=2&limit=5&sort=NAME",
            #"""
            search {"q":"a","category":"movie","explicit":"false","language":"en-US","region":"US","page":2,\#
            "limit":5,"sort":"name"} /3/search/movie?page=2&query=a&region=US
            """#
        ),
        (
            "search/person?q=a&country=de",
            #"""
            search {"q":"a","category":"person","explicit":"false","language":"en-US","page":1,"sort":"relev\#
            ance"} /3/search/person?query=a
            """#
        ),
        (
            "search/multi?q=a&language=pt_br&explicit=false",
            #"""
            search {"q":"a","category":"multi","explicit":"false","language":"pt-BR","page":1,"sort":"releva\#
            nce"} /3/search/multi?language=pt-BR&query=a
            """#
        ),
        (
            "search/movie?q=a&year=1999&language=en-US&page=1",
            #"""
            search {"q":"a","category":"movie","year":"1999","explicit":"false","language":"en-US","page":1,\#
            "sort":"relevance"} /3/search/movie?query=a&year=1999
            """#
        ),
        (
            "movie/popular",
            #"""
            list {"of":"movie","list":"popular","language":"en-US","page":1,"sort":"relevance"} /3/movie/pop\#
            ular
            """#
        ),
        (
            "movie/top?region=DE",
            #"""
            list {"of":"movie","list":"top_rated","language":"en-US","region":"DE","page":1,"sort":"relevanc\#
            e"} /3/movie/top_rated?region=DE
            """#
        ),
        (
            "tv/on-the-air?language=de-AT&sort=date",
            #"""
            list {"of":"tv","list":"on_the_air","language":"de-AT","page":1,"sort":"date"} /3/tv/on_the_air?\#
            language=de-AT
            """#
        ),
        (
            "series/airing_today",
            #"""
            list {"of":"tv","list":"airing_today","language":"en-US","page":1,"sort":"relevance"} /3/tv/airi\#
            ng_today
            """#
        ),
        (
            "person/POPULAR?region=us&limit=3",
            #"""
            list {"of":"person","list":"popular","language":"en-US","page":1,"limit":3,"sort":"relevance"} /\#
            3/person/popular
            """#
        ),
        (
            "movie/Now-Playing?page=500",
            #"""
            list {"of":"movie","list":"now_playing","language":"en-US","page":500,"sort":"relevance"} /3/mov\#
            ie/now_playing?page=500
            """#
        ),
        (
            "trending/all/day",
            #"""
            trending {"of":"all","span":"day","language":"en-US","page":1,"sort":"relevance"} /3/trending/al\#
            l/day
            """#
        ),
        (
            "trending/MOVIE/Week?region=us&language=fr",
            #"""
            trending {"of":"movie","span":"week","language":"fr","page":1,"sort":"relevance"} /3/trending/mo\#
            vie/week?language=fr
            """#
        ),
        ("movie/101", #"details {"of":"movie","id":101,"language":"en-US"} /3/movie/101"#),
        (
            "series/7?append=images,credits,images&language=en",
            #"""
            details {"of":"tv","id":7,"language":"en","append":"credits,images"} /3/tv/7?append_to_response=\#
            credits%2Cimages&language=en
            """#
        ),
        (
            "person/3?append_to_response=a%2Fb,c_1",
            #"""
            details {"of":"person","id":3,"language":"en-US","append":"a/b,c_1"} /3/person/3?append_to_respo\#
            nse=a%2Fb%2Cc_1
            """#
        ),
        ("tv/9?lang=EN", #"details {"of":"tv","id":9,"language":"en"} /3/tv/9?language=en"#),
        ("configuration", "configuration {} /3/configuration"),
        ("genres/movie", #"genres {"of":"movie","language":"en-US"} /3/genre/movie/list"#),
        ("genres/TV?language=ja", #"genres {"of":"tv","language":"ja"} /3/genre/tv/list?language=ja"#),
    ])
    func aQuestionIsAskedSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }

    @Test(arguments: [
        (
            SearchRequest(term: " Red  lantern "),
            #"""
            search {"q":"Red lantern","category":"multi","explicit":"false","language":"en-US","page":1,"sor\#
            t":"relevance"} /3/search/multi?query=Red%20lantern
            """#
        ),
        (
            SearchRequest(term: "a", category: "movie", limit: 500, sort: .name, country: "us", language: "de_DE"),
            #"""
            search {"q":"a","category":"movie","explicit":"false","language":"de-DE","region":"US","page":1,\#
            "limit":20,"sort":"name"} /3/search/movie?language=de-DE&query=a&region=US
            """#
        ),
        (
            SearchRequest(term: "a", category: "person", limit: 0, country: "us", language: "german"),
            #"""
            search {"q":"a","category":"person","explicit":"false","language":"en-US","page":1,"limit":1,"so\#
            rt":"relevance"} /3/search/person?query=a
            """#
        ),
        (
            SearchRequest(term: "a", category: "multi"),
            "invalidParameter category TMDb has no such category. 3 movie,tv,person"
        ),
        (SearchRequest(term: " "), "missingParameter q A search needs a term."),
        (SearchRequest(term: "a", country: "usa"), #"invalidParameter country "country" is not a two-letter code."#),
        (
            SearchRequest(term: "a", category: "Movie"),
            "invalidParameter category TMDb has no such category. 3 movie,tv,person"
        ),
        (
            SearchRequest(term: "a", sort: .date, language: "en"),
            #"""
            search {"q":"a","category":"multi","explicit":"false","language":"en","page":1,"sort":"date"} /3\#
            /search/multi?language=en&query=a
            """#
        ),
    ])
    func aSearchOfAllSourcesAsksSo(_ request: SearchRequest, _ told: String) {
        #expect(pins.search(request) == told)
    }

    @Test(arguments: [
        ("movie/popular", "list subject /3/movie/popular; configuration aid /3/configuration"),
        (
            "movie/popular?language=de",
            #"""
            list subject /3/movie/popular?language=de; configuration aid /3/configuration; genres aid /3/gen\#
            re/movie/list?language=de
            """#
        ),
        (
            "search?q=a&language=pt-BR",
            #"""
            search subject /3/search/multi?language=pt-BR&query=a; configuration aid /3/configuration; genre\#
            s aid /3/genre/movie/list?language=pt-BR; genres aid /3/genre/tv/list?language=pt-BR
            """#
        ),
        (
            "search/tv?q=a&language=de",
            #"""
            search subject /3/search/tv?language=de&query=a; configuration aid /3/configuration; genres aid\#
             /3/genre/tv/list?language=de
            """#
        ),
        (
            "person/popular?language=de",
            "list subject /3/person/popular?language=de; configuration aid /3/configuration"
        ),
        (
            "trending/all/day?language=en-GB",
            "trending subject /3/trending/all/day?language=en-GB; configuration aid /3/configuration"
        ),
        (
            "trending/tv/day?language=de",
            #"""
            trending subject /3/trending/tv/day?language=de; configuration aid /3/configuration; genres aid\#
             /3/genre/tv/list?language=de
            """#
        ),
        ("movie/101?language=de", "details subject /3/movie/101?language=de; configuration aid /3/configuration"),
        ("configuration", "-"),
        ("genres/tv?language=de", "-"),
    ])
    func aQuestionTakesTheseCalls(_ route: String, _ told: String) {
        #expect(pins.calls(route) == told)
    }

    @Test(arguments: [
        (
            "/3/search/movie?query=A%20%20b&page=1&api_key=S&language=en-US&include_adult=FALSE&region=us",
            "search /3/search/movie?query=A%20b&region=US"
        ),
        ("/3/search/keyword?query=a", "search /3/search/keyword?query=a"),
        ("/3/search/collection?query=a", "search /3/search/collection?query=a"),
        ("/3/search/company?query=a", "search /3/search/company?query=a"),
        ("/3/search/game?query=a", "other /3/search/game?query=a"),
        ("/3/search/multi?Query=x&api_Key=y&year=2000", "search /3/search/multi?Query=x&year=2000"),
        ("/3/trending/all/day", "trending /3/trending/all/day"),
        ("/3/trending/person/week?page=1", "trending /3/trending/person/week"),
        ("/3/trending/all/month", "other /3/trending/all/month"),
        ("/3/configuration?page=1", "configuration /3/configuration"),
        ("/3/configuration/languages", "other /3/configuration/languages"),
        ("/3/genre/movie/list?language=en-US", "genres /3/genre/movie/list"),
        ("/3/genre/person/list", "other /3/genre/person/list"),
        ("/3/genre/tv", "other /3/genre/tv"),
        ("/3/movie/popular?region=de", "list /3/movie/popular?region=DE"),
        ("/3/movie/top_rated", "list /3/movie/top_rated"),
        ("/3/tv/on_the_air", "list /3/tv/on_the_air"),
        ("/3/tv/upcoming", "other /3/tv/upcoming"),
        ("/3/person/popular", "list /3/person/popular"),
        ("/3/person/top_rated", "other /3/person/top_rated"),
        ("/3/movie/550?append_to_response=images", "details /3/movie/550?append_to_response=images"),
        ("/3/movie/0550", "details /3/movie/0550"),
        ("/3/movie/550/images", "other /3/movie/550/images"),
        ("/3/collection/10", "other /3/collection/10"),
        ("/3/movie/latest", "other /3/movie/latest"),
        ("/4/list/1", "other /4/list/1"),
        ("/3", "other /3"),
        ("/", "other /"),
        ("/3/movie/550/", "details /3/movie/550/"),
        (
            "/3/search/movie?include_adult=true&language=EN-us",
            "search /3/search/movie?include_adult=true&language=EN-us"
        ),
        (
            "/3/discover/movie?language=en-US&page=1&include_adult=false&query=a%20%20b",
            "other /3/discover/movie?query=a%20b"
        ),
    ])
    func aRawRequestIsSpeltSo(_ target: String, _ told: String) {
        #expect(pins.request(target) == told)
    }

    @Test func theFactsAreToldSo() {
        #expect(Digest(of: Bytes(text: pins.about)).hex.prefix(16) == "c3d52c7ec2d89bcb", "\(pins.about)")
    }

    @Test(
        arguments: [
            (nil, ["movie", "series", "person"]),
            ("movie", ["movie"]),
            ("tv", ["series"]),
            ("person", ["person"]),
            ("multi", nil),
            ("x", nil),
        ] as [(String?, [String]?)])
    func aCategoryHasTheseKinds(_ category: String?, _ kinds: [String]?) {
        #expect(pins.provider.kinds(of: category) == kinds)
    }
}
