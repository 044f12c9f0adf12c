// Results of Hacker News, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsAnswerPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            (
                "search?q=a",
                #"""
                {"hits":[{"created_at":"x","author":" ann  b","points":111,"num_comments":71,"title":"My &#x2D; \#
                <b>T</b>","story_id":8863,"url":"http://www.a.org/u","created_at_i":1175714200,"_tags":["story",\#
                "author_dhouston"," ","x  y"],"objectID":"8863","children":[1,2,"x",3.5]},{"objectID":"9","autho\#
                r":null,"comment_text":"See <a href=\"https://b.org/x\">this</a>.<p>Two &lt;3","story_title":"Th\#
                e &amp; story","story_id":8863,"parent_id":8863,"created_at_i":"x","points":null,"num_comments":\#
                null,"_tags":["comment"],"story_url":"x"},{"objectID":"10","title":"Ask","story_text":"<p>one<p>\#
                two","url":"","_tags":["ask_hn","story"],"num_comments":0,"points":0,"created_at_i":0},{"objectI\#
                D":"11","title":"J","url":"javascript:x","_tags":["job"]},{"objectID":"12","comment_text":"opt",\#
                "_tags":["pollopt"],"parent_id":1},{"objectID":"13","title":"P","_tags":["poll"],"num_comments":\#
                3}],"nbHits":900}
                """#,
                #"""
                6  total=900 leftOut=0 [{"id":"hackernews:story:8863","provider":"hackernews","kind":"story","ti\#
                tle":"My - T","creator":"ann b","collection":"a.org","url":"http://www.a.org/u","publishedAt":"2\#
                007-04-04T19:16:40Z","attributes":{"itemId":8863,"discussionUrl":"https://news.ycombinator.com/i\#
                tem?id=8863","points":111,"comments":71,"kids":[1,2],"tags":["story","author_dhouston","x y"]}},\#
                {"id":"hackernews:comment:9","provider":"hackernews","kind":"comment","title":"See this (https:/\#
                /b.org/x). Two <3","collection":"The & story","summary":"See this (https://b.org/x).\nTwo <3","u\#
                rl":"https://news.ycombinator.com/item?id=9","attributes":{"itemId":9,"discussionUrl":"https://n\#
                ews.ycombinator.com/item?id=9","parentId":8863,"storyId":8863,"tags":["comment"],"links":["https\#
                ://b.org/x"]}},{"id":"hackernews:story:10","provider":"hackernews","kind":"story","title":"Ask",\#
                "summary":"one\ntwo","url":"https://news.ycombinator.com/item?id=10","publishedAt":"1970-01-01T0\#
                0:00:00Z","attributes":{"itemId":10,"discussionUrl":"https://news.ycombinator.com/item?id=10","p\#
                oints":0,"comments":0,"tags":["ask_hn","story"]}},{"id":"hackernews:job:11","provider":"hackerne\#
                ws","kind":"job","title":"J","url":"https://news.ycombinator.com/item?id=11","attributes":{"item\#
                Id":11,"discussionUrl":"https://news.ycombinator.com/item?id=11","tags":["job"]}},{"id":"hackern\#
                ews:pollOption:12","provider":"hackernews","kind":"pollOption","title":"opt","summary":"opt","ur\#
                l":"https://news.ycombinator.com/item?id=12","attributes":{"itemId":12,"discussionUrl":"https://\#
                news.ycombinator.com/item?id=12","parentId":1,"tags":["pollopt"]}},{"id":"hackernews:poll:13","p\#
                rovider":"hackernews","kind":"poll","title":"P","url":"https://news.ycombinator.com/item?id=13",\#
                "attributes":{"itemId":13,"discussionUrl":"https://news.ycombinator.com/item?id=13","comments":3\#
                ,"tags":["poll"]}}]
                """#
            ),
            (
                "search?q=a&sort=name",
                #"""
                {"hits":[{"created_at":"x","author":" ann  b","points":111,"num_comments":71,"title":"My &#x2D; \#
                <b>T</b>","story_id":8863,"url":"http://www.a.org/u","created_at_i":1175714200,"_tags":["story",\#
                "author_dhouston"," ","x  y"],"objectID":"8863","children":[1,2,"x",3.5]},{"objectID":"9","autho\#
                r":null,"comment_text":"See <a href=\"https://b.org/x\">this</a>.<p>Two &lt;3","story_title":"Th\#
                e &amp; story","story_id":8863,"parent_id":8863,"created_at_i":"x","points":null,"num_comments":\#
                null,"_tags":["comment"],"story_url":"x"},{"objectID":"10","title":"Ask","story_text":"<p>one<p>\#
                two","url":"","_tags":["ask_hn","story"],"num_comments":0,"points":0,"created_at_i":0},{"objectI\#
                D":"11","title":"J","url":"javascript:x","_tags":["job"]},{"objectID":"12","comment_text":"opt",\#
                "_tags":["pollopt"],"parent_id":1},{"objectID":"13","title":"P","_tags":["poll"],"num_comments":\#
                3}],"nbHits":900}
                """#,
                #"""
                6  total=900 leftOut=0 [{"id":"hackernews:story:10","provider":"hackernews","kind":"story","titl\#
                e":"Ask","summary":"one\ntwo","url":"https://news.ycombinator.com/item?id=10","publishedAt":"197\#
                0-01-01T00:00:00Z","attributes":{"itemId":10,"discussionUrl":"https://news.ycombinator.com/item?\#
                id=10","points":0,"comments":0,"tags":["ask_hn","story"]}},{"id":"hackernews:job:11","provider":\#
                "hackernews","kind":"job","title":"J","url":"https://news.ycombinator.com/item?id=11","attribute\#
                s":{"itemId":11,"discussionUrl":"https://news.ycombinator.com/item?id=11","tags":["job"]}},{"id"\#
                :"hackernews:story:8863","provider":"hackernews","kind":"story","title":"My - T","creator":"ann \#
                b","collection":"a.org","url":"http://www.a.org/u","publishedAt":"2007-04-04T19:16:40Z","attribu\#
                tes":{"itemId":8863,"discussionUrl":"https://news.ycombinator.com/item?id=8863","points":111,"co\#
                mments":71,"kids":[1,2],"tags":["story","author_dhouston","x y"]}},{"id":"hackernews:pollOption:\#
                12","provider":"hackernews","kind":"pollOption","title":"opt","summary":"opt","url":"https://new\#
                s.ycombinator.com/item?id=12","attributes":{"itemId":12,"discussionUrl":"https://news.ycombinato\#
                r.com/item?id=12","parentId":1,"tags":["pollopt"]}},{"id":"hackernews:poll:13","provider":"hacke\#
                rnews","kind":"poll","title":"P","url":"https://news.ycombinator.com/item?id=13","attributes":{"\#
                itemId":13,"discussionUrl":"https://news.ycombinator.com/item?id=13","comments":3,"tags":["poll"\#
                ]}},{"id":"hackernews:comment:9","provider":"hackernews","kind":"comment","title":"See this (htt\#
                ps://b.org/x). Two <3","collection":"The & story","summary":"See this (https://b.org/x).\nTwo <3\#
                ","url":"https://news.ycombinator.com/item?id=9","attributes":{"itemId":9,"discussionUrl":"https\#
                ://news.ycombinator.com/item?id=9","parentId":8863,"storyId":8863,"tags":["comment"],"links":["h\#
                ttps://b.org/x"]}}]
                """#
            ),
            (
                "recent?q=a&limit=2",
                #"""
                {"hits":[{"created_at":"x","author":" ann  b","points":111,"num_comments":71,"title":"My &#x2D; \#
                <b>T</b>","story_id":8863,"url":"http://www.a.org/u","created_at_i":1175714200,"_tags":["story",\#
                "author_dhouston"," ","x  y"],"objectID":"8863","children":[1,2,"x",3.5]},{"objectID":"9","autho\#
                r":null,"comment_text":"See <a href=\"https://b.org/x\">this</a>.<p>Two &lt;3","story_title":"Th\#
                e &amp; story","story_id":8863,"parent_id":8863,"created_at_i":"x","points":null,"num_comments":\#
                null,"_tags":["comment"],"story_url":"x"},{"objectID":"10","title":"Ask","story_text":"<p>one<p>\#
                two","url":"","_tags":["ask_hn","story"],"num_comments":0,"points":0,"created_at_i":0},{"objectI\#
                D":"11","title":"J","url":"javascript:x","_tags":["job"]},{"objectID":"12","comment_text":"opt",\#
                "_tags":["pollopt"],"parent_id":1},{"objectID":"13","title":"P","_tags":["poll"],"num_comments":\#
                3}],"nbHits":900}
                """#,
                #"""
                2  total=900 leftOut=4 [{"id":"hackernews:story:8863","provider":"hackernews","kind":"story","ti\#
                tle":"My - T","creator":"ann b","collection":"a.org","url":"http://www.a.org/u","publishedAt":"2\#
                007-04-04T19:16:40Z","attributes":{"itemId":8863,"discussionUrl":"https://news.ycombinator.com/i\#
                tem?id=8863","points":111,"comments":71,"kids":[1,2],"tags":["story","author_dhouston","x y"]}},\#
                {"id":"hackernews:comment:9","provider":"hackernews","kind":"comment","title":"See this (https:/\#
                /b.org/x). Two <3","collection":"The & story","summary":"See this (https://b.org/x).\nTwo <3","u\#
                rl":"https://news.ycombinator.com/item?id=9","attributes":{"itemId":9,"discussionUrl":"https://n\#
                ews.ycombinator.com/item?id=9","parentId":8863,"storyId":8863,"tags":["comment"],"links":["https\#
                ://b.org/x"]}}]
                """#
            ),
            (
                "search?q=a",
                #"""
                {"hits":[{"objectID":"x","title":"t"},{"objectID":"08","title":"t"},{"title":"t"},{"objectID":"1\#
                "},{"objectID":"2","comment_text":""},{"objectID":"3","comment_text":"<p>"},7,null,{"objectID":"\#
                4","title":"no tags"},{"objectID":"5","comment_text":"c"},{"objectID":"6","title":"","comment_te\#
                xt":"both"},{"objectID":"7","title":"both","comment_text":"x","_tags":["weird","comment"]},{"obj\#
                ectID":"8","_tags":["story"],"comment_text":"x"},{"objectID":"9","title":"T","url":"https://www.\#
                www.x.org:80/a?b","story_id":9,"created_at_i":253402300799,"_tags":["author_x"],"story_title":"S\#
                "},{"objectID":"10","title":"T","created_at_i":253402300800},{"objectID":"11","title":"D"},{"obj\#
                ectID":"12","title":"N","created_at_i":-1,"url":"//x.org","points":15,"num_comments":7},{"object\#
                ID":"13","comment_text":"word word word word word word word word word word word word word word w\#
                ord word word word word word word word word word word word word word word word ","children":[],"\#
                story_id":"x"}],"nbHits":"x","message":"m"}
                """#,
                #"""
                9 id=3,not an object=2,text=2,title=2 total=-1 leftOut=0 [{"id":"hackernews:story:4","provider":\#
                "hackernews","kind":"story","title":"no tags","url":"https://news.ycombinator.com/item?id=4","at\#
                tributes":{"itemId":4,"discussionUrl":"https://news.ycombinator.com/item?id=4"}},{"id":"hackerne\#
                ws:comment:5","provider":"hackernews","kind":"comment","title":"c","summary":"c","url":"https://\#
                news.ycombinator.com/item?id=5","attributes":{"itemId":5,"discussionUrl":"https://news.ycombinat\#
                or.com/item?id=5"}},{"id":"hackernews:comment:6","provider":"hackernews","kind":"comment","title\#
                ":"both","summary":"both","url":"https://news.ycombinator.com/item?id=6","attributes":{"itemId":\#
                6,"discussionUrl":"https://news.ycombinator.com/item?id=6"}},{"id":"hackernews:comment:7","provi\#
                der":"hackernews","kind":"comment","title":"both","summary":"x","url":"https://news.ycombinator.\#
                com/item?id=7","attributes":{"itemId":7,"discussionUrl":"https://news.ycombinator.com/item?id=7"\#
                ,"tags":["weird","comment"]}},{"id":"hackernews:story:9","provider":"hackernews","kind":"story",\#
                "title":"T","collection":"www.x.org","url":"https://www.www.x.org:80/a?b","publishedAt":"9999-12\#
                -31T23:59:59Z","attributes":{"itemId":9,"discussionUrl":"https://news.ycombinator.com/item?id=9"\#
                ,"tags":["author_x"]}},{"id":"hackernews:story:10","provider":"hackernews","kind":"story","title\#
                ":"T","url":"https://news.ycombinator.com/item?id=10","attributes":{"itemId":10,"discussionUrl":\#
                "https://news.ycombinator.com/item?id=10"}},{"id":"hackernews:story:11","provider":"hackernews",\#
                "kind":"story","title":"D","url":"https://news.ycombinator.com/item?id=11","attributes":{"itemId\#
                ":11,"discussionUrl":"https://news.ycombinator.com/item?id=11"}},{"id":"hackernews:story:12","pr\#
                ovider":"hackernews","kind":"story","title":"N","url":"https://news.ycombinator.com/item?id=12",\#
                "attributes":{"itemId":12,"discussionUrl":"https://news.ycombinator.com/item?id=12","points":15,\#
                "comments":7}},{"id":"hackernews:comment:13","provider":"hackernews","kind":"comment","title":"w\#
                ord word word word word word word word word word word word word word word word…","summary":"word\#
                 word word word word word word word word word word word word word word word word word word word \#
                word word word word word word word word word word","url":"https://news.ycombinator.com/item?id=1\#
                3","attributes":{"itemId":13,"discussionUrl":"https://news.ycombinator.com/item?id=13"}}]
                """#
            ),
            (
                "search?q=a&sort=name&limit=3",
                #"""
                {"hits":[{"objectID":"x","title":"t"},{"objectID":"08","title":"t"},{"title":"t"},{"objectID":"1\#
                "},{"objectID":"2","comment_text":""},{"objectID":"3","comment_text":"<p>"},7,null,{"objectID":"\#
                4","title":"no tags"},{"objectID":"5","comment_text":"c"},{"objectID":"6","title":"","comment_te\#
                xt":"both"},{"objectID":"7","title":"both","comment_text":"x","_tags":["weird","comment"]},{"obj\#
                ectID":"8","_tags":["story"],"comment_text":"x"},{"objectID":"9","title":"T","url":"https://www.\#
                www.x.org:80/a?b","story_id":9,"created_at_i":253402300799,"_tags":["author_x"],"story_title":"S\#
                "},{"objectID":"10","title":"T","created_at_i":253402300800},{"objectID":"11","title":"D"},{"obj\#
                ectID":"12","title":"N","created_at_i":-1,"url":"//x.org","points":15,"num_comments":7},{"object\#
                ID":"13","comment_text":"word word word word word word word word word word word word word word w\#
                ord word word word word word word word word word word word word word word word ","children":[],"\#
                story_id":"x"}],"nbHits":"x","message":"m"}
                """#,
                "0 id=3 total=-1 leftOut=15 []"
            ),
            (
                "search?q=t&numericFilters=points%3E=5",
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
                9 id=1 total=-1 leftOut=7 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","ti\#
                tle":"t1","url":"https://news.ycombinator.com/item?id=1","publishedAt":"1970-01-01T00:00:01Z","a\#
                ttributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","points":5,"comm\#
                ents":3,"tags":["story"]}},{"id":"hackernews:story:2","provider":"hackernews","kind":"story","ti\#
                tle":"t2","url":"https://news.ycombinator.com/item?id=2","publishedAt":"1970-01-01T00:00:02Z","a\#
                ttributes":{"itemId":2,"discussionUrl":"https://news.ycombinator.com/item?id=2","points":10,"tag\#
                s":["story"]}},{"id":"hackernews:story:3","provider":"hackernews","kind":"story","title":"t3","u\#
                rl":"https://news.ycombinator.com/item?id=3","publishedAt":"1970-01-01T00:00:03Z","attributes":{\#
                "itemId":3,"discussionUrl":"https://news.ycombinator.com/item?id=3","points":7,"comments":0,"tag\#
                s":["story"]}},{"id":"hackernews:story:6","provider":"hackernews","kind":"story","title":"t6","u\#
                rl":"https://news.ycombinator.com/item?id=6","publishedAt":"1970-01-01T00:00:06Z","attributes":{\#
                "itemId":6,"discussionUrl":"https://news.ycombinator.com/item?id=6","points":5,"comments":0,"tag\#
                s":["story"]}},{"id":"hackernews:story:7","provider":"hackernews","kind":"story","title":"t7","u\#
                rl":"https://news.ycombinator.com/item?id=7","publishedAt":"1970-01-01T00:00:07Z","attributes":{\#
                "itemId":7,"discussionUrl":"https://news.ycombinator.com/item?id=7","points":10,"comments":3,"ta\#
                gs":["story"]}},{"id":"hackernews:story:8","provider":"hackernews","kind":"story","title":"t8","\#
                url":"https://news.ycombinator.com/item?id=8","publishedAt":"1970-01-01T00:00:08Z","attributes":\#
                {"itemId":8,"discussionUrl":"https://news.ycombinator.com/item?id=8","points":7,"tags":["story"]\#
                }},{"id":"hackernews:story:11","provider":"hackernews","kind":"story","title":"t11","url":"https\#
                ://news.ycombinator.com/item?id=11","publishedAt":"1970-01-01T00:00:11Z","attributes":{"itemId":\#
                11,"discussionUrl":"https://news.ycombinator.com/item?id=11","points":5,"tags":["story"]}},{"id"\#
                :"hackernews:story:12","provider":"hackernews","kind":"story","title":"t12","url":"https://news.\#
                ycombinator.com/item?id=12","publishedAt":"1970-01-01T00:00:12Z","attributes":{"itemId":12,"disc\#
                ussionUrl":"https://news.ycombinator.com/item?id=12","points":10,"comments":0,"tags":["story"]}}\#
                ,{"id":"hackernews:story:13","provider":"hackernews","kind":"story","title":"t13","url":"https:/\#
                /news.ycombinator.com/item?id=13","publishedAt":"1970-01-01T00:00:13Z","attributes":{"itemId":13\#
                ,"discussionUrl":"https://news.ycombinator.com/item?id=13","points":7,"comments":3,"tags":["stor\#
                y"]}}]
                """#
            ),
            (
                "search?q=t&numericFilters=points%3C=5,num_comments%3C3&sort=name",
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
                2  total=-1 leftOut=15 [{"id":"hackernews:story:6","provider":"hackernews","kind":"story","title\#
                ":"t6","url":"https://news.ycombinator.com/item?id=6","publishedAt":"1970-01-01T00:00:06Z","attr\#
                ibutes":{"itemId":6,"discussionUrl":"https://news.ycombinator.com/item?id=6","points":5,"comment\#
                s":0,"tags":["story"]}},{"id":"hackernews:story:9","provider":"hackernews","kind":"story","title\#
                ":"t9","url":"https://news.ycombinator.com/item?id=9","publishedAt":"1970-01-01T00:00:09Z","attr\#
                ibutes":{"itemId":9,"discussionUrl":"https://news.ycombinator.com/item?id=9","points":2,"comment\#
                s":0,"tags":["story"]}}]
                """#
            ),
        ] as [(String, String, String)])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.answer(route, body) == told)
    }
}
