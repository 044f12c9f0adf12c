// Questions and searches of Imgur, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            ("search?q=Two++Cats", #"search {"q":"Two Cats","sort":"time"} /3/gallery/search/time/all/0?q=Two%20Cats"#),
            (
                "search?query=cats&sort=viral&page=3",
                #"search {"q":"cats","sort":"viral","page":3} /3/gallery/search/viral/all/2?q=cats"#
            ),
            (
                "search?q=cats&sort=top&window=Week",
                #"search {"q":"cats","sort":"top","window":"week"} /3/gallery/search/top/week/0?q=cats"#
            ),
            (
                "search?q=cats&sort=date&limit=5&explicit=no",
                #"search {"q":"cats","sort":"date","limit":5,"explicit":false} /3/gallery/search/time/all/0?q=cats"#
            ),
            (
                "search?q_any=a+b&q_not=c&q_type=ANIGIF&q_size_px=big",
                #"""
                search {"q_any":"a b","q_not":"c","q_type":"anigif","q_size_px":"big","sort":"time"} /3/gallery/\#
                search/time/all/0?q_any=a%20b&q_not=c&q_size_px=big&q_type=anigif
                """#
            ),
            (
                "search?q_all=a&q_exactly=b%20%20c&sort=NAME",
                #"""
                search {"q_all":"a","q_exactly":"b c","sort":"name"} /3/gallery/search/time/all/0?q_all=a&q_exac\#
                tly=b%20c
                """#
            ),
            ("search?q=a&sort=TOP", #"search {"q":"a","sort":"top","window":"all"} /3/gallery/search/top/all/0?q=a"#),
            (
                "search?q=a&sort=relevance&explicit=yes",
                #"search {"q":"a","sort":"time"} /3/gallery/search/time/all/0?q=a"#
            ),
            ("search?q=a&sort=time&page=1", #"search {"q":"a","sort":"time"} /3/gallery/search/time/all/0?q=a"#),
            ("search?q_type=jpg", #"search {"q_type":"jpg","sort":"time"} /3/gallery/search/time/all/0?q_type=jpg"#),
            (
                "search?q_size_px=MED&explicit=true",
                #"search {"q_size_px":"med","sort":"time"} /3/gallery/search/time/all/0?q_size_px=med"#
            ),
            (
                "search?q=a&limit=500&page=10000",
                #"search {"q":"a","sort":"time","page":10000,"limit":500} /3/gallery/search/time/all/9999?q=a"#
            ),
            (
                "search?q=a&sort=top&window=all",
                #"search {"q":"a","sort":"top","window":"all"} /3/gallery/search/top/all/0?q=a"#
            ),
            ("gallery", #"gallery {"section":"hot","sort":"viral"} /3/gallery/hot/viral/0?album_previews=true"#),
            (
                "gallery?section=top&sort=time&window=year&page=2",
                #"""
                gallery {"section":"top","sort":"time","window":"year","page":2} /3/gallery/top/time/year/1?albu\#
                m_previews=true
                """#
            ),
            (
                "gallery?section=user&sort=rising&showViral=no&mature=yes",
                #"""
                gallery {"section":"user","showViral":false,"mature":true,"sort":"rising"} /3/gallery/user/risin\#
                g/0?album_previews=true&mature=true&showViral=false
                """#
            ),
            (
                "gallery?section=HOT&showViral=true&mature=false",
                #"gallery {"section":"hot","sort":"viral"} /3/gallery/hot/viral/0?album_previews=true"#
            ),
            (
                "gallery?section=top",
                #"""
                gallery {"section":"top","sort":"viral","window":"day"} /3/gallery/top/viral/day/0?album_preview\#
                s=true
                """#
            ),
            (
                "gallery?section=top&window=day",
                #"""
                gallery {"section":"top","sort":"viral","window":"day"} /3/gallery/top/viral/day/0?album_preview\#
                s=true
                """#
            ),
            (
                "gallery?section=user",
                #"gallery {"section":"user","sort":"viral"} /3/gallery/user/viral/0?album_previews=true"#
            ),
            (
                "gallery?section=top&sort=name&limit=3",
                #"""
                gallery {"section":"top","sort":"name","window":"day","limit":3} /3/gallery/top/viral/day/0?albu\#
                m_previews=true
                """#
            ),
            (
                "gallery?sort=date",
                #"gallery {"section":"hot","sort":"date"} /3/gallery/hot/time/0?album_previews=true"#
            ),
            ("gallery?sort=top", #"gallery {"section":"hot","sort":"top"} /3/gallery/hot/top/0?album_previews=true"#),
            (
                "gallery?section=user&sort=top&page=4",
                #"gallery {"section":"user","sort":"top","page":4} /3/gallery/user/top/3?album_previews=true"#
            ),
            (
                "gallery?section=top&sort=relevance&window=all&explicit=no",
                #"""
                gallery {"section":"top","sort":"viral","window":"all","explicit":false} /3/gallery/top/viral/al\#
                l/0?album_previews=true
                """#
            ),
            (
                "gallery?mature=yes&sort=VIRAL",
                #"""
                gallery {"section":"hot","mature":true,"sort":"viral"} /3/gallery/hot/viral/0?album_previews=tru\#
                e&mature=true
                """#
            ),
            (
                "gallery?section=top&sort=date&window=week",
                #"""
                gallery {"section":"top","sort":"date","window":"week"} /3/gallery/top/time/week/0?album_preview\#
                s=true
                """#
            ),
            ("tag/funny", #"tag {"tag":"funny","sort":"viral"} /3/gallery/t/funny/viral/week/0"#),
            (
                "tag/café?sort=top&window=all",
                #"tag {"tag":"café","sort":"top","window":"all"} /3/gallery/t/caf%C3%A9/top/all/0"#
            ),
            (
                "tag/Cat_s-1?sort=name&page=9",
                #"tag {"tag":"Cat_s-1","sort":"name","page":9} /3/gallery/t/Cat_s-1/viral/week/8"#
            ),
            (
                "tag/a?sort=date&limit=2&explicit=no",
                #"tag {"tag":"a","sort":"date","limit":2,"explicit":false} /3/gallery/t/a/time/week/0"#
            ),
            ("tag/a?sort=viral", #"tag {"tag":"a","sort":"viral"} /3/gallery/t/a/viral/week/0"#),
            ("tag/a?sort=top", #"tag {"tag":"a","sort":"top","window":"week"} /3/gallery/t/a/top/week/0"#),
            ("tag/a?sort=relevance", #"tag {"tag":"a","sort":"viral"} /3/gallery/t/a/viral/week/0"#),
            ("tag/日本", #"tag {"tag":"日本","sort":"viral"} /3/gallery/t/%E6%97%A5%E6%9C%AC/viral/week/0"#),
            (
                "r/EarthPorn?sort=top&window=day&page=2",
                #"""
                subreddit {"subreddit":"EarthPorn","sort":"top","window":"day","page":2} /3/gallery/r/EarthPorn/\#
                top/day/1
                """#
            ),
            ("r/pics", #"subreddit {"subreddit":"pics","sort":"time"} /3/gallery/r/pics/time/week/0"#),
            ("r/pics?sort=time", #"subreddit {"subreddit":"pics","sort":"time"} /3/gallery/r/pics/time/week/0"#),
            ("r/pics?sort=date", #"subreddit {"subreddit":"pics","sort":"date"} /3/gallery/r/pics/time/week/0"#),
            (
                "r/pics?sort=name&limit=1",
                #"subreddit {"subreddit":"pics","sort":"name","limit":1} /3/gallery/r/pics/time/week/0"#
            ),
            (
                "r/pics?sort=top",
                #"subreddit {"subreddit":"pics","sort":"top","window":"week"} /3/gallery/r/pics/top/week/0"#
            ),
            (
                "r/a?explicit=false",
                #"subreddit {"subreddit":"a","sort":"time","explicit":false} /3/gallery/r/a/time/week/0"#
            ),
            ("image/mOqejNf", #"image {"id":"mOqejNf"} /3/image/mOqejNf"#),
            ("album/HtAOg", #"album {"id":"HtAOg"} /3/album/HtAOg"#),
            ("tags", "tags {} /3/tags"),
            ("credits", "credits {} /3/credits"),
            (
                "image/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                #"image {"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} /3/image/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"#
            ),
        ] as [(String, String)])
    func aQuestionIsAskedSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }

    @Test(
        arguments: [
            (SearchRequest(term: " a  b "), #"search {"q":"a b","sort":"time"} /3/gallery/search/time/all/0?q=a%20b"#),
            (
                SearchRequest(term: "a", category: "images", sort: .relevance),
                #"search {"q":"a","sort":"time"} /3/gallery/search/time/all/0?q=a"#
            ),
            (
                SearchRequest(term: "a", sort: .date),
                #"search {"q":"a","sort":"date"} /3/gallery/search/time/all/0?q=a"#
            ),
            (
                SearchRequest(term: "a", sort: .name),
                #"search {"q":"a","sort":"name"} /3/gallery/search/time/all/0?q=a"#
            ),
            (
                SearchRequest(term: "a", limit: 2, explicit: true),
                #"search {"q":"a","sort":"time","limit":2} /3/gallery/search/time/all/0?q=a"#
            ),
            (
                SearchRequest(term: "a", explicit: false),
                #"search {"q":"a","sort":"time","explicit":false} /3/gallery/search/time/all/0?q=a"#
            ),
            (
                SearchRequest(term: "a", category: "gifs"),
                #"""
                search {"q_all":"a","q_type":"anigif","sort":"time"} /3/gallery/search/time/all/0?q_all=a&q_type\#
                =anigif
                """#
            ),
            (
                SearchRequest(term: "a", category: "albums", limit: 900, sort: .date, explicit: false),
                #"""
                search {"q_all":"a","q_type":"album","sort":"date","limit":500,"explicit":false} /3/gallery/sear\#
                ch/time/all/0?q_all=a&q_type=album
                """#
            ),
            (
                SearchRequest(term: "a", category: "gifs", limit: 0, sort: .name, explicit: true),
                #"""
                search {"q_all":"a","q_type":"anigif","sort":"name","limit":1} /3/gallery/search/time/all/0?q_al\#
                l=a&q_type=anigif
                """#
            ),
            (SearchRequest(term: " "), "missingParameter q A search needs a term."),
            (
                SearchRequest(term: "a", category: "music"),
                "invalidParameter category Imgur has no such category. 3 images,gifs,albums"
            ),
            (SearchRequest(term: "", category: "music"), "missingParameter q A search needs a term."),
            (
                SearchRequest(term: "a", category: "Images"),
                "invalidParameter category Imgur has no such category. 3 images,gifs,albums"
            ),
        ] as [(SearchRequest, String)])
    func aSharedSearchIsAskedSo(_ request: SearchRequest, _ told: String) {
        #expect(pins.search(request) == told)
    }

    @Test(
        arguments: [
            (nil, "image"),
            ("images", "image"),
            ("gifs", "-"),
            ("albums", "-"),
            ("x", "-"),
        ] as [(String?, String)])
    func aCategoryHasTheseKinds(_ category: String?, _ told: String) {
        #expect((pins.provider.kinds(of: category)?.joined(separator: ",") ?? "-") == told)
    }
}
