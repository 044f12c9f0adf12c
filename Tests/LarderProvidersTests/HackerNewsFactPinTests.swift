// Facts of Hacker News, and its raw requests, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsFactPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            ("/v0/topstories.json", "top /v0/topstories.json"),
            ("/v0/newstories.json?print=pretty", "new /v0/newstories.json?print=pretty"),
            ("/v0/beststories.json", "best /v0/beststories.json"),
            ("/v0/askstories.json", "ask /v0/askstories.json"),
            ("/v0/showstories.json", "show /v0/showstories.json"),
            ("/v0/jobstories.json", "job /v0/jobstories.json"),
            ("/v0/topstories", "other /v0/topstories"),
            ("/v0/item/8863.json", "item /v0/item/8863.json"),
            ("/v0/item/x.json", "item /v0/item/x.json"),
            ("/v0/item/8863", "other /v0/item/8863"),
            ("/v0/item/08.json?print=pretty&auth=x", "item /v0/item/08.json?auth=x&print=pretty"),
            ("/v0/user/jl.json", "user /v0/user/jl.json"),
            ("/v0/user/a.b.json", "user /v0/user/a.b.json"),
            ("/v0/user/%20.json", "user /v0/user/%20.json"),
            ("/v0/maxitem.json", "other /v0/maxitem.json"),
            ("/v0/updates.json?b=2&a=1", "other /v0/updates.json?a=1&b=2"),
            ("/v0/item/1/kids.json", "other /v0/item/1/kids.json"),
            ("/v1/item/1.json", "other /v1/item/1.json"),
            ("/v0/item/1.json?orderBy=%22x%22&callback=f", "item /v0/item/1.json?callback=f&orderBy=%22x%22"),
            ("/api/v1/search?query=%20A%20%20b&page=0&hitsPerPage=20", "search /api/v1/search?query=A%20b"),
            ("/api/v1/search?query=&tags=story", "search /api/v1/search?tags=story"),
            ("/api/v1/search?tags=STORY&query=a&page=01", "search /api/v1/search?page=01&query=a&tags=STORY"),
            ("/api/v1/search?query=a&query=b", "search /api/v1/search?query=a&query=b"),
            ("/api/v1/search_by_date?page=1&query=a", "recent /api/v1/search_by_date?page=1&query=a"),
            ("/api/v1/search_by_date", "recent /api/v1/search_by_date"),
            ("/api/v1/search/x", "other /api/v1/search/x"),
            ("/api/v1/items/1", "other /api/v1/items/1"),
            ("/api/v1/users/pg?x=1&page=0", "other /api/v1/users/pg?page=0&x=1"),
            ("/api/v1/search?query=%zz", "search /api/v1/search?query=%zz"),
            ("/", "other /"),
            ("/v0//item/1.json", "other /v0//item/1.json"),
            ("/v0/item/1.json?page=0&query=&hitsPerPage=20", "item /v0/item/1.json?hitsPerPage=20&page=0&query="),
            ("/v0/topstories.json?page=0&query=%20a", "top /v0/topstories.json?page=0&query=%20a"),
            ("/api/v1/search?hitsPerPage=20&page=2&x=%20a%20%20b", "search /api/v1/search?page=2&x=%20a%20%20b"),
        ] as [(String, String)])
    func aRequestHasThisNameAndForm(_ target: String, _ told: String) {
        #expect(pins.request(target) == told)
    }

    @Test func theFactsAreThese() {
        let told = [
            #"""
            ProviderAbout(name: "hackernews", shortNames: ["hn"], routePrefix: "hackernews", title: "Hacker \#
            News", defaultBaseURL: "https://hacker-news.firebaseio.com", pathPrefix: "/v0", searchBase: Opti\#
            onal(LarderProviders.SearchBase(url: "https://hn.algolia.com", pathPrefix: "/api/v1")), endpoint\#
            s: [], emptyTTL: 60.0 seconds, negativeTTL: 60.0 seconds, staleFor: 86400.0 seconds, defaultRate\#
            : nil, defaultQuota: Optional(10000/h), imageHosts: [], categories: ["stories", "comments", "ask\#
            ", "show", "jobs", "polls"], kinds: [], hasFurtherKinds: false, sorts: [LarderProviders.SortOrde\#
            r.relevance, LarderProviders.SortOrder.name, LarderProviders.SortOrder.date], needsKey: false, k\#
            eyVariables: [], credentialParameters: [], credentialFieldNames: [], personalParameters: [], per\#
            sonalPaths: [], offers: "lists of Hacker News with their items, each cached separately; comments\#
            , users, search", terms: "No key and no stated limit for lists and items. At most 10,000 searche\#
            s an hour from one address.", attribution: Optional("Hacker News, news.ycombinator.com; search b\#
            y Algolia"), retention: nil, normaliserVersion: 2, dialects: [], keyNote: nil, removedPictures: \#
            [], secretMembers: [], minimumTerm: 1, hasSearch: true, signIn: nil, uploads: nil)
            """#,
            "top top 60.0 seconds /v0/topstories.json and the items it names []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 30 false false 0 false []",
            "page number(ClosedRange(1...500)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            "new new 60.0 seconds /v0/newstories.json and the items it names []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 30 false false 0 false []",
            "page number(ClosedRange(1...500)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            "best best 60.0 seconds /v0/beststories.json and the items it names []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 30 false false 0 false []",
            "page number(ClosedRange(1...500)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            "ask ask 60.0 seconds /v0/askstories.json and the items it names []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 30 false false 0 false []",
            "page number(ClosedRange(1...500)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            "show show 60.0 seconds /v0/showstories.json and the items it names []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 30 false false 0 false []",
            "page number(ClosedRange(1...500)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            "job job 60.0 seconds /v0/jobstories.json and the items it names []",
            "limit number(ClosedRange(1...500)) The most results to return. 5 30 false false 0 false []",
            "page number(ClosedRange(1...500)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            "item item/{id} 300.0 seconds /v0/item/{id}.json, with its comments if wanted []",
            #"id pattern("^[1-9][0-9]{0,11}$") The item's number. 1000001 - true false 0 false []"#,
            "depth number(ClosedRange(0...10)) How many levels of comments to return. 1 1 false false 0 false []",
            "limit number(ClosedRange(1...500)) The most comments to return. 5 100 false false 0 false []",
            "user user/{id} 3600.0 seconds /v0/user/{id}.json []",
            #"id pattern("^[A-Za-z0-9_-]{1,40}$") The user's name, case-sensitive. ada - true false 0 false []"#,
            #"search search 300.0 seconds /api/v1/search: the best match first ["missingParameter", "conflict"]"#,
            #"q text(longest: 1000) The search term. cache - false false 0 false ["query"]"#,
            #"""
            tags pattern("^((story|comment|poll|pollopt|job|show_hn|ask_hn|front_page|author_[A-Za-z0-9_-]{1\#
            ,40}|story_[1-9][0-9]{0,11})|[(](story|comment|poll|pollopt|job|show_hn|ask_hn|front_page|author\#
            _[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})(,(story|comment|poll|pollopt|job|show_hn|ask_hn|fro\#
            nt_page|author_[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})){0,7}[)])(,(story|comment|poll|pollop\#
            t|job|show_hn|ask_hn|front_page|author_[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})){0,7}$") Tags\#
            , separated by commas. All must match; of tags in brackets one must match. story - false false 0\#
             false []
            """#,
            #"""
            numericFilters pattern("^(created_at_i|points|num_comments)(<=|>=|<|>|=)[0-9]{1,12}$") At most 1\#
            0 comparisons of numbers, separated by commas. points>=1 - false true 10 false []
            """#,
            "limit number(ClosedRange(1...1000)) The most results to return. 5 20 false false 0 false []",
            "page number(ClosedRange(1...1000)) The page of the results. 1 1 false false 0 false []",
            #"""
            sort choice(["relevance", "name", "date"]) The order of the results. relevance relevance false f\#
            alse 0 false []
            """#,
            #"recent recent 60.0 seconds /api/v1/search_by_date: the newest first ["conflict"]"#,
            #"q text(longest: 1000) The search term. cache - false false 0 false ["query"]"#,
            #"""
            tags pattern("^((story|comment|poll|pollopt|job|show_hn|ask_hn|front_page|author_[A-Za-z0-9_-]{1\#
            ,40}|story_[1-9][0-9]{0,11})|[(](story|comment|poll|pollopt|job|show_hn|ask_hn|front_page|author\#
            _[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})(,(story|comment|poll|pollopt|job|show_hn|ask_hn|fro\#
            nt_page|author_[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})){0,7}[)])(,(story|comment|poll|pollop\#
            t|job|show_hn|ask_hn|front_page|author_[A-Za-z0-9_-]{1,40}|story_[1-9][0-9]{0,11})){0,7}$") Tags\#
            , separated by commas. All must match; of tags in brackets one must match. story - false false 0\#
             false []
            """#,
            #"""
            numericFilters pattern("^(created_at_i|points|num_comments)(<=|>=|<|>|=)[0-9]{1,12}$") At most 1\#
            0 comparisons of numbers, separated by commas. points>=1 - false true 10 false []
            """#,
            "limit number(ClosedRange(1...1000)) The most results to return. 5 20 false false 0 false []",
            "page number(ClosedRange(1...1000)) The page of the results. 1 1 false false 0 false []",
            #"""
            story false ["comments:number", "depth:number", "discussionUrl:text", "itemId:number", "kids:num\#
            bers", "links:texts", "parentId:number", "points:number", "storyId:number", "tags:texts"]
            """#,
            #"""
            job false ["comments:number", "depth:number", "discussionUrl:text", "itemId:number", "kids:numbe\#
            rs", "links:texts", "parentId:number", "points:number", "storyId:number", "tags:texts"]
            """#,
            #"""
            poll false ["comments:number", "depth:number", "discussionUrl:text", "itemId:number", "kids:numb\#
            ers", "links:texts", "parentId:number", "points:number", "storyId:number", "tags:texts"]
            """#,
            #"""
            comment false ["depth:number", "discussionUrl:text", "itemId:number", "kids:numbers", "links:tex\#
            ts", "parentId:number", "points:number", "replies:number", "storyId:number", "tags:texts"]
            """#,
            #"""
            pollOption false ["depth:number", "discussionUrl:text", "itemId:number", "kids:numbers", "links:\#
            texts", "parentId:number", "points:number", "storyId:number", "tags:texts"]
            """#,
            #"user false ["karma:number", "links:texts", "submissions:number"]"#,
        ]
        #expect(pins.about.split(separator: "\n").map(String.init) == told)
    }
}
