// Results of odd answers and of users of Hacker News, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsRecordPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            (
                "search?q=t&numericFilters=points%3E1&limit=2&page=2",
                #"""
                {"hits":[{"objectID":"1","title":"t1","points":5,"num_comments":3,"_tags":["story"],"created_at_\#
                i":1},{"objectID":"2","title":"t2","points":10,"num_comments":null,"_tags":["story"],"created_at\#
                _i":2},{"objectID":"3","title":"t3","points":7,"num_comments":0,"_tags":["story"],"created_at_i"\#
                :3},{"objectID":"4","title":"t4","points":2,"num_comments":3,"_tags":["story"],"created_at_i":4}\#
                ,{"objectID":"5","title":"t5","points":null,"num_comments":null,"_tags":["story"],"created_at_i"\#
                :5},{"objectID":"6","title":"t6","points":5,"num_comments":0,"_tags":["story"],"created_at_i":6}\#
                ,{"objectID":"7","title":"t7","points":10,"num_comments":3,"_tags":["story"],"created_at_i":7},{\#
                "objectID":"8","title":"t8","points":7,"num_comments":null,"_tags":["story"],"created_at_i":8},{\#
                "objectID":"9","title":"t9","points":2,"num_comments":0,"_tags":["story"],"created_at_i":9},{"ob\#
                jectID":"10","title":"t10","points":null,"num_comments":3,"_tags":["story"],"created_at_i":10},{\#
                "objectID":"11","title":"t11","points":5,"num_comments":null,"_tags":["story"],"created_at_i":11\#
                },{"objectID":"12","title":"t12","points":10,"num_comments":0,"_tags":["story"],"created_at_i":1\#
                2},{"objectID":"13","title":"t13","points":7,"num_comments":3,"_tags":["story"],"created_at_i":1\#
                3},{"objectID":"14","title":"t14","points":2,"num_comments":null,"_tags":["story"],"created_at_i\#
                ":14},{"objectID":"15","title":"t15","points":null,"num_comments":0,"_tags":["story"],"created_a\#
                t_i":15},7,{"objectID":"x","title":"y","points":99,"num_comments":9}],"nbHits":17}
                """#,
                #"""
                2  total=-1 leftOut=15 [{"id":"hackernews:story:3","provider":"hackernews","kind":"story","title\#
                ":"t3","url":"https://news.ycombinator.com/item?id=3","publishedAt":"1970-01-01T00:00:03Z","attr\#
                ibutes":{"itemId":3,"discussionUrl":"https://news.ycombinator.com/item?id=3","points":7,"comment\#
                s":0,"tags":["story"]}},{"id":"hackernews:story:4","provider":"hackernews","kind":"story","title\#
                ":"t4","url":"https://news.ycombinator.com/item?id=4","publishedAt":"1970-01-01T00:00:04Z","attr\#
                ibutes":{"itemId":4,"discussionUrl":"https://news.ycombinator.com/item?id=4","points":2,"comment\#
                s":3,"tags":["story"]}}]
                """#
            ),
            (
                "recent?numericFilters=num_comments=3&limit=1",
                #"""
                {"hits":[{"objectID":"1","title":"t1","points":5,"num_comments":3,"_tags":["story"],"created_at_\#
                i":1},{"objectID":"2","title":"t2","points":10,"num_comments":null,"_tags":["story"],"created_at\#
                _i":2},{"objectID":"3","title":"t3","points":7,"num_comments":0,"_tags":["story"],"created_at_i"\#
                :3},{"objectID":"4","title":"t4","points":2,"num_comments":3,"_tags":["story"],"created_at_i":4}\#
                ,{"objectID":"5","title":"t5","points":null,"num_comments":null,"_tags":["story"],"created_at_i"\#
                :5},{"objectID":"6","title":"t6","points":5,"num_comments":0,"_tags":["story"],"created_at_i":6}\#
                ,{"objectID":"7","title":"t7","points":10,"num_comments":3,"_tags":["story"],"created_at_i":7},{\#
                "objectID":"8","title":"t8","points":7,"num_comments":null,"_tags":["story"],"created_at_i":8},{\#
                "objectID":"9","title":"t9","points":2,"num_comments":0,"_tags":["story"],"created_at_i":9},{"ob\#
                jectID":"10","title":"t10","points":null,"num_comments":3,"_tags":["story"],"created_at_i":10},{\#
                "objectID":"11","title":"t11","points":5,"num_comments":null,"_tags":["story"],"created_at_i":11\#
                },{"objectID":"12","title":"t12","points":10,"num_comments":0,"_tags":["story"],"created_at_i":1\#
                2},{"objectID":"13","title":"t13","points":7,"num_comments":3,"_tags":["story"],"created_at_i":1\#
                3},{"objectID":"14","title":"t14","points":2,"num_comments":null,"_tags":["story"],"created_at_i\#
                ":14},{"objectID":"15","title":"t15","points":null,"num_comments":0,"_tags":["story"],"created_a\#
                t_i":15},7,{"objectID":"x","title":"y","points":99,"num_comments":9}],"nbHits":17}
                """#,
                #"""
                1  total=-1 leftOut=16 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","title\#
                ":"t1","url":"https://news.ycombinator.com/item?id=1","publishedAt":"1970-01-01T00:00:01Z","attr\#
                ibutes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","points":5,"comment\#
                s":3,"tags":["story"]}}]
                """#
            ),
            (
                "search?numericFilters=created_at_i%3E3",
                #"""
                {"hits":[{"objectID":"1","title":"t1","points":5,"num_comments":3,"_tags":["story"],"created_at_\#
                i":1},{"objectID":"2","title":"t2","points":10,"num_comments":null,"_tags":["story"],"created_at\#
                _i":2},{"objectID":"3","title":"t3","points":7,"num_comments":0,"_tags":["story"],"created_at_i"\#
                :3},{"objectID":"4","title":"t4","points":2,"num_comments":3,"_tags":["story"],"created_at_i":4}\#
                ,{"objectID":"5","title":"t5","points":null,"num_comments":null,"_tags":["story"],"created_at_i"\#
                :5},{"objectID":"6","title":"t6","points":5,"num_comments":0,"_tags":["story"],"created_at_i":6}\#
                ,{"objectID":"7","title":"t7","points":10,"num_comments":3,"_tags":["story"],"created_at_i":7},{\#
                "objectID":"8","title":"t8","points":7,"num_comments":null,"_tags":["story"],"created_at_i":8},{\#
                "objectID":"9","title":"t9","points":2,"num_comments":0,"_tags":["story"],"created_at_i":9},{"ob\#
                jectID":"10","title":"t10","points":null,"num_comments":3,"_tags":["story"],"created_at_i":10},{\#
                "objectID":"11","title":"t11","points":5,"num_comments":null,"_tags":["story"],"created_at_i":11\#
                },{"objectID":"12","title":"t12","points":10,"num_comments":0,"_tags":["story"],"created_at_i":1\#
                2},{"objectID":"13","title":"t13","points":7,"num_comments":3,"_tags":["story"],"created_at_i":1\#
                3},{"objectID":"14","title":"t14","points":2,"num_comments":null,"_tags":["story"],"created_at_i\#
                ":14},{"objectID":"15","title":"t15","points":null,"num_comments":0,"_tags":["story"],"created_a\#
                t_i":15},7,{"objectID":"x","title":"y","points":99,"num_comments":9}],"nbHits":17}
                """#,
                #"""
                15 id=1,not an object=1 total=17 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","\#
                kind":"story","title":"t1","url":"https://news.ycombinator.com/item?id=1","publishedAt":"1970-01\#
                -01T00:00:01Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1"\#
                ,"points":5,"comments":3,"tags":["story"]}},{"id":"hackernews:story:2","provider":"hackernews","\#
                kind":"story","title":"t2","url":"https://news.ycombinator.com/item?id=2","publishedAt":"1970-01\#
                -01T00:00:02Z","attributes":{"itemId":2,"discussionUrl":"https://news.ycombinator.com/item?id=2"\#
                ,"points":10,"tags":["story"]}},{"id":"hackernews:story:3","provider":"hackernews","kind":"story\#
                ","title":"t3","url":"https://news.ycombinator.com/item?id=3","publishedAt":"1970-01-01T00:00:03\#
                Z","attributes":{"itemId":3,"discussionUrl":"https://news.ycombinator.com/item?id=3","points":7,\#
                "comments":0,"tags":["story"]}},{"id":"hackernews:story:4","provider":"hackernews","kind":"story\#
                ","title":"t4","url":"https://news.ycombinator.com/item?id=4","publishedAt":"1970-01-01T00:00:04\#
                Z","attributes":{"itemId":4,"discussionUrl":"https://news.ycombinator.com/item?id=4","points":2,\#
                "comments":3,"tags":["story"]}},{"id":"hackernews:story:5","provider":"hackernews","kind":"story\#
                ","title":"t5","url":"https://news.ycombinator.com/item?id=5","publishedAt":"1970-01-01T00:00:05\#
                Z","attributes":{"itemId":5,"discussionUrl":"https://news.ycombinator.com/item?id=5","tags":["st\#
                ory"]}},{"id":"hackernews:story:6","provider":"hackernews","kind":"story","title":"t6","url":"ht\#
                tps://news.ycombinator.com/item?id=6","publishedAt":"1970-01-01T00:00:06Z","attributes":{"itemId\#
                ":6,"discussionUrl":"https://news.ycombinator.com/item?id=6","points":5,"comments":0,"tags":["st\#
                ory"]}},{"id":"hackernews:story:7","provider":"hackernews","kind":"story","title":"t7","url":"ht\#
                tps://news.ycombinator.com/item?id=7","publishedAt":"1970-01-01T00:00:07Z","attributes":{"itemId\#
                ":7,"discussionUrl":"https://news.ycombinator.com/item?id=7","points":10,"comments":3,"tags":["s\#
                tory"]}},{"id":"hackernews:story:8","provider":"hackernews","kind":"story","title":"t8","url":"h\#
                ttps://news.ycombinator.com/item?id=8","publishedAt":"1970-01-01T00:00:08Z","attributes":{"itemI\#
                d":8,"discussionUrl":"https://news.ycombinator.com/item?id=8","points":7,"tags":["story"]}},{"id\#
                ":"hackernews:story:9","provider":"hackernews","kind":"story","title":"t9","url":"https://news.y\#
                combinator.com/item?id=9","publishedAt":"1970-01-01T00:00:09Z","attributes":{"itemId":9,"discuss\#
                ionUrl":"https://news.ycombinator.com/item?id=9","points":2,"comments":0,"tags":["story"]}},{"id\#
                ":"hackernews:story:10","provider":"hackernews","kind":"story","title":"t10","url":"https://news\#
                .ycombinator.com/item?id=10","publishedAt":"1970-01-01T00:00:10Z","attributes":{"itemId":10,"dis\#
                cussionUrl":"https://news.ycombinator.com/item?id=10","comments":3,"tags":["story"]}},{"id":"hac\#
                kernews:story:11","provider":"hackernews","kind":"story","title":"t11","url":"https://news.ycomb\#
                inator.com/item?id=11","publishedAt":"1970-01-01T00:00:11Z","attributes":{"itemId":11,"discussio\#
                nUrl":"https://news.ycombinator.com/item?id=11","points":5,"tags":["story"]}},{"id":"hackernews:\#
                story:12","provider":"hackernews","kind":"story","title":"t12","url":"https://news.ycombinator.c\#
                om/item?id=12","publishedAt":"1970-01-01T00:00:12Z","attributes":{"itemId":12,"discussionUrl":"h\#
                ttps://news.ycombinator.com/item?id=12","points":10,"comments":0,"tags":["story"]}},{"id":"hacke\#
                rnews:story:13","provider":"hackernews","kind":"story","title":"t13","url":"https://news.ycombin\#
                ator.com/item?id=13","publishedAt":"1970-01-01T00:00:13Z","attributes":{"itemId":13,"discussionU\#
                rl":"https://news.ycombinator.com/item?id=13","points":7,"comments":3,"tags":["story"]}},{"id":"\#
                hackernews:story:14","provider":"hackernews","kind":"story","title":"t14","url":"https://news.yc\#
                ombinator.com/item?id=14","publishedAt":"1970-01-01T00:00:14Z","attributes":{"itemId":14,"discus\#
                sionUrl":"https://news.ycombinator.com/item?id=14","points":2,"tags":["story"]}},{"id":"hackerne\#
                ws:story:15","provider":"hackernews","kind":"story","title":"t15","url":"https://news.ycombinato\#
                r.com/item?id=15","publishedAt":"1970-01-01T00:00:15Z","attributes":{"itemId":15,"discussionUrl"\#
                :"https://news.ycombinator.com/item?id=15","comments":0,"tags":["story"]}}]
                """#
            ),
            (
                "search?q=a&numericFilters=points%3E9999",
                #"""
                {"hits":[{"objectID":"1","title":"t1","points":5,"num_comments":3,"_tags":["story"],"created_at_\#
                i":1},{"objectID":"2","title":"t2","points":10,"num_comments":null,"_tags":["story"],"created_at\#
                _i":2},{"objectID":"3","title":"t3","points":7,"num_comments":0,"_tags":["story"],"created_at_i"\#
                :3},{"objectID":"4","title":"t4","points":2,"num_comments":3,"_tags":["story"],"created_at_i":4}\#
                ,{"objectID":"5","title":"t5","points":null,"num_comments":null,"_tags":["story"],"created_at_i"\#
                :5},{"objectID":"6","title":"t6","points":5,"num_comments":0,"_tags":["story"],"created_at_i":6}\#
                ,{"objectID":"7","title":"t7","points":10,"num_comments":3,"_tags":["story"],"created_at_i":7},{\#
                "objectID":"8","title":"t8","points":7,"num_comments":null,"_tags":["story"],"created_at_i":8},{\#
                "objectID":"9","title":"t9","points":2,"num_comments":0,"_tags":["story"],"created_at_i":9},{"ob\#
                jectID":"10","title":"t10","points":null,"num_comments":3,"_tags":["story"],"created_at_i":10},{\#
                "objectID":"11","title":"t11","points":5,"num_comments":null,"_tags":["story"],"created_at_i":11\#
                },{"objectID":"12","title":"t12","points":10,"num_comments":0,"_tags":["story"],"created_at_i":1\#
                2},{"objectID":"13","title":"t13","points":7,"num_comments":3,"_tags":["story"],"created_at_i":1\#
                3},{"objectID":"14","title":"t14","points":2,"num_comments":null,"_tags":["story"],"created_at_i\#
                ":14},{"objectID":"15","title":"t15","points":null,"num_comments":0,"_tags":["story"],"created_a\#
                t_i":15},7,{"objectID":"x","title":"y","points":99,"num_comments":9}],"nbHits":17}
                """#,
                "0  total=-1 leftOut=17 []"
            ),
            (
                "search?q=t&numericFilters=points%3C10,num_comments%3E0",
                #"""
                {"hits":[{"objectID":"1","title":"t1","points":5,"num_comments":3,"_tags":["story"],"created_at_\#
                i":1},{"objectID":"2","title":"t2","points":10,"num_comments":null,"_tags":["story"],"created_at\#
                _i":2},{"objectID":"3","title":"t3","points":7,"num_comments":0,"_tags":["story"],"created_at_i"\#
                :3},{"objectID":"4","title":"t4","points":2,"num_comments":3,"_tags":["story"],"created_at_i":4}\#
                ,{"objectID":"5","title":"t5","points":null,"num_comments":null,"_tags":["story"],"created_at_i"\#
                :5},{"objectID":"6","title":"t6","points":5,"num_comments":0,"_tags":["story"],"created_at_i":6}\#
                ,{"objectID":"7","title":"t7","points":10,"num_comments":3,"_tags":["story"],"created_at_i":7},{\#
                "objectID":"8","title":"t8","points":7,"num_comments":null,"_tags":["story"],"created_at_i":8},{\#
                "objectID":"9","title":"t9","points":2,"num_comments":0,"_tags":["story"],"created_at_i":9},{"ob\#
                jectID":"10","title":"t10","points":null,"num_comments":3,"_tags":["story"],"created_at_i":10},{\#
                "objectID":"11","title":"t11","points":5,"num_comments":null,"_tags":["story"],"created_at_i":11\#
                },{"objectID":"12","title":"t12","points":10,"num_comments":0,"_tags":["story"],"created_at_i":1\#
                2},{"objectID":"13","title":"t13","points":7,"num_comments":3,"_tags":["story"],"created_at_i":1\#
                3},{"objectID":"14","title":"t14","points":2,"num_comments":null,"_tags":["story"],"created_at_i\#
                ":14},{"objectID":"15","title":"t15","points":null,"num_comments":0,"_tags":["story"],"created_a\#
                t_i":15},7,{"objectID":"x","title":"y","points":99,"num_comments":9}],"nbHits":17}
                """#,
                #"""
                3  total=-1 leftOut=14 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","title\#
                ":"t1","url":"https://news.ycombinator.com/item?id=1","publishedAt":"1970-01-01T00:00:01Z","attr\#
                ibutes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","points":5,"comment\#
                s":3,"tags":["story"]}},{"id":"hackernews:story:4","provider":"hackernews","kind":"story","title\#
                ":"t4","url":"https://news.ycombinator.com/item?id=4","publishedAt":"1970-01-01T00:00:04Z","attr\#
                ibutes":{"itemId":4,"discussionUrl":"https://news.ycombinator.com/item?id=4","points":2,"comment\#
                s":3,"tags":["story"]}},{"id":"hackernews:story:13","provider":"hackernews","kind":"story","titl\#
                e":"t13","url":"https://news.ycombinator.com/item?id=13","publishedAt":"1970-01-01T00:00:13Z","a\#
                ttributes":{"itemId":13,"discussionUrl":"https://news.ycombinator.com/item?id=13","points":7,"co\#
                mments":3,"tags":["story"]}}]
                """#
            ),
            ("search?q=a", "{}", "The answer has no list of hits."),
            ("search?q=a", #"{"hits":{}}"#, "The answer has no list of hits."),
            ("search?q=a", "<html>", "The answer is HTML or XML instead of JSON."),
            ("recent", "", "The answer is empty instead of JSON."),
            (
                "search?q=a&limit=2",
                #"""
                {"hits":[{"objectID":"1","title":"b"},{"objectID":"2","title":"a"},{"objectID":"3","title":"c"}]\#
                ,"nbHits":3}
                """#,
                #"""
                2  total=3 leftOut=1 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","title":\#
                "b","url":"https://news.ycombinator.com/item?id=1","attributes":{"itemId":1,"discussionUrl":"htt\#
                ps://news.ycombinator.com/item?id=1"}},{"id":"hackernews:story:2","provider":"hackernews","kind"\#
                :"story","title":"a","url":"https://news.ycombinator.com/item?id=2","attributes":{"itemId":2,"di\#
                scussionUrl":"https://news.ycombinator.com/item?id=2"}}]
                """#
            ),
            (
                "search?q=a&sort=name&limit=2",
                #"""
                {"hits":[{"objectID":"1","title":"b"},{"objectID":"2","title":"c"},{"objectID":"3","title":"a"}]\#
                ,"nbHits":3}
                """#,
                #"""
                2  total=3 leftOut=1 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","title":\#
                "b","url":"https://news.ycombinator.com/item?id=1","attributes":{"itemId":1,"discussionUrl":"htt\#
                ps://news.ycombinator.com/item?id=1"}},{"id":"hackernews:story:2","provider":"hackernews","kind"\#
                :"story","title":"c","url":"https://news.ycombinator.com/item?id=2","attributes":{"itemId":2,"di\#
                scussionUrl":"https://news.ycombinator.com/item?id=2"}}]
                """#
            ),
            ("search?q=a", "[]", "The answer has no list of hits."),
            ("search?q=a", #"{"hits":[]}"#, "0  total=-1 leftOut=0 []"),
            (
                "search?q=a&sort=date",
                #"""
                {"hits":[{"objectID":"1","title":"b","created_at_i":5},{"objectID":"2","title":"c","created_at_i\#
                ":9}],"nbHits":2}
                """#,
                #"""
                2  total=2 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","title":\#
                "b","url":"https://news.ycombinator.com/item?id=1","publishedAt":"1970-01-01T00:00:05Z","attribu\#
                tes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1"}},{"id":"hackernews:st\#
                ory:2","provider":"hackernews","kind":"story","title":"c","url":"https://news.ycombinator.com/it\#
                em?id=2","publishedAt":"1970-01-01T00:00:09Z","attributes":{"itemId":2,"discussionUrl":"https://\#
                news.ycombinator.com/item?id=2"}}]
                """#
            ),
            (
                "user/jl",
                #"""
                {"about":"This is <a href=\"https://x.org\">me</a>.<p>two","created":1173923446,"delay":0,"id":"\#
                jl","karma":2937,"submitted":[1,2,3]}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"hackernews:user:jl","provider":"hackernews","kind":"user","title":\#
                "jl","summary":"This is me (https://x.org).\ntwo","url":"https://news.ycombinator.com/user?id=jl\#
                ","publishedAt":"2007-03-15T01:50:46Z","attributes":{"karma":2937,"submissions":3,"links":["http\#
                s://x.org"]}}]
                """#
            ),
            (
                "user/jl",
                #"{"id":" a  b ","created":-1,"submitted":"x","about":""}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"hackernews:user:a b","provider":"hackernews","kind":"user","title"\#
                :"a b","url":"https://news.ycombinator.com/user?id=a%20b","attributes":{"submissions":0}}]
                """#
            ),
            ("user/jl", "{}", "The record has no id."),
            ("user/jl", "null", "The record has no id."),
            ("user/jl", "x", "The answer is not valid JSON: an unexpected byte at byte 0."),
            (
                "user/jl",
                #"{"id":"a/b","karma":1.5,"submitted":[],"created":253402300800}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"hackernews:user:a/b","provider":"hackernews","kind":"user","title"\#
                :"a/b","url":"https://news.ycombinator.com/user?id=a%2Fb","attributes":{"submissions":0}}]
                """#
            ),
            (
                "user/jl",
                #"{"id":"e","submitted":{"a":1,"b":2},"karma":-5,"created":0,"about":"plain\n\n\ntext"}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"hackernews:user:e","provider":"hackernews","kind":"user","title":"\#
                e","summary":"plain\n\ntext","url":"https://news.ycombinator.com/user?id=e","publishedAt":"1970-\#
                01-01T00:00:00Z","attributes":{"karma":-5,"submissions":2}}]
                """#
            ),
            (
                "user/jl",
                #"{"id":"e","submitted":null,"created":1.0}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"hackernews:user:e","provider":"hackernews","kind":"user","title":"\#
                e","url":"https://news.ycombinator.com/user?id=e","attributes":{"submissions":0}}]
                """#
            ),
            ("item/1", #"{"id":1}"#, "This request takes several calls."),
            ("top", "[1]", "This request takes several calls."),
        ] as [(String, String, String)])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.answer(route, body) == told)
    }
}
