// Results of single records and odd answers of Imgur, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurRecordPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"http://i.imgur.com/abc.gif","animated":false,"gifv":"http://i.imgur.\#
                com/abc.gif"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abc.gif"},"attributes":{"imageId":\#
                "abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"//i.imgur.com/abch.gif","animated":false,"gifv":"//i.imgur.com/abch.\#
                gif"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abch.gif"},"attributes":{"imageId"\#
                :"abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"http://imgur.com/abc","animated":false,"gifv":"http://imgur.com/abc"\#
                },"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abc.jpg"},"attributes":{"imageId":\#
                "abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"javascript:alert(1)","animated":false,"gifv":"javascript:alert(1)"},\#
                "success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abc.jpg"},"attributes":{"imageId":\#
                "abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"https://other.org/x/abc.webp","animated":false,"gifv":"https://other\#
                .org/x/abc.webp"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vb3RoZXIub3JnL3g\#
                vYWJjdC5qcGdpJ00xMWpcavivVc52VkaV","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vb3RoZXIub3JnL3gvYWJj\#
                bC5qcGcbJlx6CNxFtrRgWiFhQ-SB","original":"https://other.org/x/abc.webp"},"attributes":{"imageId"\#
                :"abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"http://other.org/abc.JPEG","animated":false,"gifv":"http://other.org\#
                /abc.JPEG"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHA6Ly9vdGhlci5vcmcvYWJ\#
                jdC5KUEVHP4vW9HT_lOOMOE1VZdk93g","large":"/v1/artwork/AQVpbWd1cmh0dHA6Ly9vdGhlci5vcmcvYWJjbC5KUE\#
                VHxN5LVAq3zovy8sQ_8awnAA","original":"http://other.org/abc.JPEG"},"attributes":{"imageId":"abc"}\#
                }]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"https://i.imgur.com/abc.mp4#x","animated":false,"gifv":"https://i.im\#
                gur.com/abc.mp4#x"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abch.jpg"},"attributes":{"imageId"\#
                :"abc","animated":true,"mp4":"https://i.imgur.com/abc.mp4#x","gifv":"https://i.imgur.com/abc.mp4\#
                #x"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"https://i.imgur.com/abd.jpg","animated":false,"gifv":"https://i.imgu\#
                r.com/abd.jpg"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abc.jpg"},"attributes":{"imageId":\#
                "abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"https://i.imgur.com/abc.toolong","animated":false,"gifv":"https://i.\#
                imgur.com/abc.toolong"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abc.jpg"},"attributes":{"imageId":\#
                "abc"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"http://m.imgur.com:80/abc.WEBM","animated":false,"gifv":"http://m.im\#
                gur.com:80/abc.WEBM"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vbS5pbWd1ci5jb20\#
                vYWJjdC5qcGdmJkflccpuiuGrw-iVcf-8","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vbS5pbWd1ci5jb20vYWJj\#
                bC5qcGfAcmjQkwG_37cjgrZceiqP","original":"https://m.imgur.com/abch.jpg"},"attributes":{"imageId"\#
                :"abc","animated":true,"mp4":"https://m.imgur.com/abc.WEBM","gifv":"https://m.imgur.com/abc.WEBM\#
                "}}]
                """#
            ),
            (
                "album/AlBum",
                #"""
                {"data":{"id":"AlBum","title":"Both","account_url":"someone","link":"https://imgur.com/a/AlBum",\#
                "cover":"one1","images_count":9,"ups":5,"downs":null,"comment_count":2,"datetime":1395751234,"ta\#
                gs":[{"name":"cats","display_name":"Cats","total_items":3,"is_whitelisted":false},{"name":"dogs"\#
                },"plain",{"name":"cats"}],"nsfw":false,"privacy":"hidden","layout":"blog","topic":"T","section"\#
                :"s","in_most_viral":true,"is_ad":false,"description":"Album <b>d</b>","points":3,"score":1.5,"f\#
                avorite_count":7,"views":9,"images":[{"id":"one1","title":null,"description":"First words","type\#
                ":"image/jpeg","link":"https://i.imgur.com/one1.jpg","nsfw":true,"tags":[{"name":"x"}],"section"\#
                :"","account_url":null,"datetime":"x"},{"id":"two2","title":"Second","type":"image/png","link":"\#
                https://i.imgur.com/two2.png","datetime":1395759999,"account_url":"else","width":3,"topic":"no",\#
                "ups":9},{"id":"one1"},{"id":"b-d"},{"title":"none"},7]},"success":true,"status":200}
                """#,
                #"""
                2 id=3,repeated=1 total=-1 leftOut=0 [{"id":"imgur:image:one1","provider":"imgur","kind":"image"\#
                ,"title":"Both","creator":"someone","collection":"Both","summary":"First words","url":"https://i\#
                mgur.com/a/AlBum","genres":["x","Cats","dogs","plain","cats"],"publishedAt":"2014-03-25T12:40:34\#
                Z","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vb25lMXQuanBnr2_kv-9kgaBn2\#
                rGX8t_mxQ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vb25lMWwuanBnkWW0veMgrkvPdGbW\#
                205OYw","original":"https://i.imgur.com/one1.jpg"},"attributes":{"imageId":"one1","albumId":"AlB\#
                um","albumTitle":"Both","albumImages":9,"position":1,"privacy":"hidden","layout":"blog","type":"\#
                image/jpeg","ups":5,"points":3,"score":1.5,"comments":2,"favorites":7,"nsfw":true,"section":"s",\#
                "topic":"T","tagDetails":[{"name":"x"},{"name":"cats","displayName":"Cats","totalItems":3,"isWhi\#
                telisted":false},{"name":"dogs"},{"name":"cats"}],"mostViral":true}},{"id":"imgur:image:two2","p\#
                rovider":"imgur","kind":"image","title":"Second","creator":"else","collection":"Both","summary":\#
                "Album d","url":"https://imgur.com/a/AlBum","genres":["Cats","dogs","plain","cats"],"publishedAt\#
                ":"2014-03-25T15:06:39Z","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vdHd\#
                vMnQucG5n1sywYaUTOdA8a2T7oXbvKw","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vdHdvMm\#
                wucG5nNWSyYZ-fEs7o2n4OXG6bRw","original":"https://i.imgur.com/two2.png"},"attributes":{"imageId"\#
                :"two2","albumId":"AlBum","albumTitle":"Both","albumImages":9,"position":2,"privacy":"hidden","l\#
                ayout":"blog","type":"image/png","width":3,"ups":5,"points":3,"score":1.5,"comments":2,"favorite\#
                s":7,"nsfw":false,"section":"s","topic":"T","tagDetails":[{"name":"cats","displayName":"Cats","t\#
                otalItems":3,"isWhitelisted":false},{"name":"dogs"},{"name":"cats"}],"mostViral":true}}]
                """#
            ),
            (
                "album/x",
                #"{"data":{"id":"x","title":"T","images":[]},"success":true,"status":200}"#,
                "0 no picture=1 total=-1 leftOut=0 []"
            ),
            (
                "album/x",
                #"{"data":{"id":"x","cover":"c","images_count":0},"success":true,"status":200}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:c","provider":"imgur","kind":"image","title":"c","url"\#
                :"https://imgur.com/a/x","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY3Q\#
                uanBn12FEHdbmF_fB4j44WcK_0g","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY2wuanBnag\#
                ZUINosdrxQqKg_WZa1bQ","original":"https://i.imgur.com/c.jpg"},"attributes":{"imageId":"c","album\#
                Id":"x","albumImages":0}}]
                """#
            ),
            ("image/a", #"{"data":{"id":"a-b"},"success":true,"status":200}"#, "0 id=1 total=-1 leftOut=0 []"),
            ("image/a", #"{"data":[],"success":true,"status":200}"#, "0 id=1 total=-1 leftOut=0 []"),
            ("image/a", #"{"data":7,"success":true,"status":200}"#, "0 id=1 total=-1 leftOut=0 []"),
            ("image/a", #"{"data":null}"#, "0 id=1 total=-1 leftOut=0 []"),
            ("image/a", "{}", "The answer has no data."),
            ("image/a", "<html>", "The answer is HTML or XML instead of JSON."),
            ("search?q=x", #"{"data":{},"success":true,"status":200}"#, "The answer has no list of posts."),
            ("search?q=x", "{}", "The answer has no data."),
            ("tags", "{}", "The answer has no data."),
            ("tags", #"{"data":[],"success":true,"status":200}"#, "The answer has no list of tags."),
            ("credits", #"{"data":{},"success":true,"status":200}"#, "The answer has no credits."),
            ("credits", "x", "The answer is not valid JSON: an unexpected byte at byte 0."),
            (
                "tag/a",
                #"{"data":{"items":[{"id":"a"}],"galleries":[{"id":"b"}]},"success":true,"status":200}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:a","provider":"imgur","kind":"image","title":"a","url"\#
                :"https://imgur.com/a","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYXQua\#
                nBndwYrujmWUifQbVGWtci58g","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWwuanBneMjA\#
                VU74q6xTK9-l0LHdaQ","original":"https://i.imgur.com/a.jpg"},"attributes":{"imageId":"a"}}]
                """#
            ),
            (
                "tag/a",
                #"{"data":{"items":7,"galleries":[{"id":"b"}]},"success":true,"status":200}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:b","provider":"imgur","kind":"image","title":"b","url"\#
                :"https://imgur.com/b","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYnQua\#
                nBnxT5FrmuKb3sjMP17h_rygQ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYmwuanBnIhvC\#
                5lsOLk76F8nqaYJufA","original":"https://i.imgur.com/b.jpg"},"attributes":{"imageId":"b"}}]
                """#
            ),
            (
                "search?q=x&sort=name&limit=2",
                #"""
                {"data":[{"id":"a","title":"c"},{"id":"b","title":"B"},{"id":"c","title":"a"}],"success":true,"s\#
                tatus":200}
                """#,
                #"""
                2  total=-1 leftOut=0 [{"id":"imgur:image:c","provider":"imgur","kind":"image","title":"a","url"\#
                :"https://imgur.com/c","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY3Qua\#
                nBn12FEHdbmF_fB4j44WcK_0g","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY2wuanBnagZU\#
                INosdrxQqKg_WZa1bQ","original":"https://i.imgur.com/c.jpg"},"attributes":{"imageId":"c"}},{"id":\#
                "imgur:image:b","provider":"imgur","kind":"image","title":"B","url":"https://imgur.com/b","artwo\#
                rk":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYnQuanBnxT5FrmuKb3sjMP17h_rygQ","l\#
                arge":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYmwuanBnIhvC5lsOLk76F8nqaYJufA","original\#
                ":"https://i.imgur.com/b.jpg"},"attributes":{"imageId":"b"}}]
                """#
            ),
            (
                "tags",
                #"""
                {"data":{"tags":[{"name":"funny","display_name":" Funny  x","followers":3,"total_items":null,"ba\#
                ckground_hash":"abc","description":""},{"name":null},{"name":"a/b","description":"one\n\n\ntwo",\#
                "background_hash":"x-y","total_items":9.0},7],"featured":"x","galleries":[]},"success":true,"sta\#
                tus":200}
                """#,
                #"""
                2 name=1,not an object=1 total=-1 leftOut=0 [{"id":"imgur:tag:funny","provider":"imgur","kind":"\#
                tag","title":"Funny x","url":"https://imgur.com/t/funny","artwork":{"small":"/v1/artwork/AQVpbWd\#
                1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJjdC5qcGdCh0vDMOwxgVO9b1w1JtbZ","large":"/v1/artwork/AQVpbWd1cmh0\#
                dHBzOi8vaS5pbWd1ci5jb20vYWJjbC5qcGckQicCVk9Ssz4b-9wQol46","original":"https://i.imgur.com/abc.jp\#
                g"},"attributes":{"name":"funny","followers":3}},{"id":"imgur:tag:a/b","provider":"imgur","kind"\#
                :"tag","title":"a/b","summary":"one\n\ntwo","url":"https://imgur.com/t/a%2Fb","attributes":{"nam\#
                e":"a/b","items":9}}]
                """#
            ),
            (
                "credits",
                #"""
                {"data":{"UserLimit":500,"UserRemaining":"499","UserReset":1060,"ClientLimit":12500,"ClientRemai\#
                ning":3},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:credits:all","provider":"imgur","kind":"credits","title":"Ca\#
                lls that are left","attributes":{"userLimit":500,"userRemaining":499,"userResetsAt":"1970-01-01T\#
                00:34:20Z","clientLimit":12500,"clientRemaining":3}}]
                """#
            ),
            (
                "credits",
                #"{"data":{"UserReset":"x","ClientRemaining":"007","UserLimit":1.5},"success":true,"status":200}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:credits:all","provider":"imgur","kind":"credits","title":"Ca\#
                lls that are left","attributes":{"userLimit":1.5,"clientRemaining":7}}]
                """#
            ),
            (
                "image/a",
                #"""
                {"data":{"id":"a","description":"only words here","tags":[{"display_name":null,"name":"n"},{"a_b\#
                ":[{"c_d":1}]},[],5]},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:a","provider":"imgur","kind":"image","title":"only wor\#
                ds here","summary":"only words here","url":"https://imgur.com/a","genres":["n"],"artwork":{"smal\#
                l":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYXQuanBndwYrujmWUifQbVGWtci58g","large":"/v1\#
                /artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWwuanBneMjAVU74q6xTK9-l0LHdaQ","original":"https:/\#
                /i.imgur.com/a.jpg"},"attributes":{"imageId":"a","tagDetails":[{"name":"n"},{"aB":[{"cD":1}]}]}}\#
                ]
                """#
            ),
            (
                "image/a",
                #"""
                {"data":{"id":"a","mp4":"https://x.org/a.mp4","animated":false,"width":5,"mp4_size":3,"ups":1e3,\#
                "nsfw":"x","datetime":1.0},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:a","provider":"imgur","kind":"image","title":"a","url"\#
                :"https://imgur.com/a","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYXQua\#
                nBndwYrujmWUifQbVGWtci58g","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWwuanBneMjA\#
                VU74q6xTK9-l0LHdaQ","original":"https://i.imgur.com/a.jpg"},"attributes":{"imageId":"a","width":\#
                5,"ups":1e3}}]
                """#
            ),
            (
                "image/a",
                #"{"data":{"id":"a","is_album":true,"cover":"b"},"success":true,"status":200}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:b","provider":"imgur","kind":"image","title":"b","url"\#
                :"https://imgur.com/a/a","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYnQ\#
                uanBnxT5FrmuKb3sjMP17h_rygQ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYmwuanBnIh\#
                vC5lsOLk76F8nqaYJufA","original":"https://i.imgur.com/b.jpg"},"attributes":{"imageId":"b","album\#
                Id":"a"}}]
                """#
            ),
        ] as [(String, String, String)])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.answer(route, body) == told)
    }
}
