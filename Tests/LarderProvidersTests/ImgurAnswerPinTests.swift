// Results of Imgur, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurAnswerPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            (
                "gallery",
                #"""
                {"data":[{"id":"AlBum","title":"Both","is_album":true,"account_url":"someone","link":"https://im\#
                gur.com/a/AlBum","cover":"one1","images_count":9,"ups":5,"downs":null,"comment_count":2,"datetim\#
                e":1395751234,"tags":[{"name":"cats","display_name":"Cats","total_items":3,"is_whitelisted":fals\#
                e},{"name":"dogs"},"plain",{"name":"cats"}],"nsfw":false,"privacy":"hidden","layout":"blog","top\#
                ic":"T","section":"s","in_most_viral":true,"is_ad":false,"description":"Album <b>d</b>","points"\#
                :3,"score":1.5,"favorite_count":7,"views":9,"images":[{"id":"one1","title":null,"description":"F\#
                irst words","type":"image/jpeg","link":"https://i.imgur.com/one1.jpg","nsfw":true,"tags":[{"name\#
                ":"x"}],"section":"","account_url":null,"datetime":"x"},{"id":"two2","title":"Second","type":"im\#
                age/png","link":"https://i.imgur.com/two2.png","datetime":1395759999,"account_url":"else","width\#
                ":3,"topic":"no","ups":9},{"id":"one1"},{"id":"b-d"},{"title":"none"},7]},{"id":"Cover","title":\#
                null,"is_album":true,"cover":"three3","cover_width":10,"cover_height":20,"images":[],"descriptio\#
                n":"line one\nline two","views":7,"type":"image/png"},{"id":"Bare","title":"x","is_album":true,"\#
                cover":null},{"id":"two2","title":"Second again","is_album":false,"link":"https://i.imgur.com/tw\#
                o2.png"},{"id":"a/b","title":"no id","is_album":false},{"id":"e/f","is_album":true,"images":[{"i\#
                d":"q"}]},{"id":"NoFlag","cover":"four4","nsfw":true},{"id":"alb5","images":[{"id":"five5","desc\#
                ription":"A long first line of a description that goes on and on for more than a hundred charact\#
                ers, so it is cut somewhere\nsecond"}]},7,null,{"id":"six6","datetime":253402300800},{"id":"seve\#
                n7","datetime":0,"title":"  T  7 ","is_album":false,"images":[{"id":"no"}]}],"success":true,"sta\#
                tus":200}
                """#,
                #"""
                7 id=7,no picture=1,repeated=2 total=-1 leftOut=0 [{"id":"imgur:image:one1","provider":"imgur","\#
                kind":"image","title":"Both","creator":"someone","collection":"Both","summary":"First words","ur\#
                l":"https://imgur.com/a/AlBum","genres":["x","Cats","dogs","plain","cats"],"publishedAt":"2014-0\#
                3-25T12:40:34Z","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vb25lMXQuanBn\#
                r2_kv-9kgaBn2rGX8t_mxQ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vb25lMWwuanBnkWW\#
                0veMgrkvPdGbW205OYw","original":"https://i.imgur.com/one1.jpg"},"attributes":{"imageId":"one1","\#
                albumId":"AlBum","albumTitle":"Both","albumImages":9,"position":1,"privacy":"hidden","layout":"b\#
                log","type":"image/jpeg","ups":5,"points":3,"score":1.5,"comments":2,"favorites":7,"nsfw":true,"\#
                section":"s","topic":"T","tagDetails":[{"name":"x"},{"name":"cats","displayName":"Cats","totalIt\#
                ems":3,"isWhitelisted":false},{"name":"dogs"},{"name":"cats"}],"mostViral":true}},{"id":"imgur:i\#
                mage:two2","provider":"imgur","kind":"image","title":"Second","creator":"else","collection":"Bot\#
                h","summary":"Album d","url":"https://imgur.com/a/AlBum","genres":["Cats","dogs","plain","cats"]\#
                ,"publishedAt":"2014-03-25T15:06:39Z","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbW\#
                d1ci5jb20vdHdvMnQucG5n1sywYaUTOdA8a2T7oXbvKw","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1c\#
                i5jb20vdHdvMmwucG5nNWSyYZ-fEs7o2n4OXG6bRw","original":"https://i.imgur.com/two2.png"},"attribute\#
                s":{"imageId":"two2","albumId":"AlBum","albumTitle":"Both","albumImages":9,"position":2,"privacy\#
                ":"hidden","layout":"blog","type":"image/png","width":3,"ups":5,"points":3,"score":1.5,"comments\#
                ":2,"favorites":7,"nsfw":false,"section":"s","topic":"T","tagDetails":[{"name":"cats","displayNa\#
                me":"Cats","totalItems":3,"isWhitelisted":false},{"name":"dogs"},{"name":"cats"}],"mostViral":tr\#
                ue}},{"id":"imgur:image:three3","provider":"imgur","kind":"image","title":"line one","summary":"\#
                line one\nline two","url":"https://imgur.com/a/Cover","artwork":{"small":"/v1/artwork/AQVpbWd1cm\#
                h0dHBzOi8vaS5pbWd1ci5jb20vdGhyZWUzdC5qcGeSH5Q7ovcV0kHW-3taf4nJ","large":"/v1/artwork/AQVpbWd1cmh\#
                0dHBzOi8vaS5pbWd1ci5jb20vdGhyZWUzbC5qcGe2bzfxFKE6XV1iZkDOk8NF","original":"https://i.imgur.com/t\#
                hree3.jpg"},"attributes":{"imageId":"three3","albumId":"Cover","width":10,"height":20}},{"id":"i\#
                mgur:image:four4","provider":"imgur","kind":"image","title":"four4","url":"https://imgur.com/a/N\#
                oFlag","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZm91cjR0LmpwZ70srhlXZ\#
                8_gQLFgpMXn31k","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZm91cjRsLmpwZyfilMDv2hV\#
                fo73lQ0XS16g","original":"https://i.imgur.com/four4.jpg"},"attributes":{"imageId":"four4","album\#
                Id":"NoFlag","nsfw":true}},{"id":"imgur:image:five5","provider":"imgur","kind":"image","title":"\#
                A long first line of a description that goes on and on for more than a hundred characters, so it\#
                …","summary":"A long first line of a description that goes on and on for more than a hundred cha\#
                racters, so it is cut somewhere\nsecond","url":"https://imgur.com/a/alb5","artwork":{"small":"/v\#
                1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZml2ZTV0LmpwZ5cHziKHrwdJBrtnpqyANoE","large":"/v1/\#
                artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZml2ZTVsLmpwZ_WlixOOIRonge5mHXjMRR0","original":"htt\#
                ps://i.imgur.com/five5.jpg"},"attributes":{"imageId":"five5","albumId":"alb5","position":1}},{"i\#
                d":"imgur:image:six6","provider":"imgur","kind":"image","title":"six6","url":"https://imgur.com/\#
                six6","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2l4NnQuanBn4IhNN9OOqf\#
                3WY_w_CTciOg","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2l4NmwuanBnXdjKMus50hc0F\#
                GPsg7e_xA","original":"https://i.imgur.com/six6.jpg"},"attributes":{"imageId":"six6"}},{"id":"im\#
                gur:image:seven7","provider":"imgur","kind":"image","title":"T 7","url":"https://imgur.com/seven\#
                7","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2V2ZW43dC5qcGdQKO6_GdkjM\#
                4w6NYQ10Mjz","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2V2ZW43bC5qcGd9yunlgCcopu\#
                fusDRCJfgm","original":"https://i.imgur.com/seven7.jpg"},"attributes":{"imageId":"seven7"}}]
                """#
            ),
            (
                "gallery?limit=1&sort=name",
                #"""
                {"data":[{"id":"AlBum","title":"Both","is_album":true,"account_url":"someone","link":"https://im\#
                gur.com/a/AlBum","cover":"one1","images_count":9,"ups":5,"downs":null,"comment_count":2,"datetim\#
                e":1395751234,"tags":[{"name":"cats","display_name":"Cats","total_items":3,"is_whitelisted":fals\#
                e},{"name":"dogs"},"plain",{"name":"cats"}],"nsfw":false,"privacy":"hidden","layout":"blog","top\#
                ic":"T","section":"s","in_most_viral":true,"is_ad":false,"description":"Album <b>d</b>","points"\#
                :3,"score":1.5,"favorite_count":7,"views":9,"images":[{"id":"one1","title":null,"description":"F\#
                irst words","type":"image/jpeg","link":"https://i.imgur.com/one1.jpg","nsfw":true,"tags":[{"name\#
                ":"x"}],"section":"","account_url":null,"datetime":"x"},{"id":"two2","title":"Second","type":"im\#
                age/png","link":"https://i.imgur.com/two2.png","datetime":1395759999,"account_url":"else","width\#
                ":3,"topic":"no","ups":9},{"id":"one1"},{"id":"b-d"},{"title":"none"},7]},{"id":"Cover","title":\#
                null,"is_album":true,"cover":"three3","cover_width":10,"cover_height":20,"images":[],"descriptio\#
                n":"line one\nline two","views":7,"type":"image/png"},{"id":"Bare","title":"x","is_album":true,"\#
                cover":null},{"id":"two2","title":"Second again","is_album":false,"link":"https://i.imgur.com/tw\#
                o2.png"},{"id":"a/b","title":"no id","is_album":false},{"id":"e/f","is_album":true,"images":[{"i\#
                d":"q"}]},{"id":"NoFlag","cover":"four4","nsfw":true},{"id":"alb5","images":[{"id":"five5","desc\#
                ription":"A long first line of a description that goes on and on for more than a hundred charact\#
                ers, so it is cut somewhere\nsecond"}]},7,null,{"id":"six6","datetime":253402300800},{"id":"seve\#
                n7","datetime":0,"title":"  T  7 ","is_album":false,"images":[{"id":"no"}]}],"success":true,"sta\#
                tus":200}
                """#,
                #"""
                1 id=7,no picture=1,repeated=2 total=-1 leftOut=0 [{"id":"imgur:image:five5","provider":"imgur",\#
                "kind":"image","title":"A long first line of a description that goes on and on for more than a h\#
                undred characters, so it…","summary":"A long first line of a description that goes on and on for\#
                 more than a hundred characters, so it is cut somewhere\nsecond","url":"https://imgur.com/a/alb5\#
                ","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZml2ZTV0LmpwZ5cHziKHrwdJBr\#
                tnpqyANoE","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZml2ZTVsLmpwZ_WlixOOIRonge5m\#
                HXjMRR0","original":"https://i.imgur.com/five5.jpg"},"attributes":{"imageId":"five5","albumId":"\#
                alb5","position":1}}]
                """#
            ),
            (
                "gallery?sort=date&explicit=no",
                #"""
                {"data":[{"id":"AlBum","title":"Both","is_album":true,"account_url":"someone","link":"https://im\#
                gur.com/a/AlBum","cover":"one1","images_count":9,"ups":5,"downs":null,"comment_count":2,"datetim\#
                e":1395751234,"tags":[{"name":"cats","display_name":"Cats","total_items":3,"is_whitelisted":fals\#
                e},{"name":"dogs"},"plain",{"name":"cats"}],"nsfw":false,"privacy":"hidden","layout":"blog","top\#
                ic":"T","section":"s","in_most_viral":true,"is_ad":false,"description":"Album <b>d</b>","points"\#
                :3,"score":1.5,"favorite_count":7,"views":9,"images":[{"id":"one1","title":null,"description":"F\#
                irst words","type":"image/jpeg","link":"https://i.imgur.com/one1.jpg","nsfw":true,"tags":[{"name\#
                ":"x"}],"section":"","account_url":null,"datetime":"x"},{"id":"two2","title":"Second","type":"im\#
                age/png","link":"https://i.imgur.com/two2.png","datetime":1395759999,"account_url":"else","width\#
                ":3,"topic":"no","ups":9},{"id":"one1"},{"id":"b-d"},{"title":"none"},7]},{"id":"Cover","title":\#
                null,"is_album":true,"cover":"three3","cover_width":10,"cover_height":20,"images":[],"descriptio\#
                n":"line one\nline two","views":7,"type":"image/png"},{"id":"Bare","title":"x","is_album":true,"\#
                cover":null},{"id":"two2","title":"Second again","is_album":false,"link":"https://i.imgur.com/tw\#
                o2.png"},{"id":"a/b","title":"no id","is_album":false},{"id":"e/f","is_album":true,"images":[{"i\#
                d":"q"}]},{"id":"NoFlag","cover":"four4","nsfw":true},{"id":"alb5","images":[{"id":"five5","desc\#
                ription":"A long first line of a description that goes on and on for more than a hundred charact\#
                ers, so it is cut somewhere\nsecond"}]},7,null,{"id":"six6","datetime":253402300800},{"id":"seve\#
                n7","datetime":0,"title":"  T  7 ","is_album":false,"images":[{"id":"no"}]}],"success":true,"sta\#
                tus":200}
                """#,
                #"""
                6 id=7,no picture=1,repeated=2 total=-1 leftOut=1 [{"id":"imgur:image:two2","provider":"imgur","\#
                kind":"image","title":"Second","creator":"else","collection":"Both","summary":"Album d","url":"h\#
                ttps://imgur.com/a/AlBum","genres":["Cats","dogs","plain","cats"],"publishedAt":"2014-03-25T15:0\#
                6:39Z","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vdHdvMnQucG5n1sywYaUTO\#
                dA8a2T7oXbvKw","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vdHdvMmwucG5nNWSyYZ-fEs7o\#
                2n4OXG6bRw","original":"https://i.imgur.com/two2.png"},"attributes":{"imageId":"two2","albumId":\#
                "AlBum","albumTitle":"Both","albumImages":9,"position":2,"privacy":"hidden","layout":"blog","typ\#
                e":"image/png","width":3,"ups":5,"points":3,"score":1.5,"comments":2,"favorites":7,"nsfw":false,\#
                "section":"s","topic":"T","tagDetails":[{"name":"cats","displayName":"Cats","totalItems":3,"isWh\#
                itelisted":false},{"name":"dogs"},{"name":"cats"}],"mostViral":true}},{"id":"imgur:image:one1","\#
                provider":"imgur","kind":"image","title":"Both","creator":"someone","collection":"Both","summary\#
                ":"First words","url":"https://imgur.com/a/AlBum","genres":["x","Cats","dogs","plain","cats"],"p\#
                ublishedAt":"2014-03-25T12:40:34Z","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1c\#
                i5jb20vb25lMXQuanBnr2_kv-9kgaBn2rGX8t_mxQ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5j\#
                b20vb25lMWwuanBnkWW0veMgrkvPdGbW205OYw","original":"https://i.imgur.com/one1.jpg"},"attributes":\#
                {"imageId":"one1","albumId":"AlBum","albumTitle":"Both","albumImages":9,"position":1,"privacy":"\#
                hidden","layout":"blog","type":"image/jpeg","ups":5,"points":3,"score":1.5,"comments":2,"favorit\#
                es":7,"nsfw":true,"section":"s","topic":"T","tagDetails":[{"name":"x"},{"name":"cats","displayNa\#
                me":"Cats","totalItems":3,"isWhitelisted":false},{"name":"dogs"},{"name":"cats"}],"mostViral":tr\#
                ue}},{"id":"imgur:image:three3","provider":"imgur","kind":"image","title":"line one","summary":"\#
                line one\nline two","url":"https://imgur.com/a/Cover","artwork":{"small":"/v1/artwork/AQVpbWd1cm\#
                h0dHBzOi8vaS5pbWd1ci5jb20vdGhyZWUzdC5qcGeSH5Q7ovcV0kHW-3taf4nJ","large":"/v1/artwork/AQVpbWd1cmh\#
                0dHBzOi8vaS5pbWd1ci5jb20vdGhyZWUzbC5qcGe2bzfxFKE6XV1iZkDOk8NF","original":"https://i.imgur.com/t\#
                hree3.jpg"},"attributes":{"imageId":"three3","albumId":"Cover","width":10,"height":20}},{"id":"i\#
                mgur:image:five5","provider":"imgur","kind":"image","title":"A long first line of a description \#
                that goes on and on for more than a hundred characters, so it…","summary":"A long first line of \#
                a description that goes on and on for more than a hundred characters, so it is cut somewhere\nse\#
                cond","url":"https://imgur.com/a/alb5","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pb\#
                Wd1ci5jb20vZml2ZTV0LmpwZ5cHziKHrwdJBrtnpqyANoE","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd\#
                1ci5jb20vZml2ZTVsLmpwZ_WlixOOIRonge5mHXjMRR0","original":"https://i.imgur.com/five5.jpg"},"attri\#
                butes":{"imageId":"five5","albumId":"alb5","position":1}},{"id":"imgur:image:six6","provider":"i\#
                mgur","kind":"image","title":"six6","url":"https://imgur.com/six6","artwork":{"small":"/v1/artwo\#
                rk/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2l4NnQuanBn4IhNN9OOqf3WY_w_CTciOg","large":"/v1/artwork/\#
                AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2l4NmwuanBnXdjKMus50hc0FGPsg7e_xA","original":"https://i.im\#
                gur.com/six6.jpg"},"attributes":{"imageId":"six6"}},{"id":"imgur:image:seven7","provider":"imgur\#
                ","kind":"image","title":"T 7","url":"https://imgur.com/seven7","artwork":{"small":"/v1/artwork/\#
                AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2V2ZW43dC5qcGdQKO6_GdkjM4w6NYQ10Mjz","large":"/v1/artwork/A\#
                QVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vc2V2ZW43bC5qcGd9yunlgCcopufusDRCJfgm","original":"https://i.i\#
                mgur.com/seven7.jpg"},"attributes":{"imageId":"seven7"}}]
                """#
            ),
            (
                "search?q=x&explicit=no",
                #"""
                {"data":[{"id":"a","nsfw":true},{"id":"b","nsfw":false},{"id":"c","nsfw":null},{"id":"d"},7],"su\#
                ccess":true,"status":200}
                """#,
                #"""
                3 id=1 total=-1 leftOut=1 [{"id":"imgur:image:b","provider":"imgur","kind":"image","title":"b","\#
                url":"https://imgur.com/b","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY\#
                nQuanBnxT5FrmuKb3sjMP17h_rygQ","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYmwuanBn\#
                IhvC5lsOLk76F8nqaYJufA","original":"https://i.imgur.com/b.jpg"},"attributes":{"imageId":"b","nsf\#
                w":false}},{"id":"imgur:image:c","provider":"imgur","kind":"image","title":"c","url":"https://im\#
                gur.com/c","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY3QuanBn12FEHdbmF\#
                _fB4j44WcK_0g","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vY2wuanBnagZUINosdrxQqKg_\#
                WZa1bQ","original":"https://i.imgur.com/c.jpg"},"attributes":{"imageId":"c"}},{"id":"imgur:image\#
                :d","provider":"imgur","kind":"image","title":"d","url":"https://imgur.com/d","artwork":{"small"\#
                :"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZHQuanBnYtqqo1QZ52rM7UM-S9xNMw","large":"/v1/a\#
                rtwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vZGwuanBnUbOk9PO3FvZU2wGDR3a6ow","original":"https://i\#
                .imgur.com/d.jpg"},"attributes":{"imageId":"d"}}]
                """#
            ),
            (
                "image/mov",
                #"""
                {"data":{"id":"mov","title":"  Two\nlines ","type":"image/gif","animated":true,"width":636,"heig\#
                ht":357,"size":2395211,"views":579524,"bandwidth":138808225956418823997,"mp4":"http://i.imgur.co\#
                m/mov.mp4","mp4_size":100,"gifv":"http://i.imgur.com/mov.gifv","hls":"","looping":true,"has_soun\#
                d":null,"nsfw":null,"section":"","link":"http://i.imgur.com/mov.gif","datetime":99999999999999,"\#
                account_url":null,"vote":null,"favorite":true,"ups":null,"is_ad":true,"in_most_viral":true,"acco\#
                unt_id":0,"tags":null,"topic":" ","privacy":"x"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:mov","provider":"imgur","kind":"image","title":"Two li\#
                nes","url":"https://imgur.com/mov","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1c\#
                i5jb20vbW92dC5qcGcevrp2wxv3Ex6hsapD3GgB","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb2\#
                0vbW92bC5qcGcrOBkFgqJ3dIIuAqS7iUBr","original":"https://i.imgur.com/mov.gif"},"attributes":{"ima\#
                geId":"mov","type":"image/gif","width":636,"height":357,"size":2395211,"views":579524,"bandwidth\#
                ":138808225956418823997,"animated":true,"mp4":"https://i.imgur.com/mov.mp4","mp4Size":100,"gifv"\#
                :"https://i.imgur.com/mov.gifv","looping":true,"mostViral":true,"advertisement":true}}]
                """#
            ),
            (
                "image/mov",
                #"{"data":{"id":"mov","mp4":"","link":"https://i.imgur.com/mov.mp4"},"success":true,"status":200}"#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:mov","provider":"imgur","kind":"image","title":"mov","\#
                url":"https://imgur.com/mov","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vbW92dC5qcGcevrp2wxv3Ex6hsapD3GgB","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vbW92\#
                bC5qcGcrOBkFgqJ3dIIuAqS7iUBr","original":"https://i.imgur.com/movh.jpg"},"attributes":{"imageId"\#
                :"mov","animated":true,"mp4":"https://i.imgur.com/mov.mp4"}}]
                """#
            ),
            (
                "image/abc",
                #"""
                {"data":{"id":"abc","link":"http://i.imgur.com/abc.jpg","animated":false,"gifv":"http://i.imgur.\#
                com/abc.jpg"},"success":true,"status":200}
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
                {"data":{"id":"abc","link":"https://i.imgur.com/abc.png?1","animated":false,"gifv":"https://i.im\#
                gur.com/abc.png?1"},"success":true,"status":200}
                """#,
                #"""
                1  total=-1 leftOut=0 [{"id":"imgur:image:abc","provider":"imgur","kind":"image","title":"abc","\#
                url":"https://imgur.com/abc","artwork":{"small":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20\#
                vYWJjdC5wbmdii-biJGLuYumQTbGHdYBr","large":"/v1/artwork/AQVpbWd1cmh0dHBzOi8vaS5pbWd1ci5jb20vYWJj\#
                bC5wbmevGJAZ2LF2bNtf4IBj-Rna","original":"https://i.imgur.com/abc.png?1"},"attributes":{"imageId\#
                ":"abc"}}]
                """#
            ),
        ] as [(String, String, String)])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.answer(route, body) == told)
    }

    @Test(
        arguments: [
            ("search?q=a", #"{"data":[],"success":true,"status":200}"#, ""),
            ("tags", #"{"data":{},"success":true,"status":200}"#, ""),
        ] as [(String, String, String)])
    func aStoredAnswerOfAnotherLengthIsReadSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.wider(route, body) == told)
    }
}
