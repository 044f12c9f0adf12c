// Refusals of Imgur, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurRefusalPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            (
                "search",
                "missingParameter q A search needs one of: q, q_all, q_any, q_exactly, q_not, q_type, q_size_px."
            ),
            (
                "search?q=a&q_all=b",
                #"invalidParameter q conflict Imgur ignores "q" if "q_all" is given: use "q_all" instead."#
            ),
            (
                "search?q=a&query=b",
                #"invalidParameter query conflict "query" is another name of "q": give one of them."#
            ),
            (
                "search?q_type=bmp",
                #"invalidParameter q_type "q_type" is not one of the allowed words. 5 jpg,png,gif,anigif,album"#
            ),
            (
                "search?q=a&q_size_px=med",
                #"invalidParameter q conflict Imgur ignores "q" if "q_size_px" is given: use "q_all" instead."#
            ),
            (
                "search?q=a&sort=rising",
                #"invalidParameter sort "sort" is not one of the allowed words. 6 time,viral,top,relevance,name,date"#
            ),
            (
                "search?q=a&sort=price",
                #"invalidParameter sort "sort" is not one of the allowed words. 6 time,viral,top,relevance,name,date"#
            ),
            ("search?q=a&page=0", #"invalidParameter page "page" is not a number between 1 and 10000. 1 1…10000"#),
            ("search?q=a&page=10001", #"invalidParameter page "page" is not a number between 1 and 10000. 1 1…10000"#),
            (
                "search?q=a&window=day",
                "invalidParameter window conflict A span of time can be given only together with sort=top."
            ),
            (
                "search?q=a&sort=time&window=day",
                "invalidParameter window conflict A span of time can be given only together with sort=top."
            ),
            (
                "search?q=a&sort=top&window=hour",
                #"invalidParameter window "window" is not one of the allowed words. 5 day,week,month,year,all"#
            ),
            (
                "search?q=a&window=hour",
                #"invalidParameter window "window" is not one of the allowed words. 5 day,week,month,year,all"#
            ),
            ("search?q=a&limit=501", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            (
                "search?q=a&limit=0&page=0",
                #"invalidParameter page "page" is not a number between 1 and 10000. 1 1…10000"#
            ),
            (
                "search?q=a&limit=0&explicit=x",
                #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#
            ),
            (
                "search?q=a&explicit=x",
                #"invalidParameter explicit "explicit" is not one of the allowed words. 6 yes,no,true,false,1,0"#
            ),
            (
                "search?q=a&client_id=x",
                #"""
                unknownParameter client_id This route has no parameter "client_id". 13 q,query,q_all,q_any,q_exa\#
                ctly,q_not,q_type,q_size_px,sort,window,page,limit,explicit
                """#
            ),
            ("search?q=", #"invalidParameter q "q" is empty."#),
            ("search?q_all=%07", #"invalidParameter q_all "q_all" contains a control character."#),
            (
                "search?sort=x",
                "missingParameter q A search needs one of: q, q_all, q_any, q_exactly, q_not, q_type, q_size_px."
            ),
            (
                "search?limit=0",
                "missingParameter q A search needs one of: q, q_all, q_any, q_exactly, q_not, q_type, q_size_px."
            ),
            (
                "search?explicit=no",
                "missingParameter q A search needs one of: q, q_all, q_any, q_exactly, q_not, q_type, q_size_px."
            ),
            (
                "search?q=a&query=b&q_all=c",
                #"invalidParameter query conflict "query" is another name of "q": give one of them."#
            ),
            (
                "search?q_all=a&q_type=x",
                #"invalidParameter q_type "q_type" is not one of the allowed words. 5 jpg,png,gif,anigif,album"#
            ),
            (
                "search?q=a&sort=x&window=x&page=x",
                #"invalidParameter sort "sort" is not one of the allowed words. 6 time,viral,top,relevance,name,date"#
            ),
            (
                "search?q=a&sort=x&q_not=b",
                #"invalidParameter q conflict Imgur ignores "q" if "q_not" is given: use "q_all" instead."#
            ),
            (
                "search?q=a&section=top",
                #"""
                unknownParameter section This route has no parameter "section". 13 q,query,q_all,q_any,q_exactly\#
                ,q_not,q_type,q_size_px,sort,window,page,limit,explicit
                """#
            ),
            (
                "search?query=a&q_type=png",
                #"invalidParameter q conflict Imgur ignores "q" if "q_type" is given: use "q_all" instead."#
            ),
            ("search?q=a&sort=top&sort=time", #"repeatedParameter sort "sort" is given more than once."#),
            (
                "search?q=a&q_not=b&q_any=c",
                #"invalidParameter q conflict Imgur ignores "q" if "q_any" is given: use "q_all" instead."#
            ),
            (
                "search?q=" + String(repeating: "a", count: 1001),
                #"invalidParameter q "q" is longer than 1000 characters."#
            ),
            (
                "gallery?section=best",
                #"invalidParameter section "section" is not one of the allowed words. 3 hot,top,user"#
            ),
            (
                "gallery?sort=rising",
                #"""
                invalidParameter sort conflict "sort" is not one of the allowed words. 6 viral,top,time,relevanc\#
                e,name,date
                """#
            ),
            (
                "gallery?section=top&sort=rising",
                #"""
                invalidParameter sort conflict "sort" is not one of the allowed words. 6 viral,top,time,relevanc\#
                e,name,date
                """#
            ),
            (
                "gallery?window=day",
                "invalidParameter window conflict A span of time can be given only together with section=top."
            ),
            (
                "gallery?section=user&window=day",
                "invalidParameter window conflict A span of time can be given only together with section=top."
            ),
            (
                "gallery?section=user&sort=top&window=day",
                "invalidParameter window conflict A span of time can be given only together with section=top."
            ),
            (
                "gallery?mature=2",
                #"invalidParameter mature "mature" is not one of the allowed words. 6 yes,no,true,false,1,0"#
            ),
            (
                "gallery?showViral=x",
                #"invalidParameter showViral "showViral" is not one of the allowed words. 6 yes,no,true,false,1,0"#
            ),
            (
                "gallery?q=a",
                #"""
                unknownParameter q This route has no parameter "q". 8 section,showViral,mature,sort,window,page,\#
                limit,explicit
                """#
            ),
            (
                "gallery?section=x&showViral=y",
                #"invalidParameter section "section" is not one of the allowed words. 3 hot,top,user"#
            ),
            (
                "gallery?showViral=x&mature=y",
                #"invalidParameter showViral "showViral" is not one of the allowed words. 6 yes,no,true,false,1,0"#
            ),
            (
                "gallery?mature=x&sort=y",
                #"invalidParameter mature "mature" is not one of the allowed words. 6 yes,no,true,false,1,0"#
            ),
            (
                "gallery?sort=price",
                #"invalidParameter sort "sort" is not one of the allowed words. 6 viral,top,time,relevance,name,date"#
            ),
            ("gallery?page=0", #"invalidParameter page "page" is not a number between 1 and 10000. 1 1…10000"#),
            (
                "gallery?section=top&window=x",
                #"invalidParameter window "window" is not one of the allowed words. 5 day,week,month,year,all"#
            ),
            ("gallery?section=", #"invalidParameter section "section" is empty."#),
            ("gallery?limit=x", #"invalidParameter limit "limit" is not a number between 1 and 500. 1 1…500"#),
            ("tag/a b", #"invalidParameter tag A tag has letters, digits, "_" and "-" only."#),
            ("tag/..", #"invalidParameter tag A tag has letters, digits, "_" and "-" only."#),
            ("tag/a.b", #"invalidParameter tag A tag has letters, digits, "_" and "-" only."#),
            (
                "tag/" + String(repeating: "a", count: 101),
                #"invalidParameter tag A tag has letters, digits, "_" and "-" only."#
            ),
            (
                "tag/a?sort=rising",
                #"invalidParameter sort "sort" is not one of the allowed words. 6 viral,top,time,relevance,name,date"#
            ),
            (
                "tag/a?sort=x",
                #"invalidParameter sort "sort" is not one of the allowed words. 6 viral,top,time,relevance,name,date"#
            ),
            (
                "tag/a?window=day",
                "invalidParameter window conflict A span of time can be given only together with sort=top."
            ),
            (
                "tag/a?sort=viral&window=week",
                "invalidParameter window conflict A span of time can be given only together with sort=top."
            ),
            ("tag/a b?sort=x", #"invalidParameter tag A tag has letters, digits, "_" and "-" only."#),
            (
                "tag/a?section=top",
                #"unknownParameter section This route has no parameter "section". 5 sort,window,page,limit,explicit"#
            ),
            ("r/a.b", #"invalidParameter subreddit A subreddit has letters, digits, "_" and "-" only."#),
            (
                "r/pics?sort=viral",
                #"invalidParameter sort "sort" is not one of the allowed words. 5 time,top,relevance,name,date"#
            ),
            (
                "r/pics?sort=rising",
                #"invalidParameter sort "sort" is not one of the allowed words. 5 time,top,relevance,name,date"#
            ),
            (
                "r/pics?window=day",
                "invalidParameter window conflict A span of time can be given only together with sort=top."
            ),
            (
                "r/pics?sort=top&window=x",
                #"invalidParameter window "window" is not one of the allowed words. 5 day,week,month,year,all"#
            ),
            ("r/pics?q=a", #"unknownParameter q This route has no parameter "q". 5 sort,window,page,limit,explicit"#),
            ("r/a+b", #"invalidParameter subreddit A subreddit has letters, digits, "_" and "-" only."#),
            ("r/a%25", #"invalidParameter subreddit A subreddit has letters, digits, "_" and "-" only."#),
            ("image/a-b", "invalidParameter id Imgur's ids have letters and digits only, as in image/mOqejNf."),
            (
                "image/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "invalidParameter id Imgur's ids have letters and digits only, as in image/mOqejNf."
            ),
            ("image/é", "invalidParameter id Imgur's ids have letters and digits only, as in image/mOqejNf."),
            ("image/a?x=1", #"unknownParameter x This route has no parameter "x"."#),
            ("image/a-b?x=1", #"unknownParameter x This route has no parameter "x"."#),
            ("image/..", "invalidParameter id Imgur's ids have letters and digits only, as in image/mOqejNf."),
            ("album/HtAOg?page=1", #"unknownParameter page This route has no parameter "page"."#),
            ("album/a_b", "invalidParameter id Imgur's ids have letters and digits only, as in album/mOqejNf."),
            ("tags?page=1", #"unknownParameter page This route has no parameter "page"."#),
            ("credits?x=1", #"unknownParameter x This route has no parameter "x"."#),
            ("search/x", "noSuchRoute - There is no route /v1/imgur/search/x. /openapi.json lists all routes."),
            ("tag", "noSuchRoute - There is no route /v1/imgur/tag. /openapi.json lists all routes."),
            ("image", "noSuchRoute - There is no route /v1/imgur/image. /openapi.json lists all routes."),
            ("upload", "noSuchRoute - There is no route /v1/imgur/upload. /openapi.json lists all routes."),
            ("r", "noSuchRoute - There is no route /v1/imgur/r. /openapi.json lists all routes."),
            ("r/a/b", "noSuchRoute - There is no route /v1/imgur/r/a/b. /openapi.json lists all routes."),
            ("tags/x", "noSuchRoute - There is no route /v1/imgur/tags/x. /openapi.json lists all routes."),
            ("gallery/hot", "noSuchRoute - There is no route /v1/imgur/gallery/hot. /openapi.json lists all routes."),
            ("account/me", "noSuchRoute - There is no route /v1/imgur/account/me. /openapi.json lists all routes."),
        ] as [(String, String)])
    func anErrorIsToldSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }
}
