// What answers of Imgur are taken for, exactly as it is told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurClassPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            (200, "search", "<html>Please wait</html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (200, "other", "<html>Please wait</html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (404, "tag", "<html>Not found</html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (404, "other", "<html>Not found</html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (429, "tag", "<html>Too many</html>", "limited(until: nil)"),
            (503, "tag", "<?xml?><error>Varnish</error>", #"broken("Imgur answered 503.")"#),
            (500, "tag", "", #"broken("Imgur answered 500.")"#),
            (200, "tag", "", #"broken("The answer is empty instead of JSON.")"#),
            (200, "other", "", "data"),
            (204, "other", "", "data"),
            (204, "other", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (404, "image", "", #"broken("The answer is empty instead of JSON.")"#),
            (410, "image", "<html>Gone</html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (
                404,
                "search",
                #"{"error":404,"path":"/3"}"#,
                #"broken("Imgur answered 404, but not in the form of this API.")"#
            ),
            (
                404, "tag", #"{"error":404,"path":"/3"}"#,
                #"broken("Imgur answered 404, but not in the form of this API.")"#
            ),
            (
                404,
                "image",
                #"{"error":404,"path":"/3"}"#,
                #"broken("Imgur answered 404, but not in the form of this API.")"#
            ),
            (
                404,
                "other",
                #"{"error":404,"path":"/3"}"#,
                #"broken("Imgur answered 404, but not in the form of this API.")"#
            ),
            (404, "search", "[]", #"broken("Imgur answered 404, but not in the form of this API.")"#),
            (404, "image", "[]", #"broken("Imgur answered 404, but not in the form of this API.")"#),
            (404, "search", "{}", #"broken("Imgur answered 404, but not in the form of this API.")"#),
            (404, "image", "{}", #"broken("Imgur answered 404, but not in the form of this API.")"#),
            (
                403,
                "tag",
                "<html>Imgur is temporarily Over Capacity</html>",
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 4600000)))"
            ),
            (
                403,
                "tag",
                "<html>Forbidden</html>",
                #"""
                refused("Imgur refuses the request (Imgur answered 403.). The client id may be blocked, as ids o\#
                f programs often are.")
                """#
            ),
            (
                403,
                "tag",
                "é banned country attempt",
                #"refused("Imgur does not serve this country or network (Banned Country Attempt).")"#
            ),
            (
                403,
                "tag",
                "Banned Country Attempt",
                #"refused("Imgur does not serve this country or network (Banned Country Attempt).")"#
            ),
            (
                200,
                "tag",
                #"{"data":[{"id":"a"#,
                #"broken("The answer is not valid JSON: the text ends too early at byte 17.")"#
            ),
            (
                401,
                "tag",
                "",
                #"""
                refused("Imgur refuses the request (Imgur answered 401.). The client id may be blocked, as ids o\#
                f programs often are.")
                """#
            ),
            (400, "tag", "x", #"invalidRequest("Imgur answered 400.")"#),
            (
                429,
                "tag",
                #"{"errors":[{"id":"x","code":"429","status":"Too Many Requests","detail":"Too Many  Requests"}]}"#,
                "limited(until: nil)"
            ),
            (200, "tag", #"{"errors":[{"id":"x","code":"429","status":"Too Many Requests"}]}"#, "limited(until: nil)"),
            (
                401,
                "tag",
                #"{"errors":[{"id":"x","code":"401","detail":"Unauthorized"}]}"#,
                #"""
                refused("Imgur refuses the request (Unauthorized). The client id may be blocked, as ids of progr\#
                ams often are.")
                """#
            ),
            (
                404,
                "search",
                #"{"errors":[{"id":"x","code":"404","detail":"Not found"}]}"#,
                #"broken("Imgur answered 404 for a list that exists.")"#
            ),
            (404, "tag", #"{"errors":[{"id":"x","code":"404","detail":"Not found"}]}"#, "notFound"),
            (404, "image", #"{"errors":[{"id":"x","code":"404","detail":"Not found"}]}"#, "notFound"),
            (404, "other", #"{"errors":[{"id":"x","code":"404","detail":"Not found"}]}"#, "notFound"),
            (500, "tag", #"{"errors":[]}"#, #"broken("Imgur answered 500.")"#),
            (200, "tag", #"{"errors":[]}"#, #"broken("The answer has no data.")"#),
            (200, "tag", #"{"errors":["x"]}"#, #"broken("Imgur answered 500.")"#),
            (404, "tag", #"{"errors":["x"]}"#, #"broken("Imgur answered 404, but not in the form of this API.")"#),
            (200, "tag", #"{"errors":[{"title":"t","status":503}]}"#, #"broken("t")"#),
            (200, "tag", #"{"errors":[{}],"data":[]}"#, "empty"),
            (400, "tag", #"{"errors":[{"code":"404"}]}"#, "notFound"),
            (418, "tag", #"{"errors":[{"code":"999"}]}"#, #"invalidRequest("Imgur answered 418.")"#),
            (
                429,
                "tag",
                #"""
                {"data":{"error":{"code":2008,"message":"Too fast! Try again in 27 seconds","exception":{"wait":\#
                27}}},"success":false,"status":429}
                """#,
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1027000)))"
            ),
            (
                429,
                "other",
                #"""
                {"data":{"error":{"code":2008,"message":"Too fast! Try again in 27 seconds","exception":{"wait":\#
                27}}},"success":false,"status":429}
                """#,
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1027000)))"
            ),
            (
                400,
                "tag",
                #"""
                {"data":{"error":{"code":429,"message":"You are uploading too fast. Please wait 59 more minutes.\#
                "}},"success":false,"status":400}
                """#,
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 4540000)))"
            ),
            (
                400,
                "tag",
                #"{"data":{"error":{"code":1003,"message":"File type  invalid"}},"success":false}"#,
                #"invalidRequest("File type invalid")"#
            ),
            (400, "tag", #"{"data":{"error":{"type":"T"}},"success":false}"#, #"invalidRequest("T")"#),
            (200, "tag", #"{"data":{"error":{"type":"T"}}}"#, #"broken("T")"#),
            (400, "tag", #"{"data":{"error":{}}}"#, #"invalidRequest("Imgur answered 400.")"#),
            (
                429,
                "tag",
                #"{"data":{"error":"Try again in 2 hours"}}"#,
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 8200000)))"
            ),
            (
                429,
                "tag",
                #"{"data":{"error":{"exception":{"wait":-5}}}}"#,
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1000000)))"
            ),
            (
                403,
                "tag",
                #"{"data":{"error":"Invalid client_id"},"success":false,"status":403}"#,
                #"""
                refused("Imgur refuses the client id (Invalid client_id). Imgur often blocks the ids of programs\#
                , and gives out no new ones.")
                """#
            ),
            (
                403,
                "tag",
                #"{"data":{"error":"Imgur is temporarily over capacity. Please try again later."},"success":false}"#,
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 4600000)))"
            ),
            (
                400,
                "tag",
                #"{"data":{"error":"Banned Country Attempt"},"success":false,"status":400}"#,
                #"refused("Imgur does not serve this country or network (Banned Country Attempt).")"#
            ),
            (
                404,
                "search",
                #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#,
                #"broken("Imgur answered 404 for a list that exists.")"#
            ),
            (404, "tag", #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#, "notFound"),
            (404, "image", #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#, "notFound"),
            (404, "other", #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#, "notFound"),
            (404, "album", #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#, "notFound"),
            (
                404,
                "gallery",
                #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#,
                #"broken("Imgur answered 404 for a list that exists.")"#
            ),
            (
                404,
                "tags",
                #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#,
                #"broken("Imgur answered 404 for a list that exists.")"#
            ),
            (
                404,
                "credits",
                #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#,
                #"broken("Imgur answered 404 for a list that exists.")"#
            ),
            (
                404, "subreddit", #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#,
                "notFound"
            ),
            (
                503,
                "tag",
                #"{"data":{"error":"Imgur is temporarily over capacity"},"success":false,"status":1203}"#,
                #"broken("Imgur is temporarily over capacity")"#
            ),
            (
                401,
                "tag",
                #"{"data":{"error":"The access token provided is invalid."},"success":false,"status":401}"#,
                #"""
                refused("Imgur refuses the account\'s token (The access token provided is invalid.). Sign in aga\#
                in.")
                """#
            ),
            (
                403,
                "tag",
                #"{"data":{"error":"Nope"},"success":false,"status":403}"#,
                #"""
                refused("Imgur refuses the request (Nope). The client id may be blocked, as ids of programs ofte\#
                n are.")
                """#
            ),
            (
                403,
                "tag",
                #"{"success":false}"#,
                #"""
                refused("Imgur refuses the request (Imgur answered 403.). The client id may be blocked, as ids o\#
                f programs often are.")
                """#
            ),
            (
                200,
                "search",
                #"{"data":{"error":"Unable to find"},"success":false,"status":404}"#,
                #"broken("Imgur answered 200 for a list that exists.")"#
            ),
            (200, "image", #"{"data":{"error":"Unable to find"},"success":false,"status":404}"#, "notFound"),
            (200, "other", #"{"data":{"error":"Unable to find"},"success":false,"status":404}"#, "notFound"),
            (
                200,
                "tag",
                #"{"data":{"error":"Invalid client_id"},"success":false,"status":403}"#,
                #"""
                refused("Imgur refuses the client id (Invalid client_id). Imgur often blocks the ids of programs\#
                , and gives out no new ones.")
                """#
            ),
            (200, "tag", #"{"data":{"error":"What?"},"success":false,"status":200}"#, #"broken("What?")"#),
            (200, "other", #"{"data":{"error":"What?"},"success":false,"status":200}"#, #"broken("What?")"#),
            (200, "tag", #"{"data":{"error":"What?"}}"#, #"broken("What?")"#),
        ] as [(Int, String, String, String)])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ told: String) {
        #expect(pins.judgement(status, endpoint, body) == told)
    }

    @Test(
        arguments: [
            (
                503,
                "tag",
                "<html>",
                ["Retry-After", "60"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1060000)))"
            ),
            (
                403,
                "tag",
                "over capacity",
                ["Retry-After", "60"],
                #"""
                refused("Imgur refuses the request (Imgur answered 403.). The client id may be blocked, as ids o\#
                f programs often are.")
                """#
            ),
            (
                429,
                "tag",
                #"{"data":{"error":{"exception":{"wait":999999}}}}"#,
                ["Retry-After", "60"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 87400000)))"
            ),
            (
                503,
                "tag",
                #"{"data":{"error":"x"},"success":false}"#,
                ["Retry-After", "60"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1060000)))"
            ),
            (
                429,
                "tag",
                "",
                ["X-RateLimit-UserRemaining", "0", "X-RateLimit-UserReset", "120"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1120000)))"
            ),
            (
                429,
                "tag",
                "{}",
                ["X-RateLimit-UserRemaining", "0", "X-RateLimit-UserReset", "1300"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 2300000)))"
            ),
            (
                429,
                "tag",
                "",
                ["X-RateLimit-UserRemaining", "5", "X-RateLimit-ClientRemaining", "0"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 4600000)))"
            ),
            (
                429,
                "tag",
                "",
                ["X-RateLimit-UserRemaining", "0", "X-RateLimit-UserReset", "99999999999", "Retry-After", "5"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 87400000)))"
            ),
        ] as [(Int, String, String, [String], String)])
    func anAnswerIsJudgedByItsFieldsSo(
        _ status: Int, _ endpoint: String, _ body: String, _ fields: [String], _ told: String
    ) {
        #expect(pins.judgement(status, endpoint, body, fields) == told)
    }
}
