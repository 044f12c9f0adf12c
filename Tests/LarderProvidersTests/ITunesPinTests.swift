// Questions, requests and errors of iTunes, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ITunesPinTests {
    private let pins = ProviderPins(SpecProvider(.iTunes))

    @Test(arguments: [
        (
            "search?term=jack++johnson",
            #"""
            search {"term":"jack johnson","limit":50,"country":"US","lang":"en_us","explicit":true,"sort":"r\#
            elevance"} /search?term=jack%20johnson 15 /search?limit=200&term=jack%20johnson
            """#
        ),
        (
            "search?q=jack&category=music",
            #"""
            search {"term":"jack","media":"music","limit":50,"country":"US","lang":"en_us","explicit":true,"\#
            sort":"relevance"} /search?media=music&term=jack 15 /search?limit=200&media=music&term=jack
            """#
        ),
        (
            "search?q=jack&category=software&sort=price",
            #"""
            search {"term":"jack","media":"software","limit":50,"country":"US","lang":"en_us","explicit":tru\#
            e,"sort":"price"} /search?media=software&term=jack 15 /search?limit=200&media=software&term=jack
            """#
        ),
        (
            "search?q=jack&category=ebooks&attribute=titleTerm",
            #"""
            search {"term":"jack","entity":"ebook","attribute":"titleTerm","limit":50,"country":"US","lang":\#
            "en_us","explicit":true,"sort":"relevance"} /search?attribute=titleTerm&entity=ebook&term=jack 1\#
            5 /search?attribute=titleTerm&entity=ebook&limit=200&term=jack
            """#
        ),
        (
            "search?q=jack&category=all&limit=50&country=us&lang=EN-us&explicit=yes&offset=0",
            #"""
            search {"term":"jack","limit":50,"country":"US","lang":"en_us","explicit":true,"sort":"relevance\#
            "} /search?term=jack 15 /search?limit=200&term=jack
            """#
        ),
        (
            "search?q=jack&media=ebook",
            #"""
            search {"term":"jack","entity":"ebook","limit":50,"country":"US","lang":"en_us","explicit":true,\#
            "sort":"relevance"} /search?entity=ebook&term=jack 15 /search?entity=ebook&limit=200&term=jack
            """#
        ),
        (
            "search?q=jack&media=ebook&entity=ebook",
            #"""
            search {"term":"jack","entity":"ebook","limit":50,"country":"US","lang":"en_us","explicit":true,\#
            "sort":"relevance"} /search?entity=ebook&term=jack 15 /search?entity=ebook&limit=200&term=jack
            """#
        ),
        (
            "search?q=jack&media=all&entity=allTrack",
            #"""
            search {"term":"jack","entity":"allTrack","limit":50,"country":"US","lang":"en_us","explicit":tr\#
            ue,"sort":"relevance"} /search?entity=allTrack&term=jack 15 /search?entity=allTrack&limit=200&te\#
            rm=jack
            """#
        ),
        (
            "search?q=jack&media=MUSIC&entity=album&attribute=artistterm",
            #"""
            search {"term":"jack","media":"music","entity":"album","attribute":"artistTerm","limit":50,"coun\#
            try":"US","lang":"en_us","explicit":true,"sort":"relevance"} /search?attribute=artistTerm&entity\#
            =album&media=music&term=jack 15 /search?attribute=artistTerm&entity=album&limit=200&media=music&\#
            term=jack
            """#
        ),
        (
            "search?q=jack&entity=song",
            #"""
            search {"term":"jack","entity":"song","limit":50,"country":"US","lang":"en_us","explicit":true,"\#
            sort":"relevance"} /search?entity=song&term=jack 15 /search?entity=song&limit=200&term=jack
            """#
        ),
        (
            "search?q=jack&entity=&media=movie",
            #"""
            search {"term":"jack","media":"movie","limit":50,"country":"US","lang":"en_us","explicit":true,"\#
            sort":"relevance"} /search?media=movie&term=jack 15 /search?limit=200&media=movie&term=jack
            """#
        ),
        (
            #"""
            search?term=a%26b&media=music&entity=album&attribute=artistTerm&limit=200&country=gb&explicit=no\#
            &offset=5&sort=DATE&lang=ja
            """#,
            #"""
            search {"term":"a&b","media":"music","entity":"album","attribute":"artistTerm","limit":200,"offs\#
            et":5,"country":"GB","lang":"ja_jp","explicit":false,"sort":"date"} /search?attribute=artistTerm\#
            &country=GB&entity=album&explicit=No&lang=ja_jp&limit=200&media=music&offset=5&term=a%26b 31 /se\#
            arch?attribute=artistTerm&country=GB&entity=album&explicit=No&lang=ja_jp&limit=200&media=music&t\#
            erm=a%26b
            """#
        ),
        (
            "search?q=a&offset=100000&limit=10&lang=pt_BR&explicit=true",
            #"""
            search {"term":"a","limit":10,"offset":100000,"country":"US","lang":"pt_br","explicit":true,"sor\#
            t":"relevance"} /search?lang=pt_br&limit=10&offset=100000&term=a 31 /search?lang=pt_br&limit=200\#
            &offset=100000&term=a
            """#
        ),
        (
            "search?q=a&attribute=allArtistTerm",
            #"""
            search {"term":"a","attribute":"allArtistTerm","limit":50,"country":"US","lang":"en_us","explici\#
            t":true,"sort":"relevance"} /search?attribute=allArtistTerm&term=a 15 /search?attribute=allArtis\#
            tTerm&limit=200&term=a
            """#
        ),
        (
            "search?q=a&media=musicVideo&attribute=songTerm",
            #"""
            search {"term":"a","media":"musicVideo","attribute":"songTerm","limit":50,"country":"US","lang":\#
            "en_us","explicit":true,"sort":"relevance"} /search?attribute=songTerm&media=musicVideo&term=a 1\#
            5 /search?attribute=songTerm&limit=200&media=musicVideo&term=a
            """#
        ),
        (
            "search?q=a&media=all&attribute=softwareDeveloper",
            #"""
            search {"term":"a","attribute":"softwareDeveloper","limit":50,"country":"US","lang":"en_us","exp\#
            licit":true,"sort":"relevance"} /search?attribute=softwareDeveloper&term=a 15 /search?attribute=\#
            softwareDeveloper&limit=200&term=a
            """#
        ),
        (
            "lookup?id=909253&entity=album&sort=recent",
            #"""
            lookup {"id":"909253","entity":"album","country":"US","lang":"en_us","sort":"recent"} /lookup?en\#
            tity=album&id=909253&sort=recent
            """#
        ),
        (
            "lookup?id=1,%202",
            #"lookup {"id":"1,2","country":"US","lang":"en_us","sort":"relevance"} /lookup?id=1%2C2"#
        ),
        (
            "lookup?id=1&id=2",
            #"lookup {"id":"1,2","country":"US","lang":"en_us","sort":"relevance"} /lookup?id=1%2C2"#
        ),
        ("lookup?id=1&entity", #"lookup {"id":"1","country":"US","lang":"en_us","sort":"relevance"} /lookup?id=1"#),
        (
            "lookup?upc=720642462928&sort=price&limit=7",
            #"""
            lookup {"upc":"720642462928","limit":7,"country":"US","lang":"en_us","sort":"price"} /lookup?lim\#
            it=7&upc=720642462928
            """#
        ),
        (
            "lookup?isbn=978-0-316-06935-9&country=de&lang=de-DE",
            #"""
            lookup {"isbn":"9780316069359","country":"DE","lang":"de_de","sort":"relevance"} /lookup?country\#
            =DE&isbn=9780316069359&lang=de_de
            """#
        ),
        (
            "lookup?bundleId=com.Example.app",
            #"""
            lookup {"bundleId":"com.Example.app","country":"US","lang":"en_us","sort":"relevance"} /lookup?b\#
            undleId=com.Example.app
            """#
        ),
        (
            "lookup?amgArtistId=468749,5723&entity=ALBUM",
            #"""
            lookup {"amgArtistId":"468749,5723","entity":"album","country":"US","lang":"en_us","sort":"relev\#
            ance"} /lookup?amgArtistId=468749%2C5723&entity=album
            """#
        ),
        (
            "lookup?amgAlbumId=1&limit=200",
            #"""
            lookup {"amgAlbumId":"1","limit":200,"country":"US","lang":"en_us","sort":"relevance"} /lookup?a\#
            mgAlbumId=1&limit=200
            """#
        ),
        (
            "lookup?amgVideoId=2&sort=name",
            #"lookup {"amgVideoId":"2","country":"US","lang":"en_us","sort":"name"} /lookup?amgVideoId=2"#
        ),
        (
            "lookup?isbn=978%200316069359",
            #"""
            lookup {"isbn":"9780316069359","country":"US","lang":"en_us","sort":"relevance"} /lookup?isbn=97\#
            80316069359
            """#
        ),
    ])
    func aQuestionIsAskedSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }

    @Test(arguments: [
        (
            SearchRequest(term: "  red   dragon "),
            #"""
            search {"term":"red dragon","limit":50,"country":"US","lang":"en_us","explicit":true,"sort":"rel\#
            evance"} /search?term=red%20dragon 15 /search?limit=200&term=red%20dragon
            """#
        ),
        (
            SearchRequest(
                term: "a", category: "music", limit: 500, sort: .price, country: "de", language: "de-DE",
                explicit: false),
            #"""
            search {"term":"a","media":"music","limit":200,"country":"DE","lang":"de_de","explicit":false,"s\#
            ort":"price"} /search?country=DE&explicit=No&lang=de_de&limit=200&media=music&term=a 15 /search?\#
            country=DE&explicit=No&lang=de_de&limit=150&media=music&term=a
            """#
        ),
        (
            SearchRequest(term: "a", category: "software", limit: 0, sort: .name, language: "fr", explicit: true),
            #"""
            search {"term":"a","media":"software","limit":1,"country":"US","lang":"en_us","explicit":true,"s\#
            ort":"name"} /search?limit=1&media=software&term=a 16 /search?limit=200&media=software&term=a
            """#
        ),
        (
            SearchRequest(term: "a", category: "ebooks", sort: .date, language: "ja"),
            #"""
            search {"term":"a","entity":"ebook","limit":50,"country":"US","lang":"ja_jp","explicit":true,"so\#
            rt":"date"} /search?entity=ebook&lang=ja_jp&term=a 15 /search?entity=ebook&lang=ja_jp&limit=200&\#
            term=a
            """#
        ),
        (
            SearchRequest(term: "a", category: "all"),
            #"""
            search {"term":"a","limit":50,"country":"US","lang":"en_us","explicit":true,"sort":"relevance"\#
            } /search?term=a 15 /search?limit=200&term=a
            """#
        ),
        (SearchRequest(term: " "), "missingParameter q A search needs a term."),
        (
            SearchRequest(term: "a", category: "films"),
            "invalidParameter category iTunes has no such category. 4 all,music,software,ebooks"
        ),
        (
            SearchRequest(term: "a", category: "Music"),
            "invalidParameter category iTunes has no such category. 4 all,music,software,ebooks"
        ),
        (
            SearchRequest(term: "a", country: "usa"),
            #"invalidParameter country "country" is a code of two letters (ISO 3166-1), such as US or DE."#
        ),
    ])
    func aSearchOfAllSourcesAsksSo(_ request: SearchRequest, _ told: String) {
        #expect(pins.search(request) == told)
    }

    @Test(arguments: [
        (
            "/search?limit=50&term=Jack++Johnson&media=music&country=us&lang=EN_US&version=2&explicit=yes",
            "search /search?media=music&term=Jack%20Johnson"
        ),
        (
            "/search?term=a&media=all&offset=0&explicit=NO&entity=song&lang=DE_de",
            "search /search?entity=song&explicit=No&lang=de_de&term=a"
        ),
        ("/search?callback=f&term=a&Media=ALL", "search /search?Media=ALL&callback=f&term=a"),
        ("/search?term=a&term=b", "search /search?term=a&term=b"),
        ("/lookup?id=1&country=us&lang=en_us&version=2&limit=50&media=all", "lookup /lookup?id=1&limit=50&media=all"),
        ("/gb/lookup?id=7&country=US&limit=50&b=1&a=2", "lookup /gb/lookup?a=2&b=1&country=US&id=7&limit=50"),
        ("/gb/search?term=A++b&limit=50", "search /gb/search?limit=50&term=A%20%20b"),
        ("/wrong/search?b=1&a=2", "other /wrong/search?a=2&b=1"),
        ("/gb/x/search", "other /gb/x/search"),
        ("/searchLOL?b=1&a=2", "other /searchLOL?a=2&b=1"),
        ("/", "other /"),
        ("/search", "search /search"),
        ("/search?term=%ZZ&b=1&a=2", "search /search?term=%ZZ&b=1&a=2"),
        ("/us/rss/topalbums/limit=10/json?b=1&a=1", "other /us/rss/topalbums/limit=10/json?a=1&b=1"),
        ("/ab/lookup", "lookup /ab/lookup"),
    ])
    func aRawRequestIsSpeltSo(_ target: String, _ told: String) {
        #expect(pins.request(target) == told)
    }

    @Test func theFactsAreToldSo() {
        #expect(Digest(of: Bytes(text: pins.about)).hex.prefix(16) == "8a45dec7b21563c9", "\(pins.about)")
    }

    @Test(
        arguments: [
            (nil, []), ("all", []), ("music", ["song", "album", "musicVideo", "track", "artist"]),
            ("software", ["software", "macSoftware"]), ("ebooks", ["ebook"]), ("films", nil),
        ] as [(String?, [String]?)])
    func aCategoryHasKinds(_ category: String?, _ kinds: [String]?) {
        #expect(pins.provider.kinds(of: category) == kinds)
    }

    @Test func noKeyIsSent() {
        #expect(pins.provider.credentialFields(key: "k").isEmpty)
        #expect(pins.provider.holder(ofAuthorization: "Bearer k") == .person)
    }
}
