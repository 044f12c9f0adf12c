// What the plans of discussions ask for and make, exactly as it is told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsThreadPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            (
                "item/1",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"story","title":"ro &amp; ot","descendants":9,"kids":[10,20,30\#
                ,40],"time":1,"url":"https://www.s.org/"},"/v0/item/10.json":{"by":"u","id":10,"kids":[11,12],"t\#
                ext":"c10","time":1,"type":"comment","parent":1},"/v0/item/20.json":{"by":"u","id":20,"kids":[21\#
                ],"text":"c20","time":1,"type":"comment","deleted":true},"/v0/item/11.json":{"by":"u","id":11,"k\#
                ids":[111],"text":"c11","time":1,"type":"comment"},"/v0/item/40.json":"failed","/v0/item/12.json\#
                ":{"by":"u","id":12,"kids":[],"text":"c12","time":1,"type":"comment","dead":true},"/v0/item/21.j\#
                son":{"by":"u","id":21,"kids":[],"text":"c21","time":1,"type":"comment","parent":20},"/v0/item/1\#
                11.json":{"by":"u","id":111,"kids":[1],"text":"c111","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/10.json /v0/item/20.json /v0/item/30.json /v0/item/40.json => 2 delet\#
                ed=1,null=1 total=10 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story\#
                ","title":"ro & ot","collection":"s.org","url":"https://www.s.org/","publishedAt":"1970-01-01T00\#
                :00:01Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","comm\#
                ents":9,"kids":[10,20,30,40]}},{"id":"hackernews:comment:10","provider":"hackernews","kind":"com\#
                ment","title":"c10","creator":"u","collection":"ro & ot","summary":"c10","url":"https://news.yco\#
                mbinator.com/item?id=10","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":10,"discuss\#
                ionUrl":"https://news.ycombinator.com/item?id=10","replies":2,"parentId":1,"kids":[11,12],"depth\#
                ":1}}]
                """#
            ),
            (
                "item/1?depth=0",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"story","title":"ro &amp; ot","descendants":9,"kids":[10,20,30\#
                ,40],"time":1,"url":"https://www.s.org/"},"/v0/item/10.json":{"by":"u","id":10,"kids":[11,12],"t\#
                ext":"c10","time":1,"type":"comment","parent":1},"/v0/item/20.json":{"by":"u","id":20,"kids":[21\#
                ],"text":"c20","time":1,"type":"comment","deleted":true},"/v0/item/11.json":{"by":"u","id":11,"k\#
                ids":[111],"text":"c11","time":1,"type":"comment"},"/v0/item/40.json":"failed","/v0/item/12.json\#
                ":{"by":"u","id":12,"kids":[],"text":"c12","time":1,"type":"comment","dead":true},"/v0/item/21.j\#
                son":{"by":"u","id":21,"kids":[],"text":"c21","time":1,"type":"comment","parent":20},"/v0/item/1\#
                11.json":{"by":"u","id":111,"kids":[1],"text":"c111","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json => 1  total=10 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","ki\#
                nd":"story","title":"ro & ot","collection":"s.org","url":"https://www.s.org/","publishedAt":"197\#
                0-01-01T00:00:01Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?i\#
                d=1","comments":9,"kids":[10,20,30,40]}}]
                """#
            ),
            (
                "item/1?depth=3",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"story","title":"ro &amp; ot","descendants":9,"kids":[10,20,30\#
                ,40],"time":1,"url":"https://www.s.org/"},"/v0/item/10.json":{"by":"u","id":10,"kids":[11,12],"t\#
                ext":"c10","time":1,"type":"comment","parent":1},"/v0/item/20.json":{"by":"u","id":20,"kids":[21\#
                ],"text":"c20","time":1,"type":"comment","deleted":true},"/v0/item/11.json":{"by":"u","id":11,"k\#
                ids":[111],"text":"c11","time":1,"type":"comment"},"/v0/item/40.json":"failed","/v0/item/12.json\#
                ":{"by":"u","id":12,"kids":[],"text":"c12","time":1,"type":"comment","dead":true},"/v0/item/21.j\#
                son":{"by":"u","id":21,"kids":[],"text":"c21","time":1,"type":"comment","parent":20},"/v0/item/1\#
                11.json":{"by":"u","id":111,"kids":[1],"text":"c111","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/10.json /v0/item/20.json /v0/item/30.json /v0/item/40.json | /v0/item\#
                /11.json /v0/item/12.json /v0/item/21.json | /v0/item/111.json => 5 dead=1,deleted=1,null=1 tota\#
                l=10 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story","title":"ro & \#
                ot","collection":"s.org","url":"https://www.s.org/","publishedAt":"1970-01-01T00:00:01Z","attrib\#
                utes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","comments":9,"kids":[\#
                10,20,30,40]}},{"id":"hackernews:comment:10","provider":"hackernews","kind":"comment","title":"c\#
                10","creator":"u","collection":"ro & ot","summary":"c10","url":"https://news.ycombinator.com/ite\#
                m?id=10","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":10,"discussionUrl":"https:/\#
                /news.ycombinator.com/item?id=10","replies":2,"parentId":1,"kids":[11,12],"depth":1}},{"id":"hac\#
                kernews:comment:11","provider":"hackernews","kind":"comment","title":"c11","creator":"u","collec\#
                tion":"ro & ot","summary":"c11","url":"https://news.ycombinator.com/item?id=11","publishedAt":"1\#
                970-01-01T00:00:01Z","attributes":{"itemId":11,"discussionUrl":"https://news.ycombinator.com/ite\#
                m?id=11","replies":1,"kids":[111],"depth":2}},{"id":"hackernews:comment:111","provider":"hackern\#
                ews","kind":"comment","title":"c111","creator":"u","collection":"ro & ot","summary":"c111","url"\#
                :"https://news.ycombinator.com/item?id=111","publishedAt":"1970-01-01T00:00:01Z","attributes":{"\#
                itemId":111,"discussionUrl":"https://news.ycombinator.com/item?id=111","replies":1,"kids":[1],"d\#
                epth":3}},{"id":"hackernews:comment:21","provider":"hackernews","kind":"comment","title":"c21","\#
                creator":"u","collection":"ro & ot","summary":"c21","url":"https://news.ycombinator.com/item?id=\#
                21","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":21,"discussionUrl":"https://news\#
                .ycombinator.com/item?id=21","parentId":20,"depth":2}}]
                """#
            ),
            (
                "item/1?depth=10",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"story","title":"ro &amp; ot","descendants":9,"kids":[10,20,30\#
                ,40],"time":1,"url":"https://www.s.org/"},"/v0/item/10.json":{"by":"u","id":10,"kids":[11,12],"t\#
                ext":"c10","time":1,"type":"comment","parent":1},"/v0/item/20.json":{"by":"u","id":20,"kids":[21\#
                ],"text":"c20","time":1,"type":"comment","deleted":true},"/v0/item/11.json":{"by":"u","id":11,"k\#
                ids":[111],"text":"c11","time":1,"type":"comment"},"/v0/item/40.json":"failed","/v0/item/12.json\#
                ":{"by":"u","id":12,"kids":[],"text":"c12","time":1,"type":"comment","dead":true},"/v0/item/21.j\#
                son":{"by":"u","id":21,"kids":[],"text":"c21","time":1,"type":"comment","parent":20},"/v0/item/1\#
                11.json":{"by":"u","id":111,"kids":[1],"text":"c111","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/10.json /v0/item/20.json /v0/item/30.json /v0/item/40.json | /v0/item\#
                /11.json /v0/item/12.json /v0/item/21.json | /v0/item/111.json | /v0/item/1.json | /v0/item/10.j\#
                son /v0/item/20.json /v0/item/30.json /v0/item/40.json | /v0/item/11.json /v0/item/12.json /v0/i\#
                tem/21.json | /v0/item/111.json | /v0/item/1.json | /v0/item/10.json /v0/item/20.json /v0/item/3\#
                0.json /v0/item/40.json | /v0/item/11.json /v0/item/12.json /v0/item/21.json => 14 dead=3,delete\#
                d=3,null=3 total=10 leftOut=0 [{"id":"hackernews:story:1","provider":"hackernews","kind":"story"\#
                ,"title":"ro & ot","collection":"s.org","url":"https://www.s.org/","publishedAt":"1970-01-01T00:\#
                00:01Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","comme\#
                nts":9,"kids":[10,20,30,40]}},{"id":"hackernews:comment:10","provider":"hackernews","kind":"comm\#
                ent","title":"c10","creator":"u","collection":"ro & ot","summary":"c10","url":"https://news.ycom\#
                binator.com/item?id=10","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":10,"discussi\#
                onUrl":"https://news.ycombinator.com/item?id=10","replies":2,"parentId":1,"kids":[11,12],"depth"\#
                :1}},{"id":"hackernews:comment:11","provider":"hackernews","kind":"comment","title":"c11","creat\#
                or":"u","collection":"ro & ot","summary":"c11","url":"https://news.ycombinator.com/item?id=11","\#
                publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":11,"discussionUrl":"https://news.ycom\#
                binator.com/item?id=11","replies":1,"kids":[111],"depth":2}},{"id":"hackernews:comment:111","pro\#
                vider":"hackernews","kind":"comment","title":"c111","creator":"u","collection":"ro & ot","summar\#
                y":"c111","url":"https://news.ycombinator.com/item?id=111","publishedAt":"1970-01-01T00:00:01Z",\#
                "attributes":{"itemId":111,"discussionUrl":"https://news.ycombinator.com/item?id=111","replies":\#
                1,"kids":[1],"depth":3}},{"id":"hackernews:story:1","provider":"hackernews","kind":"story","titl\#
                e":"ro & ot","collection":"s.org","url":"https://www.s.org/","publishedAt":"1970-01-01T00:00:01Z\#
                ","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","comments":9\#
                ,"kids":[10,20,30,40],"depth":4}},{"id":"hackernews:comment:10","provider":"hackernews","kind":"\#
                comment","title":"c10","creator":"u","collection":"ro & ot","summary":"c10","url":"https://news.\#
                ycombinator.com/item?id=10","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":10,"disc\#
                ussionUrl":"https://news.ycombinator.com/item?id=10","replies":2,"parentId":1,"kids":[11,12],"de\#
                pth":5}},{"id":"hackernews:comment:11","provider":"hackernews","kind":"comment","title":"c11","c\#
                reator":"u","collection":"ro & ot","summary":"c11","url":"https://news.ycombinator.com/item?id=1\#
                1","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":11,"discussionUrl":"https://news.\#
                ycombinator.com/item?id=11","replies":1,"kids":[111],"depth":6}},{"id":"hackernews:comment:111",\#
                "provider":"hackernews","kind":"comment","title":"c111","creator":"u","collection":"ro & ot","su\#
                mmary":"c111","url":"https://news.ycombinator.com/item?id=111","publishedAt":"1970-01-01T00:00:0\#
                1Z","attributes":{"itemId":111,"discussionUrl":"https://news.ycombinator.com/item?id=111","repli\#
                es":1,"kids":[1],"depth":7}},{"id":"hackernews:story:1","provider":"hackernews","kind":"story","\#
                title":"ro & ot","collection":"s.org","url":"https://www.s.org/","publishedAt":"1970-01-01T00:00\#
                :01Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","comment\#
                s":9,"kids":[10,20,30,40],"depth":8}},{"id":"hackernews:comment:10","provider":"hackernews","kin\#
                d":"comment","title":"c10","creator":"u","collection":"ro & ot","summary":"c10","url":"https://n\#
                ews.ycombinator.com/item?id=10","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":10,"\#
                discussionUrl":"https://news.ycombinator.com/item?id=10","replies":2,"parentId":1,"kids":[11,12]\#
                ,"depth":9}},{"id":"hackernews:comment:11","provider":"hackernews","kind":"comment","title":"c11\#
                ","creator":"u","collection":"ro & ot","summary":"c11","url":"https://news.ycombinator.com/item?\#
                id=11","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":11,"discussionUrl":"https://n\#
                ews.ycombinator.com/item?id=11","replies":1,"kids":[111],"depth":10}},{"id":"hackernews:comment:\#
                21","provider":"hackernews","kind":"comment","title":"c21","creator":"u","collection":"ro & ot",\#
                "summary":"c21","url":"https://news.ycombinator.com/item?id=21","publishedAt":"1970-01-01T00:00:\#
                01Z","attributes":{"itemId":21,"discussionUrl":"https://news.ycombinator.com/item?id=21","parent\#
                Id":20,"depth":10}},{"id":"hackernews:comment:21","provider":"hackernews","kind":"comment","titl\#
                e":"c21","creator":"u","collection":"ro & ot","summary":"c21","url":"https://news.ycombinator.co\#
                m/item?id=21","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":21,"discussionUrl":"ht\#
                tps://news.ycombinator.com/item?id=21","parentId":20,"depth":6}},{"id":"hackernews:comment:21","\#
                provider":"hackernews","kind":"comment","title":"c21","creator":"u","collection":"ro & ot","summ\#
                ary":"c21","url":"https://news.ycombinator.com/item?id=21","publishedAt":"1970-01-01T00:00:01Z",\#
                "attributes":{"itemId":21,"discussionUrl":"https://news.ycombinator.com/item?id=21","parentId":2\#
                0,"depth":2}}]
                """#
            ),
            (
                "item/1?depth=2&limit=5",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"story","title":"ro &amp; ot","descendants":9,"kids":[10,20,30\#
                ,40],"time":1,"url":"https://www.s.org/"},"/v0/item/10.json":{"by":"u","id":10,"kids":[11,12],"t\#
                ext":"c10","time":1,"type":"comment","parent":1},"/v0/item/20.json":{"by":"u","id":20,"kids":[21\#
                ],"text":"c20","time":1,"type":"comment","deleted":true},"/v0/item/11.json":{"by":"u","id":11,"k\#
                ids":[111],"text":"c11","time":1,"type":"comment"},"/v0/item/40.json":"failed","/v0/item/12.json\#
                ":{"by":"u","id":12,"kids":[],"text":"c12","time":1,"type":"comment","dead":true},"/v0/item/21.j\#
                son":{"by":"u","id":21,"kids":[],"text":"c21","time":1,"type":"comment","parent":20},"/v0/item/1\#
                11.json":{"by":"u","id":111,"kids":[1],"text":"c111","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/10.json /v0/item/20.json /v0/item/30.json /v0/item/40.json | /v0/item\#
                /11.json => 3 deleted=1,null=1 total=10 leftOut=0 [{"id":"hackernews:story:1","provider":"hacker\#
                news","kind":"story","title":"ro & ot","collection":"s.org","url":"https://www.s.org/","publishe\#
                dAt":"1970-01-01T00:00:01Z","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.c\#
                om/item?id=1","comments":9,"kids":[10,20,30,40]}},{"id":"hackernews:comment:10","provider":"hack\#
                ernews","kind":"comment","title":"c10","creator":"u","collection":"ro & ot","summary":"c10","url\#
                ":"https://news.ycombinator.com/item?id=10","publishedAt":"1970-01-01T00:00:01Z","attributes":{"\#
                itemId":10,"discussionUrl":"https://news.ycombinator.com/item?id=10","replies":2,"parentId":1,"k\#
                ids":[11,12],"depth":1}},{"id":"hackernews:comment:11","provider":"hackernews","kind":"comment",\#
                "title":"c11","creator":"u","collection":"ro & ot","summary":"c11","url":"https://news.ycombinat\#
                or.com/item?id=11","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":11,"discussionUrl\#
                ":"https://news.ycombinator.com/item?id=11","replies":1,"kids":[111],"depth":2}}]
                """#
            ),
            (
                "item/1?depth=10&limit=1",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"story","title":"ro &amp; ot","descendants":9,"kids":[10,20,30\#
                ,40],"time":1,"url":"https://www.s.org/"},"/v0/item/10.json":{"by":"u","id":10,"kids":[11,12],"t\#
                ext":"c10","time":1,"type":"comment","parent":1},"/v0/item/20.json":{"by":"u","id":20,"kids":[21\#
                ],"text":"c20","time":1,"type":"comment","deleted":true},"/v0/item/11.json":{"by":"u","id":11,"k\#
                ids":[111],"text":"c11","time":1,"type":"comment"},"/v0/item/40.json":"failed","/v0/item/12.json\#
                ":{"by":"u","id":12,"kids":[],"text":"c12","time":1,"type":"comment","dead":true},"/v0/item/21.j\#
                son":{"by":"u","id":21,"kids":[],"text":"c21","time":1,"type":"comment","parent":20},"/v0/item/1\#
                11.json":{"by":"u","id":111,"kids":[1],"text":"c111","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/10.json => 2  total=10 leftOut=0 [{"id":"hackernews:story:1","provide\#
                r":"hackernews","kind":"story","title":"ro & ot","collection":"s.org","url":"https://www.s.org/"\#
                ,"publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":1,"discussionUrl":"https://news.yco\#
                mbinator.com/item?id=1","comments":9,"kids":[10,20,30,40]}},{"id":"hackernews:comment:10","provi\#
                der":"hackernews","kind":"comment","title":"c10","creator":"u","collection":"ro & ot","summary":\#
                "c10","url":"https://news.ycombinator.com/item?id=10","publishedAt":"1970-01-01T00:00:01Z","attr\#
                ibutes":{"itemId":10,"discussionUrl":"https://news.ycombinator.com/item?id=10","replies":2,"pare\#
                ntId":1,"kids":[11,12],"depth":1}}]
                """#
            ),
            (
                "item/1",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"poll","title":"Which?","parts":[2],"kids":[3],"time":1,"text"\#
                :"<p>a<p>b","score":5},"/v0/item/2.json":{"id":2,"type":"pollopt","poll":1,"score":5,"text":"Thi\#
                s one","time":1},"/v0/item/3.json":{"by":"u","id":3,"kids":[],"text":"c3","time":1,"type":"comme\#
                nt"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/2.json /v0/item/3.json => 3  total=-1 leftOut=0 [{"id":"hackernews:po\#
                ll:1","provider":"hackernews","kind":"poll","title":"Which?","summary":"a\nb","url":"https://new\#
                s.ycombinator.com/item?id=1","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":1,"disc\#
                ussionUrl":"https://news.ycombinator.com/item?id=1","points":5,"kids":[3]}},{"id":"hackernews:po\#
                llOption:2","provider":"hackernews","kind":"pollOption","title":"This one","collection":"Which?"\#
                ,"summary":"This one","url":"https://news.ycombinator.com/item?id=2","publishedAt":"1970-01-01T0\#
                0:00:01Z","attributes":{"itemId":2,"discussionUrl":"https://news.ycombinator.com/item?id=2","poi\#
                nts":5,"parentId":1,"depth":1}},{"id":"hackernews:comment:3","provider":"hackernews","kind":"com\#
                ment","title":"c3","creator":"u","collection":"Which?","summary":"c3","url":"https://news.ycombi\#
                nator.com/item?id=3","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":3,"discussionUr\#
                l":"https://news.ycombinator.com/item?id=3","depth":1}}]
                """#
            ),
            ("item/1", #"{"/v0/item/1.json":"<html>"}"#, "/v0/item/1.json => 0 id=1 total=-1 leftOut=0 []"),
            ("item/1", #"{"/v0/item/1.json":[1]}"#, "/v0/item/1.json => 0 id=1 total=-1 leftOut=0 []"),
            (
                "item/1",
                #"""
                {"/v0/item/1.json":{"id":1,"deleted":true,"kids":[2]},"/v0/item/2.json":{"id":2,"type":"comment"\#
                ,"text":"x"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/2.json => 1 deleted=1 total=-1 leftOut=0 [{"id":"hackernews:comment:2\#
                ","provider":"hackernews","kind":"comment","title":"x","summary":"x","url":"https://news.ycombin\#
                ator.com/item?id=2","attributes":{"itemId":2,"discussionUrl":"https://news.ycombinator.com/item?\#
                id=2","depth":1}}]
                """#
            ),
            (
                "item/5?depth=0",
                #"""
                {"/v0/item/5.json":{"by":" a  b","id":5,"kids":[7,6],"parent":4,"text":"<a href=\"https:&#x2F;&#\#
                x2F;a.example&#x2F;a\">https:&#x2F;&#x2F;a...</a>:<p><pre><code>  a\n    b</code></pre>","time":\#
                1,"type":"comment","url":"javascript:x","descendants":4,"score":3,"title":"own <i>title</i>"}}
                """#,
                #"""
                /v0/item/5.json => 1  total=5 leftOut=0 [{"id":"hackernews:comment:5","provider":"hackernews","k\#
                ind":"comment","title":"own title","creator":"a b","summary":"https://a.example/a:\n  a\n    b",\#
                "url":"https://news.ycombinator.com/item?id=5","publishedAt":"1970-01-01T00:00:01Z","attributes"\#
                :{"itemId":5,"discussionUrl":"https://news.ycombinator.com/item?id=5","points":3,"replies":2,"pa\#
                rentId":4,"kids":[7,6],"links":["https://a.example/a"]}}]
                """#
            ),
            (
                "item/5?depth=0",
                #"""
                {"/v0/item/5.json":{"id":5,"text":"w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w\#
                 w w w w w w w w w w w w w w w w w w w w w w w w w w w w w ","type":"comment","time":25340230080\#
                0}}
                """#,
                #"""
                /v0/item/5.json => 1  total=-1 leftOut=0 [{"id":"hackernews:comment:5","provider":"hackernews","\#
                kind":"comment","title":"w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w\#
                 w w w w…","summary":"w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w \#
                w w w w w w w w w w w w w w w w w w w w w w w","url":"https://news.ycombinator.com/item?id=5","a\#
                ttributes":{"itemId":5,"discussionUrl":"https://news.ycombinator.com/item?id=5"}}]
                """#
            ),
            (
                "item/5?depth=0",
                #"{"/v0/item/5.json":{"id":5,"type":"comment","text":"<p>"}}"#,
                "/v0/item/5.json => 0 text=1 total=-1 leftOut=0 []"
            ),
            (
                "item/5?depth=0",
                #"{"/v0/item/5.json":{"id":5,"type":"pollopt","text":"o","poll":3,"parent":null}}"#,
                #"""
                /v0/item/5.json => 1  total=-1 leftOut=0 [{"id":"hackernews:pollOption:5","provider":"hackernews\#
                ","kind":"pollOption","title":"o","summary":"o","url":"https://news.ycombinator.com/item?id=5","\#
                attributes":{"itemId":5,"discussionUrl":"https://news.ycombinator.com/item?id=5","parentId":3}}]
                """#
            ),
            (
                "item/1?depth=1",
                #"""
                {"/v0/item/1.json":{"id":1,"type":"comment","text":"c","parent":9,"kids":[2]},"/v0/item/2.json":\#
                {"by":"u","id":2,"kids":[],"text":"c2","time":1,"type":"comment"}}
                """#,
                #"""
                /v0/item/1.json | /v0/item/2.json => 2  total=-1 leftOut=0 [{"id":"hackernews:comment:1","provid\#
                er":"hackernews","kind":"comment","title":"c","summary":"c","url":"https://news.ycombinator.com/\#
                item?id=1","attributes":{"itemId":1,"discussionUrl":"https://news.ycombinator.com/item?id=1","re\#
                plies":1,"parentId":9,"kids":[2]}},{"id":"hackernews:comment:2","provider":"hackernews","kind":"\#
                comment","title":"c2","creator":"u","summary":"c2","url":"https://news.ycombinator.com/item?id=2\#
                ","publishedAt":"1970-01-01T00:00:01Z","attributes":{"itemId":2,"discussionUrl":"https://news.yc\#
                ombinator.com/item?id=2","depth":1}}]
                """#
            ),
        ] as [(String, String, String)])
    func aPlanGoesSo(_ route: String, _ answers: String, _ told: String) {
        #expect(pins.plan(route, answers) == told)
    }
}
