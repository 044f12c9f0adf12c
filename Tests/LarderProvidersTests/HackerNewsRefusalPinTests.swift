// Refusals of Hacker News, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsRefusalPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            ("top?limit=0", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            ("top?limit=501", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            ("top?page=0", #"invalidParameter page "page" is not a number between 1 and 500. 1 1…500"#),
            ("top?page=501", #"invalidParameter page "page" is not a number between 1 and 500. 1 1…500"#),
            ("top?limit=x", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            ("top?sort=price", #"invalidParameter sort "sort" is not one of the allowed words. 3 relevance,name,date"#),
            ("top?depth=1", #"unknownParameter depth This route has no parameter "depth". 3 limit,page,sort"#),
            ("top?limit=1&limit=2", #"repeatedParameter limit "limit" is given more than once."#),
            ("top?q=a", #"unknownParameter q This route has no parameter "q". 3 limit,page,sort"#),
            (
                "new?limit=0&sort=x&page=0",
                #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#
            ),
            ("new?page=0&sort=x", #"invalidParameter page "page" is not a number between 1 and 500. 1 1…500"#),
            ("item/x", "invalidParameter id An item's id is a number, as in item/8863."),
            ("item/0", "invalidParameter id An item's id is a number, as in item/8863."),
            ("item/08", "invalidParameter id An item's id is a number, as in item/8863."),
            ("item/1000000000000", "invalidParameter id An item's id is a number, as in item/8863."),
            ("item/1?depth=11", #"invalidParameter depth "depth" is not a number between 0 and 10. 1 0…10"#),
            ("item/1?depth=-1", #"invalidParameter depth "depth" is not a number between 0 and 10. 1 0…10"#),
            ("item/1?limit=0", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            ("item/1?limit=501", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            ("item/1?depth=x&limit=0", #"invalidParameter depth "depth" is not a number between 0 and 10. 1 0…10"#),
            ("item/1?page=1", #"unknownParameter page This route has no parameter "page". 2 depth,limit"#),
            ("item/x?depth=11", "invalidParameter id An item's id is a number, as in item/8863."),
            ("item/x?y=1", #"unknownParameter y This route has no parameter "y". 2 depth,limit"#),
            ("item/1?limit=0&depth=x", #"invalidParameter depth "depth" is not a number between 0 and 10. 1 0…10"#),
            ("user/a%20b", #"invalidParameter id A user's name has letters, digits, "-" and "_" only, as in user/pg."#),
            (
                "user/a.json",
                #"invalidParameter id A user's name has letters, digits, "-" and "_" only, as in user/pg."#
            ),
            ("user/a?x=1", #"unknownParameter x This route has no parameter "x"."#),
            ("user/a.b?x=1", #"unknownParameter x This route has no parameter "x"."#),
            (
                "user/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                #"invalidParameter id A user's name has letters, digits, "-" and "_" only, as in user/pg."#
            ),
            ("user/..", #"invalidParameter id A user's name has letters, digits, "-" and "_" only, as in user/pg."#),
            ("item/..", "invalidParameter id An item's id is a number, as in item/8863."),
            ("search", "missingParameter q A search needs one of: q, tags, numericFilters."),
            ("search?limit=0", "missingParameter q A search needs one of: q, tags, numericFilters."),
            ("search?sort=x", "missingParameter q A search needs one of: q, tags, numericFilters."),
            (
                "search?q=a&query=b",
                #"invalidParameter query conflict "query" is another name of "q": give one of them."#
            ),
            ("search?q=", #"invalidParameter q "q" is empty."#),
            ("search?q=%07", #"invalidParameter q "q" contains a control character."#),
            (
                "search?tags=stories",
                #"""
                invalidParameter tags "stories" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,s\#
                how_hn,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=(story",
                #"invalidParameter tags "tags" must be a list such as story,author_pg or (story,poll),show_hn."#
            ),
            (
                "search?tags=author_",
                #"""
                invalidParameter tags "author_" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,s\#
                how_hn,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=author_a.b",
                #"""
                invalidParameter tags "author_a.b" is not a tag of Hacker News. 10 story,comment,poll,pollopt,jo\#
                b,show_hn,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=story_0",
                #"""
                invalidParameter tags "story_0" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,s\#
                how_hn,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=()",
                #"""
                invalidParameter tags "" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,show_hn,\#
                ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=story,",
                #"""
                invalidParameter tags "" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,show_hn,\#
                ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=story,,job",
                #"""
                invalidParameter tags "" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,show_hn,\#
                ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=(story)x",
                #"invalidParameter tags "tags" must be a list such as story,author_pg or (story,poll),show_hn."#
            ),
            (
                "search?tags=(story)(job)",
                #"invalidParameter tags "tags" must be a list such as story,author_pg or (story,poll),show_hn."#
            ),
            ("search?tags=", #"invalidParameter tags "tags" is empty."#),
            (
                "search?tags=((story))",
                #"""
                invalidParameter tags "(story" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,sh\#
                ow_hn,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?tags=story)",
                #"""
                invalidParameter tags "story)" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,sh\#
                ow_hn,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?numericFilters=karma%3E1",
                #"""
                invalidParameter numericFilters "karma>1" is not a filter such as points>=100 or created_at_i<17\#
                00000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                "search?numericFilters=points",
                #"""
                invalidParameter numericFilters "points" is not a filter such as points>=100 or created_at_i<170\#
                0000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                "search?numericFilters=points%3E",
                #"""
                invalidParameter numericFilters "points>" is not a filter such as points>=100 or created_at_i<17\#
                00000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                "search?numericFilters=points%3E1x",
                #"""
                invalidParameter numericFilters "points>1x" is not a filter such as points>=100 or created_at_i<\#
                1700000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                "search?numericFilters=points%3E1,",
                #"invalidParameter numericFilters "numericFilters" has an empty part."#
            ),
            (
                "search?numericFilters=points%3E1234567890123",
                #"""
                invalidParameter numericFilters "points>1234567890123" is not a filter such as points>=100 or cr\#
                eated_at_i<1700000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                "search?numericFilters=points%3E-1",
                #"""
                invalidParameter numericFilters "points>-1" is not a filter such as points>=100 or created_at_i<\#
                1700000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                "search?numericFilters=points==1",
                #"""
                invalidParameter numericFilters "points==1" is not a filter such as points>=100 or created_at_i<\#
                1700000000. 3 created_at_i,points,num_comments
                """#
            ),
            (
                #"""
                search?numericFilters=points%3E1,points%3E1,points%3E1,points%3E1,points%3E1,points%3E1,points%3\#
                E1,points%3E1,points%3E1,points%3E1,points%3E1
                """#,
                #"invalidParameter numericFilters "numericFilters" has more than 10 parts."#
            ),
            (
                "search?q=a&limit=100&page=11",
                #"""
                invalidParameter page conflict Only the first 1000 hits of a search can be reached. Narrow it do\#
                wn with created_at_i.
                """#
            ),
            (
                "search?q=a&limit=1000&page=2",
                #"""
                invalidParameter page conflict Only the first 1000 hits of a search can be reached. Narrow it do\#
                wn with created_at_i.
                """#
            ),
            (
                "search?q=a&limit=20&page=51",
                #"""
                invalidParameter page conflict Only the first 1000 hits of a search can be reached. Narrow it do\#
                wn with created_at_i.
                """#
            ),
            ("search?limit=1001&q=a", #"invalidParameter limit "limit" is not a number between 1 and 1000. 1 1…1000"#),
            ("search?q=a&page=1001", #"invalidParameter page "page" is not a number between 1 and 1000. 1 1…1000"#),
            ("search?q=a&page=0", #"invalidParameter page "page" is not a number between 1 and 1000. 1 1…1000"#),
            (
                "search?q=a&sort=price",
                #"invalidParameter sort "sort" is not one of the allowed words. 3 relevance,name,date"#
            ),
            (
                "search?x=1",
                #"unknownParameter x This route has no parameter "x". 7 q,query,tags,numericFilters,limit,page,sort"#
            ),
            (
                "recent?sort=name",
                #"unknownParameter sort This route has no parameter "sort". 6 q,query,tags,numericFilters,limit,page"#
            ),
            (
                "recent?q=a&limit=100&page=11",
                #"""
                invalidParameter page conflict Only the first 1000 hits of a search can be reached. Narrow it do\#
                wn with created_at_i.
                """#
            ),
            ("recent?limit=0", #"invalidParameter limit "limit" is not a number between 1 and 1000. 1 1…1000"#),
            (
                "recent?x=1",
                #"unknownParameter x This route has no parameter "x". 6 q,query,tags,numericFilters,limit,page"#
            ),
            (
                "search?q=a&page=11&limit=100&sort=x",
                #"""
                invalidParameter page conflict Only the first 1000 hits of a search can be reached. Narrow it do\#
                wn with created_at_i.
                """#
            ),
            (
                "search?tags=x&limit=0",
                #"""
                invalidParameter tags "x" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,show_hn\#
                ,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            (
                "search?q=a&query=b&tags=x",
                #"invalidParameter query conflict "query" is another name of "q": give one of them."#
            ),
            (
                "search?tags=x&numericFilters=y",
                #"""
                invalidParameter tags "x" is not a tag of Hacker News. 10 story,comment,poll,pollopt,job,show_hn\#
                ,ask_hn,front_page,author_NAME,story_ID
                """#
            ),
            ("search?page=51", "missingParameter q A search needs one of: q, tags, numericFilters."),
            (
                "search?q=" + String(repeating: "a", count: 1001),
                #"invalidParameter q "q" is longer than 1000 characters."#
            ),
            (
                "topstories",
                "noSuchRoute - There is no route /v1/hackernews/topstories. /openapi.json lists all routes."
            ),
            ("top/1", "noSuchRoute - There is no route /v1/hackernews/top/1. /openapi.json lists all routes."),
            ("item", "noSuchRoute - There is no route /v1/hackernews/item. /openapi.json lists all routes."),
            ("user", "noSuchRoute - There is no route /v1/hackernews/user. /openapi.json lists all routes."),
            ("user/a/b", "noSuchRoute - There is no route /v1/hackernews/user/a/b. /openapi.json lists all routes."),
            ("search/x", "noSuchRoute - There is no route /v1/hackernews/search/x. /openapi.json lists all routes."),
            ("recent/x", "noSuchRoute - There is no route /v1/hackernews/recent/x. /openapi.json lists all routes."),
            ("x", "noSuchRoute - There is no route /v1/hackernews/x. /openapi.json lists all routes."),
            ("search?tags=a%07", #"invalidParameter tags "tags" contains a control character."#),
            (
                "search?tags=author_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                #"""
                search {"tags":"author_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","limit":20,"sort":"relevance"} \#
                /api/v1/search?tags=author_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 15 /api/v1/search?hitsPerPag\#
                e=200&tags=author_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                """#
            ),
            (
                #"""
                search?tags=author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,author_bbbbbbbbbbbbbbbbbbbbbbbbbbbbb\#
                bbbbbbbbbbb
                """#,
                #"invalidParameter tags "tags" is longer than 1000 characters."#
            ),
            ("search?numericFilters=a,,b", #"invalidParameter numericFilters "numericFilters" has an empty part."#),
            (
                "search?tags=story%0A",
                #"""
                search {"tags":"story","limit":20,"sort":"relevance"} /api/v1/search?tags=story 15 /api/v1/searc\#
                h?hitsPerPage=200&tags=story
                """#
            ),
        ] as [(String, String)])
    func anErrorIsToldSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }
}
