// What stored answers of other lengths yield, exactly as it is told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsWiderPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            (
                "search?q=x&limit=2&page=3&sort=name",
                #"""
                {"hits":[{"objectID":"1","title":"t8"},{"objectID":"2","title":"t7"},{"objectID":"3","title":"t6\#
                "},{"objectID":"4","title":"t5"},{"objectID":"5","title":"t4"},{"objectID":"6","title":"t3"},{"o\#
                bjectID":"7","title":"t2"}],"nbHits":7}
                """#,
                #"""
                /api/v1/search?hitsPerPage=5&query=x -; /api/v1/search?hitsPerPage=10&query=x t3,t4; /api/v1/sea\#
                rch?hitsPerPage=12&query=x t3,t4; /api/v1/search?hitsPerPage=15&query=x t3,t4; /api/v1/search?qu\#
                ery=x t3,t4; /api/v1/search?hitsPerPage=25&query=x t3,t4; /api/v1/search?hitsPerPage=30&query=x \#
                t3,t4; /api/v1/search?hitsPerPage=40&query=x t3,t4; /api/v1/search?hitsPerPage=50&query=x t3,t4;\#
                 /api/v1/search?hitsPerPage=60&query=x t3,t4; /api/v1/search?hitsPerPage=75&query=x t3,t4; /api/\#
                v1/search?hitsPerPage=80&query=x t3,t4; /api/v1/search?hitsPerPage=100&query=x t3,t4; /api/v1/se\#
                arch?hitsPerPage=120&query=x t3,t4; /api/v1/search?hitsPerPage=150&query=x t3,t4; /api/v1/search\#
                ?hitsPerPage=200&query=x t3,t4
                """#
            ),
            (
                "recent?q=x&limit=5",
                #"""
                {"hits":[{"objectID":"1","title":"t8"},{"objectID":"2","title":"t7"},{"objectID":"3","title":"t6\#
                "},{"objectID":"4","title":"t5"},{"objectID":"5","title":"t4"},{"objectID":"6","title":"t3"},{"o\#
                bjectID":"7","title":"t2"}],"nbHits":7}
                """#,
                #"""
                /api/v1/search_by_date?hitsPerPage=10&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage\#
                =12&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage=15&query=x t8,t7,t6,t5,t4; /api/v\#
                1/search_by_date?query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage=25&query=x t8,t7,t6,\#
                t5,t4; /api/v1/search_by_date?hitsPerPage=30&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hits\#
                PerPage=40&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage=50&query=x t8,t7,t6,t5,t4;\#
                 /api/v1/search_by_date?hitsPerPage=60&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPag\#
                e=75&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage=80&query=x t8,t7,t6,t5,t4; /api/\#
                v1/search_by_date?hitsPerPage=100&query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage=120\#
                &query=x t8,t7,t6,t5,t4; /api/v1/search_by_date?hitsPerPage=150&query=x t8,t7,t6,t5,t4; /api/v1/\#
                search_by_date?hitsPerPage=200&query=x t8,t7,t6,t5,t4
                """#
            ),
            (
                "search?q=x&limit=200",
                #"{"hits":[]}"#,
                #"""
                /api/v1/search?hitsPerPage=5&query=x none; /api/v1/search?hitsPerPage=10&query=x none; /api/v1/s\#
                earch?hitsPerPage=12&query=x none; /api/v1/search?hitsPerPage=15&query=x none; /api/v1/search?qu\#
                ery=x none; /api/v1/search?hitsPerPage=25&query=x none; /api/v1/search?hitsPerPage=30&query=x no\#
                ne; /api/v1/search?hitsPerPage=40&query=x none; /api/v1/search?hitsPerPage=50&query=x none; /api\#
                /v1/search?hitsPerPage=60&query=x none; /api/v1/search?hitsPerPage=75&query=x none; /api/v1/sear\#
                ch?hitsPerPage=80&query=x none; /api/v1/search?hitsPerPage=100&query=x none; /api/v1/search?hits\#
                PerPage=120&query=x none; /api/v1/search?hitsPerPage=150&query=x none
                """#
            ),
            (
                "search?q=x&numericFilters=points%3E1",
                #"""
                {"hits":[{"objectID":"1","title":"t8"},{"objectID":"2","title":"t7"},{"objectID":"3","title":"t6\#
                "},{"objectID":"4","title":"t5"},{"objectID":"5","title":"t4"},{"objectID":"6","title":"t3"},{"o\#
                bjectID":"7","title":"t2"}],"nbHits":7}
                """#,
                ""
            ),
            ("user/jl", "{}", ""),
            ("top", "[1]", ""),
            (
                "search?q=x&limit=150&page=2",
                #"""
                {"hits":[{"objectID":"1","title":"t8"},{"objectID":"2","title":"t7"},{"objectID":"3","title":"t6\#
                "},{"objectID":"4","title":"t5"},{"objectID":"5","title":"t4"},{"objectID":"6","title":"t3"},{"o\#
                bjectID":"7","title":"t2"}],"nbHits":7}
                """#,
                #"""
                /api/v1/search?hitsPerPage=5&page=30&query=x -; /api/v1/search?hitsPerPage=10&page=15&query=x t8\#
                ,t7,t6,t5,t4,t3,t2; /api/v1/search?hitsPerPage=12&page=12&query=x t2; /api/v1/search?hitsPerPage\#
                =15&page=10&query=x t8,t7,t6,t5,t4,t3,t2; /api/v1/search?page=7&query=x none; /api/v1/search?hit\#
                sPerPage=25&page=6&query=x t8,t7,t6,t5,t4,t3,t2; /api/v1/search?hitsPerPage=30&page=5&query=x t8\#
                ,t7,t6,t5,t4,t3,t2; /api/v1/search?hitsPerPage=40&page=3&query=x none; /api/v1/search?hitsPerPag\#
                e=50&page=3&query=x t8,t7,t6,t5,t4,t3,t2; /api/v1/search?hitsPerPage=60&page=2&query=x none; /ap\#
                i/v1/search?hitsPerPage=75&page=2&query=x t8,t7,t6,t5,t4,t3,t2; /api/v1/search?hitsPerPage=80&pa\#
                ge=1&query=x none; /api/v1/search?hitsPerPage=100&page=1&query=x none; /api/v1/search?hitsPerPag\#
                e=120&page=1&query=x none; /api/v1/search?hitsPerPage=200&query=x none
                """#
            ),
            (
                "search?q=x&limit=3&sort=name",
                #"""
                {"hits":[{"objectID":"1","title":"b"},{"objectID":"x","title":"c"},{"objectID":"3","title":"a"},\#
                {"objectID":"4","title":"A"}],"nbHits":7}
                """#,
                #"""
                /api/v1/search?hitsPerPage=5&query=x a,b; /api/v1/search?hitsPerPage=10&query=x a,b; /api/v1/sea\#
                rch?hitsPerPage=12&query=x a,b; /api/v1/search?hitsPerPage=15&query=x a,b; /api/v1/search?query=\#
                x a,b; /api/v1/search?hitsPerPage=25&query=x a,b; /api/v1/search?hitsPerPage=30&query=x a,b; /ap\#
                i/v1/search?hitsPerPage=40&query=x a,b; /api/v1/search?hitsPerPage=50&query=x a,b; /api/v1/searc\#
                h?hitsPerPage=60&query=x a,b; /api/v1/search?hitsPerPage=75&query=x a,b; /api/v1/search?hitsPerP\#
                age=80&query=x a,b; /api/v1/search?hitsPerPage=100&query=x a,b; /api/v1/search?hitsPerPage=120&q\#
                uery=x a,b; /api/v1/search?hitsPerPage=150&query=x a,b; /api/v1/search?hitsPerPage=200&query=x a\#
                ,b
                """#
            ),
        ] as [(String, String, String)])
    func aStoredAnswerOfAnotherLengthIsReadSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.wider(route, body) == told)
    }
}
