// Judgements and results of answers of iTunes, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ITunesAnswerPinTests {
    private let pins = ProviderPins(SpecProvider(.iTunes))

    @Test(arguments: [
        (200, "search", #"{"resultCount":1,"results":[{}]}"#, "data"),
        (200, "search", #"{"resultCount":0,"results":[]}"#, "empty"),
        (200, "search", #"{"results":[]}"#, "empty"),
        (200, "lookup", #"{"resultCount":3,"results":[]}"#, #"broken("The answer has fewer results than it says.")"#),
        (
            200,
            "search",
            #"{"resultCount":1,"results":[1]}"#,
            #"broken("The answer\'s list has no results.")"#
        ),
        (200, "search", "", #"broken("The answer is empty instead of JSON.")"#),
        (200, "search", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
        (200, "search", "{}", #"broken("The answer has no list of results.")"#),
        (200, "search", "[]", #"broken("The answer has no list of results.")"#),
        (200, "search", "null", #"broken("The answer has no list of results.")"#),
        (200, "search", #"{"results":{}}"#, #"broken("The answer has no list of results.")"#),
        (200, "search", #"{"errorMessage":"a  b"}"#, #"invalidRequest("a b")"#),
        (200, "search", #"{"errorMessage":7,"results":[]}"#, "empty"),
        (200, "other", "<html>", "data"),
        (200, "other", #"{"errorMessage":"a"}"#, "data"),
        (400, "search", #"{"errorMessage":"a  b"}"#, #"invalidRequest("a b")"#),
        (400, "search", "<html>", #"invalidRequest("iTunes refused the request.")"#),
        (400, "other", #"{"results":[]}"#, #"invalidRequest("iTunes refused the request.")"#),
        (403, "search", "", "limited(until: nil)"),
        (403, "lookup", #"{"resultCount":0,"results":[]}"#, "limited(until: nil)"),
        (429, "search", #"{"errorMessage":"a"}"#, "limited(until: nil)"),
        (404, "search", "Not Found", #"broken("iTunes answered 404, but not in the form of this API.")"#),
        (
            404,
            "lookup",
            #"{"errorMessage":"a"}"#,
            #"broken("iTunes answered 404, but not in the form of this API.")"#
        ),
        (410, "other", "", #"broken("iTunes answered 410, but not in the form of this API.")"#),
        (407, "search", "", #"refused("iTunes answered 407.")"#),
        (451, "search", "", #"refused("iTunes answered 451.")"#),
        (401, "search", #"{"errorMessage":"a"}"#, #"refused("iTunes answered 401.")"#),
        (422, "search", #"{"errorMessage":"a"}"#, #"invalidRequest("iTunes answered 422.")"#),
        (500, "search", #"{"errorMessage":"a"}"#, #"broken("iTunes answered 500.")"#),
        (503, "other", "", #"broken("iTunes answered 503.")"#),
        (301, "search", "", #"broken("iTunes answered 301.")"#),
        (206, "search", #"{"resultCount":0,"results":[]}"#, #"broken("iTunes answered 206.")"#),
    ])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ told: String) {
        #expect("\(pins.provider.classify(ProviderPins.response(body, status), endpoint: endpoint))" == told)
    }

    @Test(arguments: [
        (
            "search?term=x",
            #"""
            {"resultCount":1,"results":[{"wrapperType":"track","kind":"song","artistId":1,"collectionId":2,"\#
            trackId":3,"artistName":"Ann  B","collectionName":"Col","trackName":"Tr","collectionCensoredName\#
            ":"Col","trackCensoredName":"Tr","artistViewUrl":"https://a/1","collectionViewUrl":"https://a/2"\#
            ,"trackViewUrl":"https://a/3","previewUrl":"https://a/p","artworkUrl30":"https://i/30x30bb.jpg",\#
            "artworkUrl60":"https://i/60x60bb.jpg","artworkUrl100":"https://i/100x100bb.jpg","collectionPric\#
            e":9.990,"trackPrice":1.29,"trackHdPrice":2.50,"trackRentalPrice":-1,"releaseDate":"2005-03-01T0\#
            8:00:00Z","collectionExplicitness":"notExplicit","trackExplicitness":"explicit","discCount":1,"d\#
            iscNumber":1,"trackCount":14,"trackNumber":1,"trackTimeMillis":208643,"country":"USA","currency"\#
            :"USD","primaryGenreName":"Rock","isStreamable":true,"contentAdvisoryRating":"Clean","collection\#
            ArtistId":"77"}]}
            """#,
            #"""
            1  total=-1 leftOut=0 [{"id":"itunes:song:3","provider":"itunes","kind":"song","title":"Tr","cre\#
            ator":"Ann B","collection":"Col","url":"https://a/3","price":{"amount":1.29,"currency":"USD"},"g\#
            enres":["Rock"],"publishedAt":"2005-03-01T08:00:00Z","artwork":{"small":"/v1/artwork/AQZpdHVuZXN\#
            odHRwczovL2kvMTAweDEwMGJiLmpwZz7CaU8F3qimHE49zRf9CFY","large":"/v1/artwork/AQZpdHVuZXNodHRwczovL\#
            2kvNjAweDYwMGJiLmpwZ2XiIAHptIhP2JWkAIfOpXc","original":"https://i/100x100bb.jpg"},"attributes":{\#
            "artistId":1,"artistUrl":"https://a/1","collectionId":2,"collectionUrl":"https://a/2","collectio\#
            nPrice":{"amount":9.99,"currency":"USD"},"hdPrice":{"amount":2.5,"currency":"USD"},"storefront":\#
            "USA","durationMillis":208643,"trackNumber":1,"trackCount":14,"discNumber":1,"discCount":1,"expl\#
            icitness":"explicit","contentRating":"Clean","streamable":true,"previewUrl":"https://a/p","colle\#
            ctionArtistId":77}}]
            """#
        ),
        (
            "search?term=x",
            #"""
            {"resultCount":1,"results":[{"wrapperType":"collection","collectionType":"Album","artistId":1,"c\#
            ollectionId":2,"amgArtistId":4,"artistName":"Ann","collectionName":"Col","artistViewUrl":"https:\#
            //a/1","collectionViewUrl":"https://a/2","artworkUrl60":"https://i/60x60bb-85.png","collectionPr\#
            ice":0,"collectionHdPrice":3,"collectionExplicitness":"cleaned","trackCount":14,"copyright":"c 2\#
            005","country":"USA","currency":"USD","releaseDate":"2005-03-01","primaryGenreName":"","shortDes\#
            cription":"<b>x</b> y"}]}
            """#,
            #"""
            1  total=-1 leftOut=0 [{"id":"itunes:album:2","provider":"itunes","kind":"album","title":"Col","\#
            creator":"Ann","summary":"x y","url":"https://a/2","price":{"amount":0,"currency":"USD"},"publis\#
            hedAt":"2005-03-01T00:00:00Z","artwork":{"small":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvNjB4NjBiYi\#
            04NS5wbmfR88_mRYW0yzhTQVe4f4iw","large":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvNjAweDYwMGJiLTg1LnB\#
            uZ8lyihMW9I_00o3U6xgbHww","original":"https://i/60x60bb-85.png"},"attributes":{"artistId":1,"art\#
            istUrl":"https://a/1","hdPrice":{"amount":3,"currency":"USD"},"storefront":"USA","trackCount":14\#
            ,"explicitness":"cleaned","copyright":"c 2005","shortDescription":"x y"}}]
            """#
        ),
        (
            "lookup?id=1",
            #"""
            {"resultCount":1,"results":[{"wrapperType":"artist","artistType":"Artist","artistName":"Ann","ar\#
            tistLinkUrl":"https://a/1","artistViewUrl":"https://a/v","artistId":1,"amgArtistId":4,"primaryGe\#
            nreName":"Rock","trackHdPrice":1,"currency":"USD","collectionId":5}]}
            """#,
            #"""
            1  total=-1 leftOut=0 [{"id":"itunes:artist:1","provider":"itunes","kind":"artist","title":"Ann"\#
            ,"url":"https://a/1","genres":["Rock"],"attributes":{"artistType":"Artist"}}]
            """#
        ),
        (
            "search?term=x",
            #"""
            {"resultCount":1,"results":[{"kind":"software","features":["iosUniversal"],"supportedDevices":["\#
            a","b"],"isGameCenterEnabled":false,"screenshotUrls":["https://s/1","ftp://s/2"],"ipadScreenshot\#
            Urls":[],"appletvScreenshotUrls":["https://t/1"],"artworkUrl60":"https://i/60x60bb.jpg","artwork\#
            Url512":"https://i/512x512bb.jpg","artworkUrl100":"https://i/100x100bb.jpg","artistViewUrl":"jav\#
            ascript:x","trackId":9,"trackName":"App","bundleId":"a.b","version":"1.0","price":0.00,"formatte\#
            dPrice":"Free","currency":"USD","genres":["Games","Action"],"genreIds":["6014","x"],"primaryGenr\#
            eName":"Games","releaseDate":"2009-04-06T07:00:00Z","currentVersionReleaseDate":"2014-01-02 07:0\#
            0:00 Etc/GMT","releaseNotes":"a\n\n\n\nb","minimumOsVersion":"7.0","fileSizeBytes":"0048234496",\#
            "languageCodesISO2A":["EN","DE"],"sellerName":"S","sellerUrl":"http://s","description":"One.<br>\#
            Two &amp; three","trackContentRating":"4+","averageUserRating":4.50,"userRatingCount":10,"artist\#
            Id":1,"artistName":"Dev","wrapperType":"software"}]}
            """#,
            #"""
            1  total=-1 leftOut=0 [{"id":"itunes:software:9","provider":"itunes","kind":"software","title":"\#
            App","creator":"Dev","summary":"One.\nTwo & three","price":{"amount":0,"currency":"USD"},"genres\#
            ":["Games","Action"],"publishedAt":"2009-04-06T07:00:00Z","artwork":{"small":"/v1/artwork/AQZpdH\#
            VuZXNodHRwczovL2kvMTAweDEwMGJiLmpwZz7CaU8F3qimHE49zRf9CFY","large":"/v1/artwork/AQZpdHVuZXNodHRw\#
            czovL2kvNTEyeDUxMmJiLmpwZ0H5OL2soPgUS0t-UptFxmQ","original":"https://i/512x512bb.jpg"},"attribut\#
            es":{"artistId":1,"formattedPrice":"Free","contentRating":"4+","rating":4.5,"ratingCount":10,"ge\#
            nreIds":["6014","x"],"bundleId":"a.b","version":"1.0","versionPublishedAt":"2014-01-02T07:00:00Z\#
            ","releaseNotes":"a\n\nb","minimumOsVersion":"7.0","fileSizeBytes":48234496,"languages":["EN","D\#
            E"],"seller":"S","sellerUrl":"http://s","screenshots":["https://s/1"],"televisionScreenshots":["\#
            https://t/1"],"features":["iosUniversal"],"supportedDevices":["a","b"]}}]
            """#
        ),
        (
            "search?term=x",
            #"""
            {"resultCount":13,"results":[{"wrapperType":"collection","collectionType":"TV Season","collectio\#
            nId":"12","collectionCensoredName":"S","collectionName":" ","price":1,"currency":"USD"},{"wrappe\#
            rType":"audiobook","collectionId":4,"collectionName":"Au","collectionPrice":-1,"price":2.0,"curr\#
            ency":"GBP","description":"","longDescription":"L","kind":"x"},{"kind":"podcast","collectionId":\#
            8,"collectionName":"P","trackTimeMillis":5,"feedUrl":"http://f","genres":["A"]},{"kind":"podcast\#
            ","collectionId":8,"trackId":9,"trackName":"P","collectionName":"P"},{"kind":"podcast-episode","\#
            trackId":5,"trackName":"E","episodeUrl":"https://e","episodeGuid":"g","trackTimeMillis":1.50,"co\#
            llectionName":"P","shortDescription":"sd","releaseDate":"bad"},{"kind":"hologram-SHOW 3d","track\#
            Id":6,"trackName":"t"},{"wrapperType":"track","kind":null,"trackId":5,"trackName":"t"},{"trackId\#
            ":5,"trackName":"t","bundleId":"b"},{"collectionId":7,"collectionName":"t","wrapperType":""},{"a\#
            rtistId":7,"artistName":"t","kind":""},{"kind":"artist","artistId":7,"artistName":"t"},{"kind":"\#
            album","collectionId":7,"collectionName":"t"},{"kind":"song","trackId":9,"trackCensoredName":"t"\#
            ,"trackViewUrl":"x","collectionViewUrl":"https://c"}]}
            """#,
            #"""
            13  total=-1 leftOut=0 [{"id":"itunes:tvSeason:12","provider":"itunes","kind":"tvSeason","title"\#
            :"S","price":{"amount":1,"currency":"USD"}},{"id":"itunes:audiobook:4","provider":"itunes","kind\#
            ":"audiobook","title":"Au","summary":"L","price":{"amount":2,"currency":"GBP"}},{"id":"itunes:po\#
            dcast:8","provider":"itunes","kind":"podcast","title":"P","genres":["A"],"attributes":{"collecti\#
            onId":8,"feedUrl":"http://f"}},{"id":"itunes:podcast:9","provider":"itunes","kind":"podcast","ti\#
            tle":"P","attributes":{"collectionId":8}},{"id":"itunes:podcastEpisode:5","provider":"itunes","k\#
            ind":"podcastEpisode","title":"E","collection":"P","summary":"sd","attributes":{"durationMillis"\#
            :1.5,"episodeUrl":"https://e","episodeGuid":"g","shortDescription":"sd"}},{"id":"itunes:hologram\#
            Show3d:6","provider":"itunes","kind":"hologramShow3d","title":"t"},{"id":"itunes:track:5","provi\#
            der":"itunes","kind":"track","title":"t"},{"id":"itunes:software:5","provider":"itunes","kind":"\#
            software","title":"t","attributes":{"bundleId":"b"}},{"id":"itunes:album:7","provider":"itunes",\#
            "kind":"album","title":"t"},{"id":"itunes:artist:7","provider":"itunes","kind":"artist","title":\#
            "t"},{"id":"itunes:artist:7","provider":"itunes","kind":"artist","title":"t"},{"id":"itunes:albu\#
            m:7","provider":"itunes","kind":"album","title":"t"},{"id":"itunes:song:9","provider":"itunes","\#
            kind":"song","title":"t","url":"https://c","attributes":{"collectionUrl":"https://c"}}]
            """#
        ),
        (
            "search?term=x",
            #"""
            {"resultCount":12,"results":[{"kind":"song","trackName":"no id"},{"kind":"song","trackId":1},{},\#
            [],7,null,{"kind":"song","trackId":"x","trackName":"t"},{"kind":"song","collectionId":2,"trackNa\#
            me":"t"},{"kind":"song","trackId":2,"trackName":"","trackCensoredName":"good"},{"kind":"book","t\#
            rackId":4,"trackName":"t","artworkUrl160":"https://i/a/160x160.jpg","artworkUrl30":"https://i/30\#
            x30.jpg"},{"kind":"song","trackId":4,"trackName":"t","artworkUrl600":"https://i/600.jpg","artwor\#
            kUrl30":"ftp://i/30x30.jpg"},{"kind":"song","trackId":4,"trackName":"t","artworkUrl30":"https://\#
            i/30x30bb.jpg","isStreamable":"yes"}]}
            """#,
            #"""
            4 id=3,kind=1,not an object=3,title=1 total=-1 leftOut=0 [{"id":"itunes:song:2","provider":"itun\#
            es","kind":"song","title":"good"},{"id":"itunes:ebook:4","provider":"itunes","kind":"ebook","tit\#
            le":"t","artwork":{"small":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvYS8xNjB4MTYwLmpwZ7jZTZEjkIujKTZ8\#
            K_dVEyo","large":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvYS82MDB4NjAwLmpwZ5MfcsM1AaMsAASi7JA9R08","\#
            original":"https://i/a/160x160.jpg"}},{"id":"itunes:song:4","provider":"itunes","kind":"song","t\#
            itle":"t","artwork":{"small":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvNjAwLmpwZ7RecZwazajnL_KOgogVq1\#
            4","large":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvNjAwLmpwZ7RecZwazajnL_KOgogVq14","original":"htt\#
            ps://i/600.jpg"}},{"id":"itunes:song:4","provider":"itunes","kind":"song","title":"t","artwork":\#
            {"small":"/v1/artwork/AQZpdHVuZXNodHRwczovL2kvMzB4MzBiYi5qcGfdyMouUBU_N-GGxpILxIth","large":"/v1\#
            /artwork/AQZpdHVuZXNodHRwczovL2kvNjAweDYwMGJiLmpwZ2XiIAHptIhP2JWkAIfOpXc","original":"https://i/\#
            30x30bb.jpg"}}]
            """#
        ),
        (
            "search?term=x&sort=price",
            #"""
            {"resultCount":3,"results":[{"kind":"song","trackId":1,"trackName":"b","trackPrice":2,"currency"\#
            :"USD"},{"kind":"song","trackId":2,"trackName":"A"},{"kind":"song","trackId":3,"trackName":"c","\#
            price":1,"currency":"USD"}]}
            """#,
            #"""
            3  total=-1 leftOut=0 [{"id":"itunes:song:3","provider":"itunes","kind":"song","title":"c","pric\#
            e":{"amount":1,"currency":"USD"}},{"id":"itunes:song:1","provider":"itunes","kind":"song","title\#
            ":"b","price":{"amount":2,"currency":"USD"}},{"id":"itunes:song:2","provider":"itunes","kind":"s\#
            ong","title":"A"}]
            """#
        ),
        (
            "search?term=x&sort=name&lang=sv_se",
            #"""
            {"resultCount":2,"results":[{"kind":"song","trackId":1,"trackName":"ö"},{"kind":"song","trackId"\#
            :2,"trackName":"z"}]}
            """#,
            #"""
            2  total=-1 leftOut=0 [{"id":"itunes:song:2","provider":"itunes","kind":"song","title":"z"},{"id\#
            ":"itunes:song:1","provider":"itunes","kind":"song","title":"ö"}]
            """#
        ),
        (
            "lookup?id=1&sort=recent",
            #"""
            {"resultCount":2,"results":[{"kind":"song","trackId":1,"trackName":"b"},{"kind":"song","trackId"\#
            :2,"trackName":"A"}]}
            """#,
            #"""
            2  total=-1 leftOut=0 [{"id":"itunes:song:1","provider":"itunes","kind":"song","title":"b"},{"id\#
            ":"itunes:song:2","provider":"itunes","kind":"song","title":"A"}]
            """#
        ),
        ("search?term=x", "{}", "The answer has no list of results."),
        ("search?term=x", #"{"results":{}}"#, "The answer has no list of results."),
        ("lookup?id=1", "<html>", "The answer is HTML or XML instead of JSON."),
        ("search?term=x", "", "The answer is empty instead of JSON."),
    ])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.answer(route, body) == told)
    }

    @Test(arguments: [
        (
            "search?term=x&limit=2&offset=3&sort=name",
            #"""
            {"resultCount":7,"results":[{"kind":"song","trackId":0,"trackName":"t9"},{"kind":"song","trackId\#
            ":1,"trackName":"t8"},{"kind":"song","trackId":2,"trackName":"t7"},{"kind":"song","trackId":3,"t\#
            rackName":"t6"},{"kind":"song","trackId":4,"trackName":"t5"},{"kind":"song","trackId":5,"trackNa\#
            me":"t4"},{"kind":"song","trackId":6,"trackName":"t3"}]}
            """#,
            #"""
            /search?limit=5&term=x t5,t6; /search?limit=5&offset=3&term=x t8,t9; /search?limit=10&term=x t5,\#
            t6; /search?limit=10&offset=3&term=x t8,t9; /search?limit=12&term=x t5,t6; /search?limit=12&offs\#
            et=3&term=x t8,t9; /search?limit=15&term=x t5,t6; /search?limit=15&offset=3&term=x t8,t9; /searc\#
            h?limit=20&term=x t5,t6; /search?limit=20&offset=3&term=x t8,t9; /search?limit=25&term=x t5,t6\#
            ; /search?limit=25&offset=3&term=x t8,t9; /search?limit=30&term=x t5,t6; /search?limit=30&offset\#
            =3&term=x t8,t9; /search?limit=40&term=x t5,t6; /search?limit=40&offset=3&term=x t8,t9; /search?\#
            term=x t5,t6; /search?offset=3&term=x t8,t9; /search?limit=60&term=x t5,t6; /search?limit=60&off\#
            set=3&term=x t8,t9; /search?limit=75&term=x t5,t6; /search?limit=75&offset=3&term=x t8,t9; /sear\#
            ch?limit=80&term=x t5,t6; /search?limit=80&offset=3&term=x t8,t9; /search?limit=100&term=x t5,t6\#
            ; /search?limit=100&offset=3&term=x t8,t9; /search?limit=120&term=x t5,t6; /search?limit=120&off\#
            set=3&term=x t8,t9; /search?limit=150&term=x t5,t6; /search?limit=150&offset=3&term=x t8,t9; /se\#
            arch?limit=200&term=x t5,t6; /search?limit=200&offset=3&term=x t8,t9
            """#
        ),
        (
            "search?term=x&limit=200",
            #"{"resultCount":0,"results":[]}"#,
            #"""
            /search?limit=5&term=x none; /search?limit=10&term=x none; /search?limit=12&term=x none; /search\#
            ?limit=15&term=x none; /search?limit=20&term=x none; /search?limit=25&term=x none; /search?limit\#
            =30&term=x none; /search?limit=40&term=x none; /search?term=x none; /search?limit=60&term=x none\#
            ; /search?limit=75&term=x none; /search?limit=80&term=x none; /search?limit=100&term=x none; /se\#
            arch?limit=120&term=x none; /search?limit=150&term=x none
            """#
        ),
        ("search?term=x&limit=5&offset=10", "{}", "normalising itunes: The answer has no list of results."),
        ("lookup?id=1", "{}", ""),
    ])
    func aStoredAnswerOfAnotherLengthIsReadSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.wider(route, body) == told)
    }
}
