// Questions and searches of Hacker News, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            ("top", #"top {"list":"top","limit":30,"sort":"relevance"} /v0/topstories.json"#),
            (
                "new?limit=500&page=2",
                #"new {"list":"new","limit":500,"page":2,"sort":"relevance"} /v0/newstories.json"#
            ),
            (
                "best?limit=5&page=500&sort=NAME",
                #"best {"list":"best","limit":5,"page":500,"sort":"name"} /v0/beststories.json"#
            ),
            ("ask?sort=date", #"ask {"list":"ask","limit":30,"sort":"date"} /v0/askstories.json"#),
            ("show?page=1&sort=relevance", #"show {"list":"show","limit":30,"sort":"relevance"} /v0/showstories.json"#),
            ("job", #"job {"list":"job","limit":30,"sort":"relevance"} /v0/jobstories.json"#),
            ("item/8863", #"item {"id":8863,"depth":1,"limit":100} /v0/item/8863.json"#),
            ("item/1?depth=0", #"item {"id":1,"depth":0} /v0/item/1.json"#),
            ("item/1?depth=0&limit=7", #"item {"id":1,"depth":0} /v0/item/1.json"#),
            (
                "item/999999999999?depth=10&limit=500",
                #"item {"id":999999999999,"depth":10,"limit":500} /v0/item/999999999999.json"#
            ),
            ("item/5?limit=3", #"item {"id":5,"depth":1,"limit":3} /v0/item/5.json"#),
            ("user/jl", #"user {"id":"jl"} /v0/user/jl.json"#),
            ("user/PG_x-1", #"user {"id":"PG_x-1"} /v0/user/PG_x-1.json"#),
            (
                "search?q=a%20%20b",
                #"""
                search {"q":"a b","limit":20,"sort":"relevance"} /api/v1/search?query=a%20b 15 /api/v1/search?hi\#
                tsPerPage=200&query=a%20b
                """#
            ),
            (
                "search?query=a",
                #"""
                search {"q":"a","limit":20,"sort":"relevance"} /api/v1/search?query=a 15 /api/v1/search?hitsPerP\#
                age=200&query=a
                """#
            ),
            (
                "search?q=A&limit=7&page=3&sort=name",
                #"""
                search {"q":"A","limit":7,"page":3,"sort":"name"} /api/v1/search?hitsPerPage=7&page=2&query=A 16\#
                 /api/v1/search?hitsPerPage=200&query=A
                """#
            ),
            (
                "search?q=a&limit=1000&page=1",
                #"""
                search {"q":"a","limit":1000,"sort":"relevance"} /api/v1/search?hitsPerPage=1000&query=a 16 /api\#
                /v1/search?hitsPerPage=200&query=a
                """#
            ),
            (
                "search?q=a&limit=500&page=2",
                #"""
                search {"q":"a","limit":500,"page":2,"sort":"relevance"} /api/v1/search?hitsPerPage=500&page=1&q\#
                uery=a 16 /api/v1/search?hitsPerPage=200&page=2&query=a
                """#
            ),
            (
                "search?q=a&limit=999&page=2",
                #"""
                search {"q":"a","limit":999,"page":2,"sort":"relevance"} /api/v1/search?hitsPerPage=999&page=1&q\#
                uery=a 16 /api/v1/search?hitsPerPage=200&page=4&query=a
                """#
            ),
            (
                "search?q=a&sort=date",
                #"""
                recent {"q":"a","limit":20,"sort":"date"} /api/v1/search_by_date?query=a 15 /api/v1/search_by_da\#
                te?hitsPerPage=200&query=a
                """#
            ),
            (
                "search?q=a&sort=date&limit=2&page=4",
                #"""
                recent {"q":"a","limit":2,"page":4,"sort":"date"} /api/v1/search_by_date?hitsPerPage=2&page=3&qu\#
                ery=a 16 /api/v1/search_by_date?hitsPerPage=200&query=a
                """#
            ),
            (
                "search?tags=STORY,author_Pg",
                #"""
                search {"tags":"author_Pg,story","limit":20,"sort":"relevance"} /api/v1/search?tags=author_Pg%2C\#
                story 15 /api/v1/search?hitsPerPage=200&tags=author_Pg%2Cstory
                """#
            ),
            (
                "search?tags=(poll,STORY,poll),%20show_hn",
                #"""
                search {"tags":"(poll,story),show_hn","limit":20,"sort":"relevance"} /api/v1/search?tags=%28poll\#
                %2Cstory%29%2Cshow_hn 15 /api/v1/search?hitsPerPage=200&tags=%28poll%2Cstory%29%2Cshow_hn
                """#
            ),
            (
                "search?tags=(story)",
                #"""
                search {"tags":"story","limit":20,"sort":"relevance"} /api/v1/search?tags=story 15 /api/v1/searc\#
                h?hitsPerPage=200&tags=story
                """#
            ),
            (
                "search?tags=story_12,(author_a,author_B)",
                #"""
                search {"tags":"(author_B,author_a),story_12","limit":20,"sort":"relevance"} /api/v1/search?tags\#
                =%28author_B%2Cauthor_a%29%2Cstory_12 15 /api/v1/search?hitsPerPage=200&tags=%28author_B%2Cautho\#
                r_a%29%2Cstory_12
                """#
            ),
            (
                "search?tags=story,story",
                #"""
                search {"tags":"story","limit":20,"sort":"relevance"} /api/v1/search?tags=story 15 /api/v1/searc\#
                h?hitsPerPage=200&tags=story
                """#
            ),
            (
                "search?tags=(%20poll%20,job),front_page,(poll,job)",
                #"""
                search {"tags":"(job,poll),front_page","limit":20,"sort":"relevance"} /api/v1/search?tags=%28job\#
                %2Cpoll%29%2Cfront_page 15 /api/v1/search?hitsPerPage=200&tags=%28job%2Cpoll%29%2Cfront_page
                """#
            ),
            (
                "search?numericFilters=created_at_i%3E1,created_at_i%3C=9",
                #"""
                search {"numericFilters":"created_at_i<=9,created_at_i>1","limit":20,"sort":"relevance"} /api/v1\#
                /search?numericFilters=created_at_i%3C%3D9%2Ccreated_at_i%3E1 15 /api/v1/search?hitsPerPage=200&\#
                numericFilters=created_at_i%3C%3D9%2Ccreated_at_i%3E1
                """#
            ),
            (
                "search?numericFilters=created_at_i=007",
                #"""
                search {"numericFilters":"created_at_i=7","limit":20,"sort":"relevance"} /api/v1/search?numericF\#
                ilters=created_at_i%3D7 15 /api/v1/search?hitsPerPage=200&numericFilters=created_at_i%3D7
                """#
            ),
            (
                "search?numericFilters=points%3E%3D1&numericFilters=created_at_i%3C5",
                #"""
                search {"numericFilters":"created_at_i<5,points>=1","limit":20,"sort":"relevance"} /api/v1/searc\#
                h?hitsPerPage=1000&numericFilters=created_at_i%3C5
                """#
            ),
            (
                "search?q=a&numericFilters=points%3E=100&limit=5&page=2",
                #"""
                search {"q":"a","numericFilters":"points>=100","limit":5,"page":2,"sort":"relevance"} /api/v1/se\#
                arch?hitsPerPage=1000&query=a
                """#
            ),
            (
                "search?q=a&numericFilters=num_comments%20%3E%202,points%3E1,created_at_i%3E3&sort=name",
                #"""
                search {"q":"a","numericFilters":"created_at_i>3,num_comments>2,points>1","limit":20,"sort":"nam\#
                e"} /api/v1/search?hitsPerPage=1000&numericFilters=created_at_i%3E3&query=a
                """#
            ),
            (
                "recent",
                #"recent {"limit":20,"sort":"date"} /api/v1/search_by_date 15 /api/v1/search_by_date?hitsPerPage=200"#
            ),
            (
                "recent?q=a",
                #"""
                recent {"q":"a","limit":20,"sort":"date"} /api/v1/search_by_date?query=a 15 /api/v1/search_by_da\#
                te?hitsPerPage=200&query=a
                """#
            ),
            (
                "recent?tags=comment&limit=5&page=2",
                #"""
                recent {"tags":"comment","limit":5,"page":2,"sort":"date"} /api/v1/search_by_date?hitsPerPage=5&\#
                page=1&tags=comment 15 /api/v1/search_by_date?hitsPerPage=200&tags=comment
                """#
            ),
            (
                "recent?numericFilters=points=5&limit=3",
                #"recent {"numericFilters":"points=5","limit":3,"sort":"date"} /api/v1/search_by_date?hitsPerPage=1000"#
            ),
            (
                "recent?query=x&numericFilters=created_at_i%3C99&tags=job",
                #"""
                recent {"q":"x","tags":"job","numericFilters":"created_at_i<99","limit":20,"sort":"date"} /api/v\#
                1/search_by_date?numericFilters=created_at_i%3C99&query=x&tags=job 15 /api/v1/search_by_date?hit\#
                sPerPage=200&numericFilters=created_at_i%3C99&query=x&tags=job
                """#
            ),
            (
                "search?q=a&limit=10&page=5",
                #"""
                search {"q":"a","limit":10,"page":5,"sort":"relevance"} /api/v1/search?hitsPerPage=10&page=4&que\#
                ry=a 15 /api/v1/search?hitsPerPage=200&query=a
                """#
            ),
            (
                "search?tags=(pollopt,ask_hn)",
                #"""
                search {"tags":"(ask_hn,pollopt)","limit":20,"sort":"relevance"} /api/v1/search?tags=%28ask_hn%2\#
                Cpollopt%29 15 /api/v1/search?hitsPerPage=200&tags=%28ask_hn%2Cpollopt%29
                """#
            ),
            (
                #"""
                search?q=a&numericFilters=points%3C1,points%3C=1,points=1,points%3E1,points%3E=1,num_comments=1,\#
                num_comments%3C2,num_comments%3E3,num_comments%3E=4,num_comments%3C=5
                """#,
                #"""
                search {"q":"a","numericFilters":"num_comments<2,num_comments<=5,num_comments=1,num_comments>3,n\#
                um_comments>=4,points<1,points<=1,points=1,points>1,points>=1","limit":20,"sort":"relevance"} /a\#
                pi/v1/search?hitsPerPage=1000&query=a
                """#
            ),
        ] as [(String, String)])
    func aQuestionIsAskedSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }

    @Test(
        arguments: [
            (
                SearchRequest(term: " red  dragon "),
                #"""
                search {"q":"red dragon","tags":"story","limit":20,"sort":"relevance"} /api/v1/search?query=red%\#
                20dragon&tags=story 15 /api/v1/search?hitsPerPage=200&query=red%20dragon&tags=story
                """#
            ),
            (
                SearchRequest(term: "a", category: "stories"),
                #"""
                search {"q":"a","tags":"story","limit":20,"sort":"relevance"} /api/v1/search?query=a&tags=story \#
                15 /api/v1/search?hitsPerPage=200&query=a&tags=story
                """#
            ),
            (
                SearchRequest(term: "a", category: "comments", limit: 500, sort: .date),
                #"""
                recent {"q":"a","tags":"comment","limit":200,"sort":"date"} /api/v1/search_by_date?hitsPerPage=2\#
                00&query=a&tags=comment 15 /api/v1/search_by_date?hitsPerPage=150&query=a&tags=comment
                """#
            ),
            (
                SearchRequest(term: "a", category: "ask", limit: 0, sort: .name),
                #"""
                search {"q":"a","tags":"ask_hn","limit":1,"sort":"name"} /api/v1/search?hitsPerPage=1&query=a&ta\#
                gs=ask_hn 16 /api/v1/search?hitsPerPage=200&query=a&tags=ask_hn
                """#
            ),
            (
                SearchRequest(term: "a", category: "show", limit: 7, sort: .relevance, explicit: false),
                #"""
                search {"q":"a","tags":"show_hn","limit":7,"sort":"relevance"} /api/v1/search?hitsPerPage=7&quer\#
                y=a&tags=show_hn 16 /api/v1/search?hitsPerPage=200&query=a&tags=show_hn
                """#
            ),
            (
                SearchRequest(term: "a", category: "jobs", sort: .date),
                #"""
                recent {"q":"a","tags":"job","limit":20,"sort":"date"} /api/v1/search_by_date?query=a&tags=job 1\#
                5 /api/v1/search_by_date?hitsPerPage=200&query=a&tags=job
                """#
            ),
            (
                SearchRequest(term: "a", category: "polls", limit: 200, explicit: true),
                #"""
                search {"q":"a","tags":"poll","limit":200,"sort":"relevance"} /api/v1/search?hitsPerPage=200&que\#
                ry=a&tags=poll 15 /api/v1/search?hitsPerPage=150&query=a&tags=poll
                """#
            ),
            (SearchRequest(term: " "), "missingParameter q A search needs a term."),
            (
                SearchRequest(term: "a", category: "cars"),
                "invalidParameter category Hacker News has no such category. 6 stories,comments,ask,show,jobs,polls"
            ),
            (
                SearchRequest(term: "a", category: "Stories"),
                "invalidParameter category Hacker News has no such category. 6 stories,comments,ask,show,jobs,polls"
            ),
            (SearchRequest(term: "", category: "cars"), "missingParameter q A search needs a term."),
        ] as [(SearchRequest, String)])
    func aSharedSearchIsAskedSo(_ request: SearchRequest, _ told: String) {
        #expect(pins.search(request) == told)
    }

    @Test(
        arguments: [
            (nil, "story"),
            ("stories", "story"),
            ("comments", "comment"),
            ("ask", "-"),
            ("show", "-"),
            ("jobs", "job"),
            ("polls", "poll"),
            ("x", "-"),
        ] as [(String?, String)])
    func aCategoryHasTheseKinds(_ category: String?, _ told: String) {
        #expect((pins.provider.kinds(of: category)?.joined(separator: ",") ?? "-") == told)
    }
}
