// Raw requests, credits and facts of Imgur, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurRequestPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            ("/3/gallery", "gallery /3/gallery/hot/viral/0"),
            ("/3/gallery/", "other /3/gallery/"),
            ("/3/gallery/hot/viral/day/4", "gallery /3/gallery/hot/viral/4"),
            ("/3/gallery/top/viral", "gallery /3/gallery/top/viral/day/0"),
            ("/3/gallery/search", "search /3/gallery/search/time/all/0"),
            ("/3/gallery/search/viral/day/0", "search /3/gallery/search/viral/all/0"),
            ("/3/gallery/search/top/day/1", "search /3/gallery/search/top/day/1"),
            ("/3/gallery/search/time/1", "search /3/gallery/search/time/1"),
            ("/3/gallery/search/time", "search /3/gallery/search/time/all/0"),
            ("/3/gallery/r/pics/mOqejNf", "image /3/gallery/r/pics/mOqejNf"),
            ("/3/gallery/album/HtAOg", "album /3/gallery/album/HtAOg"),
            ("/3/gallery/image/x", "image /3/gallery/image/x"),
            ("/3/gallery/HtAOg/tags", "other /3/gallery/HtAOg/tags"),
            ("/3/account/me/images/0", "other /3/account/me/images/0"),
            ("/3/album/HtAOg/images", "other /3/album/HtAOg/images"),
            ("/oauth2/token", "other /oauth2/token"),
            ("/3/gallery/hot//0", "other /3/gallery/hot//0"),
            ("/3/gallery/user", "gallery /3/gallery/user/viral/0"),
            ("/3/gallery/user/rising/3", "gallery /3/gallery/user/rising/3"),
            ("/3/gallery/hot/rising/3", "other /3/gallery/hot/rising/3"),
            ("/3/gallery/top/top/all/7", "gallery /3/gallery/top/top/all/7"),
            ("/3/gallery/t/funny", "tag /3/gallery/t/funny/viral/week/0"),
            ("/3/gallery/t/funny/top/year/2", "tag /3/gallery/t/funny/top/year/2"),
            ("/3/gallery/t/funny/viral/2", "tag /3/gallery/t/funny/viral/2"),
            ("/3/gallery/t//viral", "tag /3/gallery/t//viral"),
            ("/3/gallery/t", "other /3/gallery/t"),
            ("/3/gallery/r", "other /3/gallery/r"),
            ("/3/gallery/r/pics", "subreddit /3/gallery/r/pics/time/week/0"),
            ("/3/gallery/r/pics/", "subreddit /3/gallery/r/pics/"),
            ("/3/gallery/r/pics/time/all/1", "subreddit /3/gallery/r/pics/time/week/1"),
            ("/3/gallery/r/pics/top/all/1", "subreddit /3/gallery/r/pics/top/all/1"),
            ("/3/gallery/r/pics/a-b", "subreddit /3/gallery/r/pics/a-b"),
            ("/3/gallery/r/pics/top", "subreddit /3/gallery/r/pics/top/week/0"),
            ("/3/gallery/r/pics/top/3", "subreddit /3/gallery/r/pics/top/3"),
            ("/3/gallery/search/time/all/1234567", "search /3/gallery/search/time/all/1234567"),
            ("/3/gallery/search/time/all/007", "search /3/gallery/search/time/all/7"),
            ("/3/gallery/search/time/all/0/x", "search /3/gallery/search/time/all/0/x"),
            ("/3/gallery/t/caf%C3%A9/viral/week/0", "tag /3/gallery/t/caf%C3%A9/viral/week/0"),
            ("/3/image/a", "image /3/image/a"),
            ("/3/image/a-b", "image /3/image/a-b"),
            ("/3/image/", "other /3/image/"),
            ("/3/image", "other /3/image"),
            ("/3/album/HtAOg?client_id=x&b=2&a=1", "album /3/album/HtAOg?a=1&b=2"),
            ("/3/tags", "tags /3/tags"),
            ("/3/tags/", "tags /3/tags/"),
            ("/3/credits", "credits /3/credits"),
            ("/3/credits/x", "other /3/credits/x"),
            (
                "/3/gallery/hot/viral/0?showViral=TRUE&mature=False&album_previews=True",
                "gallery /3/gallery/hot/viral/0?album_previews=true"
            ),
            ("/3/gallery/search?q=%20A%20%20b&Client_ID=x", "search /3/gallery/search/time/all/0?q=A%20b"),
            (
                "/3/gallery/search/time/all/0?q_type=PNG&q_size_px=Big&q_all=%20a",
                "search /3/gallery/search/time/all/0?q_all=a&q_size_px=big&q_type=png"
            ),
            ("/3/image/a?showViral=true&q=%20x", "image /3/image/a?q=x"),
            ("/3/gallery?mature=true&page=1", "gallery /3/gallery/hot/viral/0?mature=true&page=1"),
            ("/", "other /"),
            ("/3", "other /3"),
            ("/3/", "other /3/"),
            ("/3/gallery/random/random/1", "other /3/gallery/random/random/1"),
            ("/3/gallery/image/x/comments", "other /3/gallery/image/x/comments"),
            ("/3/gallery/top/viral/0", "gallery /3/gallery/top/viral/day/0"),
            ("/3/gallery/top/viral/month", "gallery /3/gallery/top/viral/month/0"),
            ("/3/gallery/hot/time", "gallery /3/gallery/hot/time/0"),
            ("/2/gallery", "other /2/gallery"),
            ("/3/gallery/t/a/b/c/d/e/f", "tag /3/gallery/t/a/b/c/d/e/f"),
            ("/3/gallery/subreddits/x/y", "other /3/gallery/subreddits/x/y"),
        ] as [(String, String)])
    func aRequestHasThisNameAndForm(_ target: String, _ told: String) {
        #expect(pins.request(target) == told)
    }

    @Test(
        arguments: [
            ("image", "/3/image/a", #"{"data":{"id":"a"},"success":true,"status":200}"#, "true"),
            ("image", "/3/image/a", #"{"data":{"id":"A"},"success":true,"status":200}"#, "false"),
            ("image", "/3/image/a", "{}", "false"),
            ("album", "/3/album/x", #"{"data":{"id":"x"},"success":true,"status":200}"#, "true"),
            ("album", "/3/gallery/album/x", #"{"data":{"id":"y"},"success":true,"status":200}"#, "false"),
            ("image", "/3/gallery/r/pics/x", #"{"data":{"id":"x"},"success":true,"status":200}"#, "true"),
            ("search", "/3/gallery/search", "{}", "-"),
            ("other", "/3/account/me", "{}", "-"),
            ("image", "/3/image/%61", #"{"data":{"id":"a"},"success":true,"status":200}"#, "true"),
        ] as [(String, String, String, String)])
    func aRecordIsCheckedSo(_ endpoint: String, _ target: String, _ body: String, _ told: String) {
        #expect(pins.check(endpoint, target, body) == told)
    }

    @Test(
        arguments: [
            (["Content-Type", "application/json"], "-"),
            (["X-RateLimit-UserRemaining", "many"], "-"),
            (
                [
                    "X-RateLimit-UserLimit", "500", "X-RateLimit-UserRemaining", "499", "X-RateLimit-UserReset", "3600",
                    "X-RateLimit-ClientLimit", "12500", "X-RateLimit-ClientRemaining", "12000",
                ],
                #"""
                Credits(allowances: [LarderCore.Credits.Allowance(name: "user", limit: Optional(500), remaining:\#
                 499, resetsAt: LarderCore.WallTime(milliseconds: 4600000)), LarderCore.Credits.Allowance(name: \#
                "client", limit: Optional(12500), remaining: 12000, resetsAt: LarderCore.WallTime(milliseconds: \#
                4600000))])
                """#
            ),
            (
                ["X-RateLimit-UserRemaining", "1", "X-RateLimit-UserReset", "1700001800"],
                #"""
                Credits(allowances: [LarderCore.Credits.Allowance(name: "user", limit: nil, remaining: 1, resets\#
                At: LarderCore.WallTime(milliseconds: 87400000))])
                """#
            ),
            (
                ["X-RateLimit-ClientRemaining", "1", "X-RateLimit-ClientReset", "999999999999999999"],
                #"""
                Credits(allowances: [LarderCore.Credits.Allowance(name: "client", limit: nil, remaining: 1, rese\#
                tsAt: LarderCore.WallTime(milliseconds: 87400000))])
                """#
            ),
            (
                ["X-RateLimit-UserRemaining", "0", "X-RateLimit-UserReset", "999999999"],
                #"""
                Credits(allowances: [LarderCore.Credits.Allowance(name: "user", limit: nil, remaining: 0, resets\#
                At: LarderCore.WallTime(milliseconds: 87400000))])
                """#
            ),
            (["X-RateLimit-UserRemaining", "12345678901234567890"], "-"),
            (["RateLimit", #""hour";r=12;t=300"#], "-"),
        ] as [([String], String)])
    func theCreditsAreReadSo(_ fields: [String], _ told: String) {
        #expect(pins.credits(fields) == told)
    }

    @Test func theFactsAreThese() {
        let told = [
            #"""
            ProviderAbout(name: "imgur", shortNames: [], routePrefix: "imgur", title: "Imgur", defaultBaseUR\#
            L: "https://api.imgur.com", pathPrefix: "/3", searchBase: nil, endpoints: [], emptyTTL: 600.0 se\#
            conds, negativeTTL: 3600.0 seconds, staleFor: 604800.0 seconds, defaultRate: Optional(500/h), de\#
            faultQuota: Optional(12500/day), imageHosts: ["i.imgur.com"], categories: ["images", "gifs", "al\#
            bums"], kinds: [], hasFurtherKinds: false, sorts: [LarderProviders.SortOrder.relevance, LarderPr\#
            oviders.SortOrder.name, LarderProviders.SortOrder.date], needsKey: true, keyVariables: ["LARDER_\#
            IMGUR_KEY", "IMGUR_CLIENT_ID"], credentialParameters: ["client_id"], credentialFieldNames: ["Aut\#
            horization"], personalParameters: [], personalPaths: [], offers: "pictures of Imgur, albums show\#
            n by their pictures", terms: "Free for non-commercial use, with your own client id. Imgur gives \#
            out no new client ids.", attribution: Optional("Imgur"), retention: nil, normaliserVersion: 2, d\#
            ialects: [], keyNote: Optional("Imgur\'s key is the Client-ID of an application. Since 2025 Imgu\#
            r gives out no new ones; older ones work."), removedPictures: ["i.imgur.com/removed.png"], secre\#
            tMembers: ["deletehash"], minimumTerm: 1, hasSearch: true, signIn: Optional(LarderProviders.Sign\#
            InAbout(authorizePath: "/oauth2/authorize", tokenPath: "/oauth2/token", responseTypes: [LarderPr\#
            oviders.SignInAbout.ResponseType.token, LarderProviders.SignInAbout.ResponseType.code], ownPaths\#
            : ["/3/account/me"], accountParameters: [LarderCore.QueryParameters.Item(name: "mature", value: \#
            Optional("true"))], clientIDTitle: "Client-ID", note: Optional("Imgur admits no new applications\#
            , and its own sign-in page has failed since 2025."))), uploads: Optional(LarderProviders.UploadA\#
            bout(collection: "images", fields: [], removalName: "deletehash", removalForm: LarderProviders.P\#
            arameterForm.pattern("^[A-Za-z0-9_-]{1,64}$"), removalWord: "hash", sizeNote: Optional("Imgur\'s\#
             own limit is about 20 MB"), uploadExamples: [LarderProviders.UploadAbout.Example(words: "cat.jp\#
            g --title \'A cat\'", purpose: "one picture"), LarderProviders.UploadAbout.Example(words: "cat.m\#
            p4 --mute --json | jq -r .image.link", purpose: "a film, for a script")], removalExamples: [Lard\#
            erProviders.UploadAbout.Example(words: "9Zk2…", purpose: "take one picture down")])))
            """#,
            "title text(longest: 1000) The picture's title.  - false false 0 false [] --title TEXT the picture's title",
            #"""
            description text(longest: 1000) The description, shown below it.  - false false 0 false [] --des\#
            cription TEXT its description
            """#,
            #"""
            album pattern("^[A-Za-z0-9]{1,64}$") The album to add it to, by id; an anonymous album by its de\#
            lete hash.  - false false 0 false [] --album ID the album to add it to; an anonymous one by its \#
            delete hash
            """#,
            #"""
            name text(longest: 1000) The file's name.  - false false 0 false [] --name TEXT a name for the f\#
            ile; the local name is not sent
            """#,
            #"""
            disable_audio choice(["1", "0"]) 1 removes the sound of a film. 1 - false false 0 false [] --mut\#
            e - without the film's sound
            """#,
            #"""
            search search 600.0 seconds /3/gallery/search: a search of the gallery ["missingParameter", "con\#
            flict"]
            """#,
            #"q text(longest: 1000) The search term. lantern - false false 0 false ["query"]"#,
            "q_all text(longest: 1000) Words of which all must match. lantern - false false 0 false []",
            "q_any text(longest: 1000) Words of which one must match. lantern octopus - false false 0 false []",
            #"""
            q_exactly text(longest: 1000) A phrase: words in this order. lantern in the fog - false false 0 \#
            false []
            """#,
            "q_not text(longest: 1000) Words that must not match. cat - false false 0 false []",
            #"""
            q_type choice(["jpg", "png", "gif", "anigif", "album"]) The type of the pictures. jpg - false fa\#
            lse 0 false []
            """#,
            #"""
            q_size_px choice(["small", "med", "big", "lrg", "huge"]) The size of the pictures. med - false f\#
            alse 0 false []
            """#,
            #"""
            sort choice(["time", "viral", "top", "relevance", "name", "date"]) The order of the results. tim\#
            e time false false 0 false []
            """#,
            #"""
            window choice(["day", "week", "month", "year", "all"]) The span of time; only together with top.\#
             day - false false 0 false []
            """#,
            "page number(ClosedRange(1...10000)) The page of the results. 1 1 false false 0 false []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 - false false 0 false []",
            "explicit flag Whether to include explicit results. yes yes false false 0 false []",
            #"gallery gallery 300.0 seconds /3/gallery/{hot|top|user}: the posts of that section ["conflict"]"#,
            #"section choice(["hot", "top", "user"]) The gallery's section. hot hot false false 0 false []"#,
            "showViral flag Whether viral posts of users are shown. yes yes false false 0 false []",
            "mature flag Whether mature posts are shown. no no false false 0 false []",
            #"""
            sort choice(["viral", "top", "time", "rising", "relevance", "name", "date"]) The order of the re\#
            sults. viral viral false false 0 false []
            """#,
            #"""
            window choice(["day", "week", "month", "year", "all"]) The span of time; only together with top.\#
             day - false false 0 false []
            """#,
            "page number(ClosedRange(1...10000)) The page of the results. 1 1 false false 0 false []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 - false false 0 false []",
            "explicit flag Whether to include explicit results. yes yes false false 0 false []",
            #"tag tag/{tag} 600.0 seconds /3/gallery/t/{tag}: the posts with one tag ["conflict"]"#,
            #"tag pattern("^[A-Za-z0-9_-]{1,100}$") The tag. lantern - true false 0 false []"#,
            #"""
            sort choice(["viral", "top", "time", "relevance", "name", "date"]) The order of the results. vir\#
            al viral false false 0 false []
            """#,
            #"""
            window choice(["day", "week", "month", "year", "all"]) The span of time; only together with top.\#
             day - false false 0 false []
            """#,
            "page number(ClosedRange(1...10000)) The page of the results. 1 1 false false 0 false []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 - false false 0 false []",
            "explicit flag Whether to include explicit results. yes yes false false 0 false []",
            #"""
            subreddit r/{subreddit} 600.0 seconds /3/gallery/r/{subreddit}: the posts of one subreddit ["con\#
            flict"]
            """#,
            #"subreddit pattern("^[A-Za-z0-9_-]{1,100}$") The subreddit. pics - true false 0 false []"#,
            #"""
            sort choice(["time", "top", "relevance", "name", "date"]) The order of the results. time time fa\#
            lse false 0 false []
            """#,
            #"""
            window choice(["day", "week", "month", "year", "all"]) The span of time; only together with top.\#
             day - false false 0 false []
            """#,
            "page number(ClosedRange(1...10000)) The page of the results. 1 1 false false 0 false []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 - false false 0 false []",
            "explicit flag Whether to include explicit results. yes yes false false 0 false []",
            "image image/{id} 3600.0 seconds /3/image/{id}: one picture []",
            #"id pattern("^[A-Za-z0-9]{1,32}$") The id, case-sensitive. LmpA001 - true false 0 false []"#,
            "album album/{id} 3600.0 seconds /3/album/{id}: an album's pictures []",
            #"id pattern("^[A-Za-z0-9]{1,32}$") The id, case-sensitive. LmpAlb4 - true false 0 false []"#,
            "tags tags 86400.0 seconds /3/tags: the tags of the day []",
            "credits credits 60.0 seconds /3/credits: the calls that are left []",
            #"""
            image false ["advertisement:flag", "albumId:text", "albumImages:number", "albumTitle:text", "ani\#
            mated:flag", "bandwidth:number", "comments:number", "downs:number", "favorites:number", "gifv:te\#
            xt", "hasSound:flag", "height:number", "hls:text", "imageId:text", "layout:text", "looping:flag"\#
            , "mostViral:flag", "mp4:text", "mp4Size:number", "nsfw:flag", "points:number", "position:number\#
            ", "privacy:text", "score:number", "section:text", "size:number", "tagDetails:any", "topic:text"\#
            , "type:text", "ups:number", "views:number", "width:number"]
            """#,
            #"tag false ["followers:number", "items:number", "name:text"]"#,
            #"""
            credits false ["clientLimit:number", "clientRemaining:number", "userLimit:number", "userRemainin\#
            g:number", "userResetsAt:text"]
            """#,
        ]
        #expect(pins.about.split(separator: "\n").map(String.init) == told)
    }
}
