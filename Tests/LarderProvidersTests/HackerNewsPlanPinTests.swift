// What the plans of Hacker News ask for and make, and what stored answers of other lengths yield.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsPlanPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            (
                "top",
                #"""
                {"/v0/topstories.json":[1,2,3,4,5,6,7,8,"x",9],"/v0/item/1.json":{"id":1,"type":"story","title":\#
                "t9","time":101,"score":1,"by":"u1"},"/v0/item/2.json":{"by":"dhouston","descendants":71,"id":2,\#
                "kids":[9,8,"x"],"score":111,"time":1175714200,"title":"My &#x2D; x","type":"story","url":"http:\#
                //www.a.org/x","parts":[1],"dead":false,"poll":77,"deleted":null},"/v0/item/3.json":"failed","/v\#
                0/item/5.json":"<html>","/v0/item/6.json":{"id":6,"type":"weird","title":"x"},"/v0/item/7.json":\#
                {"id":7,"deleted":true,"type":"story"},"/v0/item/8.json":{"id":8,"dead":true,"type":"comment","t\#
                ext":"x"},"/v0/item/9.json":{"id":9,"type":"story","title":"t1","time":109,"score":9,"by":"u9"}}
                """#,
                #"""
                /v0/topstories.json | /v0/item/1.json /v0/item/2.json /v0/item/3.json /v0/item/4.json /v0/item/5\#
                .json /v0/item/6.json /v0/item/7.json /v0/item/8.json /v0/item/9.json => 3 dead=1,deleted=1,id=2\#
                ,null=1,type=1 total=10 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","kind":"st\#
                ory","title":"t9","creator":"u1","url":"https://news.ycombinator.com/item?id=1","publishedAt":"1\#
                970-01-01T00:01:41Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item\#
                ?id=1","points":1}},{"id":"hackernews:story:2","provider":"hackernews","kind":"story","title":"M\#
                y - x","creator":"dhouston","collection":"a.org","url":"http://www.a.org/x","publishedAt":"2007-\#
                04-04T19:16:40Z","attributes":{"itemId":2,"discussionUrl":"https://news.ycombinator.com/item?id=\#
                2","points":111,"comments":71,"parentId":77,"kids":[9,8]}},{"id":"hackernews:story:9","provider"\#
                :"hackernews","kind":"story","title":"t1","creator":"u9","url":"https://news.ycombinator.com/ite\#
                m?id=9","publishedAt":"1970-01-01T00:01:49Z","attributes":{"itemId":9,"discussionUrl":"https://n\#
                ews.ycombinator.com/item?id=9","points":9}}]
                """#
            ),
            (
                "top?limit=3&page=2&sort=name",
                #"""
                {"/v0/topstories.json":[1,2,3,4,5,6,7,8,"x",9],"/v0/item/1.json":{"id":1,"type":"story","title":\#
                "t9","time":101,"score":1,"by":"u1"},"/v0/item/2.json":{"by":"dhouston","descendants":71,"id":2,\#
                "kids":[9,8,"x"],"score":111,"time":1175714200,"title":"My &#x2D; x","type":"story","url":"http:\#
                //www.a.org/x","parts":[1],"dead":false,"poll":77,"deleted":null},"/v0/item/3.json":"failed","/v\#
                0/item/5.json":"<html>","/v0/item/6.json":{"id":6,"type":"weird","title":"x"},"/v0/item/7.json":\#
                {"id":7,"deleted":true,"type":"story"},"/v0/item/8.json":{"id":8,"dead":true,"type":"comment","t\#
                ext":"x"},"/v0/item/9.json":{"id":9,"type":"story","title":"t1","time":109,"score":9,"by":"u9"}}
                """#,
                #"""
                /v0/topstories.json | /v0/item/4.json /v0/item/5.json /v0/item/6.json => 0 id=1,null=1,type=1 to\#
                tal=10 leftOut=0 []
                """#
            ),
            (
                "top?limit=2&page=9",
                #"""
                {"/v0/topstories.json":[1,2,3,4,5,6,7,8,"x",9],"/v0/item/1.json":{"id":1,"type":"story","title":\#
                "t9","time":101,"score":1,"by":"u1"},"/v0/item/2.json":{"by":"dhouston","descendants":71,"id":2,\#
                "kids":[9,8,"x"],"score":111,"time":1175714200,"title":"My &#x2D; x","type":"story","url":"http:\#
                //www.a.org/x","parts":[1],"dead":false,"poll":77,"deleted":null},"/v0/item/3.json":"failed","/v\#
                0/item/5.json":"<html>","/v0/item/6.json":{"id":6,"type":"weird","title":"x"},"/v0/item/7.json":\#
                {"id":7,"deleted":true,"type":"story"},"/v0/item/8.json":{"id":8,"dead":true,"type":"comment","t\#
                ext":"x"},"/v0/item/9.json":{"id":9,"type":"story","title":"t1","time":109,"score":9,"by":"u9"}}
                """#,
                "/v0/topstories.json => 0  total=10 leftOut=0 []"
            ),
            (
                "top?limit=2&page=5&sort=date",
                #"""
                {"/v0/topstories.json":[1,2,3,4,5,6,7,8,"x",9],"/v0/item/1.json":{"id":1,"type":"story","title":\#
                "t9","time":101,"score":1,"by":"u1"},"/v0/item/2.json":{"by":"dhouston","descendants":71,"id":2,\#
                "kids":[9,8,"x"],"score":111,"time":1175714200,"title":"My &#x2D; x","type":"story","url":"http:\#
                //www.a.org/x","parts":[1],"dead":false,"poll":77,"deleted":null},"/v0/item/3.json":"failed","/v\#
                0/item/5.json":"<html>","/v0/item/6.json":{"id":6,"type":"weird","title":"x"},"/v0/item/7.json":\#
                {"id":7,"deleted":true,"type":"story"},"/v0/item/8.json":{"id":8,"dead":true,"type":"comment","t\#
                ext":"x"},"/v0/item/9.json":{"id":9,"type":"story","title":"t1","time":109,"score":9,"by":"u9"}}
                """#,
                #"""
                /v0/topstories.json | /v0/item/9.json => 1 id=1 total=10 leftOut=0 [{"id":"hackernews:story:9","\#
                provider":"hackernews","kind":"story","title":"t1","creator":"u9","url":"https://news.ycombinato\#
                r.com/item?id=9","publishedAt":"1970-01-01T00:01:49Z","attributes":{"itemId":9,"discussionUrl":"\#
                https://news.ycombinator.com/item?id=9","points":9}}]
                """#
            ),
            ("top", "{}", "The answer is not a list of ids."),
            ("top", #"{"/v0/topstories.json":{"a":1}}"#, "The answer is not a list of ids."),
            ("top", #"{"/v0/topstories.json":"<html>"}"#, "The answer is HTML or XML instead of JSON."),
            ("top", #"{"/v0/topstories.json":[]}"#, "/v0/topstories.json => 0  total=0 leftOut=0 []"),
            (
                "new?sort=date",
                #"""
                {"/v0/newstories.json":[1.5,null,"a",3],"/v0/item/3.json":{"id":3,"type":"job","title":"J","url"\#
                :"https://j.org","text":"x","time":5}}
                """#,
                #"""
                /v0/newstories.json | /v0/item/3.json => 1 id=3 total=4 leftOut=0 [{"id":"hackernews:job:3","pro\#
                vider":"hackernews","kind":"job","title":"J","collection":"j.org","summary":"x","url":"https://j\#
                .org","publishedAt":"1970-01-01T00:00:05Z","attributes":{"itemId":3,"discussionUrl":"https://new\#
                s.ycombinator.com/item?id=3"}}]
                """#
            ),
            (
                "top?sort=name&limit=9",
                #"""
                {"/v0/topstories.json":[1,2,3,4,5,6,7,8,"x",9],"/v0/item/1.json":{"id":1,"type":"story","title":\#
                "t9","time":101,"score":1,"by":"u1"},"/v0/item/2.json":{"by":"dhouston","descendants":71,"id":2,\#
                "kids":[9,8,"x"],"score":111,"time":1175714200,"title":"My &#x2D; x","type":"story","url":"http:\#
                //www.a.org/x","parts":[1],"dead":false,"poll":77,"deleted":null},"/v0/item/3.json":"failed","/v\#
                0/item/5.json":"<html>","/v0/item/6.json":{"id":6,"type":"weird","title":"x"},"/v0/item/7.json":\#
                {"id":7,"deleted":true,"type":"story"},"/v0/item/8.json":{"id":8,"dead":true,"type":"comment","t\#
                ext":"x"},"/v0/item/9.json":{"id":9,"type":"story","title":"t1","time":109,"score":9,"by":"u9"}}
                """#,
                #"""
                /v0/topstories.json | /v0/item/1.json /v0/item/2.json /v0/item/3.json /v0/item/4.json /v0/item/5\#
                .json /v0/item/6.json /v0/item/7.json /v0/item/8.json => 2 dead=1,deleted=1,id=2,null=1,type=1 t\#
                otal=10 leftOut=0 [{"id":"hackernews:story:2","provider":"hackernews","kind":"story","title":"My\#
                 - x","creator":"dhouston","collection":"a.org","url":"http://www.a.org/x","publishedAt":"2007-0\#
                4-04T19:16:40Z","attributes":{"itemId":2,"discussionUrl":"https://news.ycombinator.com/item?id=2\#
                ","points":111,"comments":71,"parentId":77,"kids":[9,8]}},{"id":"hackernews:story:1","provider":\#
                "hackernews","kind":"story","title":"t9","creator":"u1","url":"https://news.ycombinator.com/item\#
                ?id=1","publishedAt":"1970-01-01T00:01:41Z","attributes":{"itemId":1,"discussionUrl":"https://ne\#
                ws.ycombinator.com/item?id=1","points":1}}]
                """#
            ),
            (
                "top?limit=2",
                #"{"/v0/topstories.json":[1,1],"/v0/item/1.json":{"title":"<b></b>","id":1,"type":"story"}}"#,
                "/v0/topstories.json | /v0/item/1.json /v0/item/1.json => 0 title=2 total=2 leftOut=0 []"
            ),
            (
                "top?limit=3",
                #"""
                {"/v0/topstories.json":[1,2,3],"/v0/item/1.json":[1],"/v0/item/2.json":{"id":null,"type":"story"\#
                ,"title":"s"},"/v0/item/3.json":{"id":3,"title":"s"}}
                """#,
                #"""
                /v0/topstories.json | /v0/item/1.json /v0/item/2.json /v0/item/3.json => 0 id=2,type=1 total=3 l\#
                eftOut=0 []
                """#
            ),
        ] as [(String, String, String)])
    func aPlanGoesSo(_ route: String, _ answers: String, _ told: String) {
        #expect(pins.plan(route, answers) == told)
    }
}
