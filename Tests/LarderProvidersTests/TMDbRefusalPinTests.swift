// Refusals of questions to TMDb, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct TMDbRefusalPinTests {
    private let pins = ProviderPins(SpecProvider(.tmdb))

    @Test(arguments: [
        ("search", "missingParameter q What is searched? q=…"),
        ("search?q=", #"invalidParameter q "q" is empty."#),
        ("search/movie", "missingParameter q What is searched? q=…"),
        ("search?query=a&q=b", #"invalidParameter query conflict "query" is another name of "q": give one of them."#),
        (
            "search/game?q=a",
            #"invalidParameter category "game" is not one of the allowed words. 4 multi,movie,tv,person"#
        ),
        (
            "search?q=a&category=game",
            #"""
            invalidParameter category "category" is not one of the allowed words. 4 multi,movie,tv,person
            """#
        ),
        ("search?q=a&year=2000", "invalidParameter year conflict Only films and series can be searched by year."),
        (
            "search/person?q=a&year=2000",
            "invalidParameter year conflict Only films and series can be searched by year."
        ),
        (
            "search/movie?q=a&year=1700",
            #"invalidParameter year "year" is not a number between 1800 and 2200. 1 1800…2200"#
        ),
        ("search/movie?q=a&page=501", #"invalidParameter page "page" is not a number between 1 and 500. 1 1…500"#),
        ("search/movie?q=a&limit=21", #"invalidParameter limit "limit" is not a number between 1 and 20. 1 1…20"#),
        (
            "search/movie?q=a&sort=price",
            #"invalidParameter sort "sort" is not one of the allowed words. 3 relevance,name,date"#
        ),
        ("search/movie?q=a&language=german", #"invalidParameter language "language" is a code such as de or pt-BR."#),
        ("search/movie?q=a&region=usa", #"invalidParameter region "region" is not a two-letter code."#),
        (
            "search/movie?q=a&region=us&country=de",
            #"""
            invalidParameter country conflict "country" is another name of "region": give one of them.
            """#
        ),
        (
            "search/movie?q=a&lang=de&language=de",
            #"invalidParameter lang conflict "lang" is another name of "language": give one of them."#
        ),
        (
            "search/movie?q=a&explicit=maybe",
            #"invalidParameter explicit "explicit" is not one of the allowed words. 6 yes,no,true,false,1,0"#
        ),
        (
            "search/movie?q=a&x=1",
            #"""
            unknownParameter x This route has no parameter "x". 11 q,query,year,explicit,language,lang,regio\#
            n,country,page,limit,sort
            """#
        ),
        (
            "search?q=a&x=1",
            #"""
            unknownParameter x This route has no parameter "x". 12 q,query,year,explicit,language,lang,regio\#
            n,country,page,limit,sort,category
            """#
        ),
        (
            "search/movie?q=a&category=movie",
            "invalidParameter category conflict The path names the category already."
        ),
        (
            "movie/latest",
            #"""
            noSuchRoute list There is no such list. A record is named by its number. 4 popular,top_rated,now\#
            _playing,upcoming
            """#
        ),
        ("person/upcoming", "noSuchRoute list There is no such list. A record is named by its number. 1 popular"),
        ("tv/", "noSuchRoute - There is no route /v1/tmdb/tv. /openapi.json lists all routes."),
        ("movie/0", "invalidParameter id A record is named by its number."),
        ("movie/12345678901", "invalidParameter id A record is named by its number."),
        ("Movie/popular", "noSuchRoute - There is no route /v1/tmdb/Movie/popular. /openapi.json lists all routes."),
        ("game/popular", "noSuchRoute - There is no route /v1/tmdb/game/popular. /openapi.json lists all routes."),
        ("movie", "noSuchRoute - There is no route /v1/tmdb/movie. /openapi.json lists all routes."),
        ("trending/all/month", #"invalidParameter span "month" is not one of the allowed words. 2 day,week"#),
        (
            "trending/game/day",
            #"invalidParameter kind "game" is not one of the allowed words. 4 all,movie,tv,person"#
        ),
        ("trending/all", "noSuchRoute - There is no route /v1/tmdb/trending/all. /openapi.json lists all routes."),
        ("genres/person", #"invalidParameter kind "person" is not one of the allowed words. 2 movie,tv"#),
        ("genres", "noSuchRoute - There is no route /v1/tmdb/genres. /openapi.json lists all routes."),
        ("configuration?x=1", #"unknownParameter x This route has no parameter "x"."#),
        (
            "configuration/a",
            "noSuchRoute - There is no route /v1/tmdb/configuration/a. /openapi.json lists all routes."
        ),
        (
            "movie/1?append=A",
            #"invalidParameter append "A" cannot be appended; use names such as credits or images."#
        ),
        (
            "movie/1?append=credits&append_to_response=images",
            #"""
            invalidParameter append conflict "append" is another name of "append_to_response": give one of t\#
            hem.
            """#
        ),
        ("movie/1?append=", #"invalidParameter append "append" is empty."#),
        ("movie/1?append=a,,b", #"invalidParameter append "append" has an empty part."#),
        (
            "movie/1?x=1",
            #"""
            unknownParameter x This route has no parameter "x". 4 language,lang,append,append_to_response
            """#
        ),
        (
            "movie/popular?q=a",
            #"""
            unknownParameter q This route has no parameter "q". 7 language,lang,region,country,page,limit,so\#
            rt
            """#
        ),
        (
            "movie/1/images",
            "noSuchRoute - There is no route /v1/tmdb/movie/1/images. /openapi.json lists all routes."
        ),
    ])
    func anErrorIsToldSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }
}
