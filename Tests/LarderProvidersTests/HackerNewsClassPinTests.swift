// What answers of Hacker News are taken for, exactly as it is told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsClassPinTests {
    private let pins = ProviderPins(SpecProvider(.hackerNews))

    @Test(
        arguments: [
            (200, "item", "null", "notFound"),
            (200, "item", #"{"id":1}"#, "data"),
            (200, "item", "[]", #"broken("The answer has no record of items.")"#),
            (200, "item", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (200, "item", "", #"broken("The answer is empty instead of JSON.")"#),
            (200, "item", "42", #"broken("The answer has no record of items.")"#),
            (200, "item", #"{"id":"x"}"#, #"broken("The record has no id.")"#),
            (200, "item", #"{"error":"Permission denied"}"#, #"broken("The record has no id.")"#),
            (200, "item", #"{"id":1,"error":"x"}"#, "data"),
            (200, "user", " null", "notFound"),
            (200, "user", #"{"id":1}"#, #"broken("The record has no id.")"#),
            (200, "user", #"{"id":"jl"}"#, "data"),
            (200, "user", #"{"id":""}"#, #"broken("The record has no id.")"#),
            (200, "user", #""x""#, #"broken("The answer has no record of users.")"#),
            (200, "user", #"{"message":"m"}"#, #"broken("The record has no id.")"#),
            (200, "top", "[1,2]", "data"),
            (200, "top", "[]", "empty"),
            (200, "top", "null", #"broken("The answer has no list of ids.")"#),
            (200, "top", #"[{"id":1}]"#, #"broken("The answer\'s list has no ids.")"#),
            (200, "top", #"[1,"x"]"#, "data"),
            (200, "top", #"["x"]"#, #"broken("The answer\'s list has no ids.")"#),
            (200, "top", "{}", #"broken("The answer has no list of ids.")"#),
            (200, "top", #"{"error":"x"}"#, #"broken("The answer has no list of ids.")"#),
            (200, "top", "[null]", #"broken("The answer\'s list has no ids.")"#),
            (200, "top", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (200, "job", "[]", "empty"),
            (200, "job", "[5]", "data"),
            (200, "search", #"{"hits":[]}"#, "empty"),
            (200, "search", #"{"hits":[1]}"#, #"broken("The answer\'s list has no hits.")"#),
            (200, "search", #"{"hits":[{}]}"#, "data"),
            (200, "search", #"{"nbHits":0}"#, #"broken("The answer has no list of hits.")"#),
            (200, "search", "[]", #"broken("The answer has no list of hits.")"#),
            (200, "search", #"{"hits":{}}"#, #"broken("The answer has no list of hits.")"#),
            (200, "search", #"{"hits":[1,{}]}"#, "data"),
            (200, "search", #"{"hits":[],"message":"m  n"}"#, #"invalidRequest("m n")"#),
            (200, "search", #"{"hits":[{}],"error":"e"}"#, #"invalidRequest("e")"#),
            (200, "search", #"{"message":"x"}"#, #"broken("The answer has no list of hits.")"#),
            (200, "search", #"{"hits":[1],"message":"m"}"#, #"invalidRequest("m")"#),
            (200, "search", #"{"hits":[],"message":7}"#, "empty"),
            (
                200,
                "recent",
                #"{"hits":[],"nbHits":0,"message":"you can only fetch the 1000 hits"}"#,
                #"invalidRequest("you can only fetch the 1000 hits")"#
            ),
            (200, "recent", #"{"hits":[]}"#, "empty"),
            (200, "other", "12345", "data"),
            (200, "other", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
            (200, "other", "null", "data"),
            (200, "other", "", #"broken("The answer is empty instead of JSON.")"#),
            (200, "other", #"{"error":"x"}"#, "data"),
            (200, "other", "[]", "data"),
            (401, "top", #"{"error":"Permission  denied"}"#, #"invalidRequest("Permission denied")"#),
            (401, "top", #"{"message":"m"}"#, #"invalidRequest("m")"#),
            (401, "top", "{}", #"refused("Hacker News answered 401.")"#),
            (401, "top", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "top", #"{"error":"Permission denied"}"#, #"invalidRequest("Permission denied")"#),
            (403, "top", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "top", "null", #"refused("Hacker News answered 403.")"#),
            (404, "top", "Not Found", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (
                404,
                "top",
                #"{"error":"404 Not Found"}"#,
                #"broken("Hacker News answered 404, but not in the form of this API.")"#
            ),
            (404, "top", #"{"message":"m"}"#, #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "top", #"{"error":7}"#, #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "top", "{}", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "top", "null", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "top", "", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (
                410, "top", #"{"error":"gone"}"#,
                #"broken("Hacker News answered 410, but not in the form of this API.")"#
            ),
            (429, "top", "", "limited(until: nil)"),
            (429, "top", #"{"message":"slow"}"#, "limited(until: nil)"),
            (
                400,
                "top",
                #"{"code":400,"message":"invalid numeric attribute"}"#,
                #"invalidRequest("invalid numeric attribute")"#
            ),
            (400, "top", "[]", #"invalidRequest("Hacker News answered 400.")"#),
            (400, "top", "x", #"invalidRequest("The answer is not valid JSON: an unexpected byte at byte 0.")"#),
            (
                500,
                "top",
                #"""
                {"error":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}
                """#,
                #"""
                broken("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeee…")
                """#
            ),
            (500, "top", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "top", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "top", "{}", #"broken("Hacker News answered 503.")"#),
            (401, "item", #"{"error":"Permission  denied"}"#, #"invalidRequest("Permission denied")"#),
            (401, "item", #"{"message":"m"}"#, #"invalidRequest("m")"#),
            (401, "item", "{}", #"refused("Hacker News answered 401.")"#),
            (401, "item", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "item", #"{"error":"Permission denied"}"#, #"invalidRequest("Permission denied")"#),
            (403, "item", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "item", "null", #"refused("Hacker News answered 403.")"#),
            (404, "item", "Not Found", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (
                404,
                "item",
                #"{"error":"404 Not Found"}"#,
                #"broken("Hacker News answered 404, but not in the form of this API.")"#
            ),
            (
                404, "item", #"{"message":"m"}"#,
                #"broken("Hacker News answered 404, but not in the form of this API.")"#
            ),
            (404, "item", #"{"error":7}"#, #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "item", "{}", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "item", "null", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "item", "", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (
                410, "item", #"{"error":"gone"}"#,
                #"broken("Hacker News answered 410, but not in the form of this API.")"#
            ),
            (429, "item", "", "limited(until: nil)"),
            (429, "item", #"{"message":"slow"}"#, "limited(until: nil)"),
            (
                400,
                "item",
                #"{"code":400,"message":"invalid numeric attribute"}"#,
                #"invalidRequest("invalid numeric attribute")"#
            ),
            (400, "item", "[]", #"invalidRequest("Hacker News answered 400.")"#),
            (400, "item", "x", #"invalidRequest("The answer is not valid JSON: an unexpected byte at byte 0.")"#),
            (
                500,
                "item",
                #"""
                {"error":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}
                """#,
                #"""
                broken("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeee…")
                """#
            ),
            (500, "item", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "item", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "item", "{}", #"broken("Hacker News answered 503.")"#),
            (401, "search", #"{"error":"Permission  denied"}"#, #"invalidRequest("Permission denied")"#),
            (401, "search", #"{"message":"m"}"#, #"invalidRequest("m")"#),
            (401, "search", "{}", #"refused("Hacker News answered 401.")"#),
            (401, "search", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "search", #"{"error":"Permission denied"}"#, #"invalidRequest("Permission denied")"#),
            (403, "search", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "search", "null", #"refused("Hacker News answered 403.")"#),
            (404, "search", "Not Found", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (
                404,
                "search",
                #"{"error":"404 Not Found"}"#,
                #"broken("Hacker News answered 404, but not in the form of this API.")"#
            ),
            (
                404, "search", #"{"message":"m"}"#,
                #"broken("Hacker News answered 404, but not in the form of this API.")"#
            ),
            (404, "search", #"{"error":7}"#, #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "search", "{}", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "search", "null", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "search", "", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (
                410, "search", #"{"error":"gone"}"#,
                #"broken("Hacker News answered 410, but not in the form of this API.")"#
            ),
            (429, "search", "", "limited(until: nil)"),
            (429, "search", #"{"message":"slow"}"#, "limited(until: nil)"),
            (
                400,
                "search",
                #"{"code":400,"message":"invalid numeric attribute"}"#,
                #"invalidRequest("invalid numeric attribute")"#
            ),
            (400, "search", "[]", #"invalidRequest("Hacker News answered 400.")"#),
            (400, "search", "x", #"invalidRequest("The answer is not valid JSON: an unexpected byte at byte 0.")"#),
            (
                500,
                "search",
                #"""
                {"error":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}
                """#,
                #"""
                broken("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeee…")
                """#
            ),
            (500, "search", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "search", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "search", "{}", #"broken("Hacker News answered 503.")"#),
            (401, "other", #"{"error":"Permission  denied"}"#, #"invalidRequest("Permission denied")"#),
            (401, "other", #"{"message":"m"}"#, #"invalidRequest("m")"#),
            (401, "other", "{}", #"refused("Hacker News answered 401.")"#),
            (401, "other", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "other", #"{"error":"Permission denied"}"#, #"invalidRequest("Permission denied")"#),
            (403, "other", "<html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
            (403, "other", "null", #"refused("Hacker News answered 403.")"#),
            (404, "other", "Not Found", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "other", #"{"error":"404 Not Found"}"#, "notFound"),
            (404, "other", #"{"message":"m"}"#, "notFound"),
            (404, "other", #"{"error":7}"#, #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "other", "{}", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "other", "null", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (404, "other", "", #"broken("Hacker News answered 404, but not in the form of this API.")"#),
            (410, "other", #"{"error":"gone"}"#, "notFound"),
            (429, "other", "", "limited(until: nil)"),
            (429, "other", #"{"message":"slow"}"#, "limited(until: nil)"),
            (
                400,
                "other",
                #"{"code":400,"message":"invalid numeric attribute"}"#,
                #"invalidRequest("invalid numeric attribute")"#
            ),
            (400, "other", "[]", #"invalidRequest("Hacker News answered 400.")"#),
            (400, "other", "x", #"invalidRequest("The answer is not valid JSON: an unexpected byte at byte 0.")"#),
            (
                500,
                "other",
                #"""
                {"error":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}
                """#,
                #"""
                broken("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\#
                eeeeeeeeeeeeeeeeeee…")
                """#
            ),
            (500, "other", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "other", "", #"broken("The answer is empty instead of JSON.")"#),
            (503, "other", "{}", #"broken("Hacker News answered 503.")"#),
            (204, "item", "", #"broken("The answer is empty instead of JSON.")"#),
            (301, "item", "{}", #"broken("Hacker News answered 301.")"#),
            (402, "top", #"{"error":"e","message":"m"}"#, #"invalidRequest("e")"#),
            (201, "item", #"{"id":1}"#, #"broken("Hacker News answered 201.")"#),
            (201, "other", #"{"id":1}"#, #"broken("Hacker News answered 201.")"#),
        ] as [(Int, String, String, String)])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ told: String) {
        #expect(pins.judgement(status, endpoint, body) == told)
    }

    @Test(
        arguments: [
            (
                429,
                "search",
                "{}",
                ["Retry-After", "60"],
                "limited(until: Optional(LarderCore.WallTime(milliseconds: 1060000)))"
            ),
            (503, "search", "{}", ["Retry-After", "60"], #"broken("Hacker News answered 503.")"#),
        ] as [(Int, String, String, [String], String)])
    func anAnswerIsJudgedByItsFieldsSo(
        _ status: Int, _ endpoint: String, _ body: String, _ fields: [String], _ told: String
    ) {
        #expect(pins.judgement(status, endpoint, body, fields) == told)
    }

    @Test(
        arguments: [
            ("item", "/v0/item/8863.json", #"{"id":8863}"#, "true"),
            ("item", "/v0/item/8863.json", #"{"id":8864}"#, "false"),
            ("item", "/v0/item/8863.json", #"{"id":"8863"}"#, "false"),
            ("item", "/v0/item/8863.json", "null", "false"),
            ("user", "/v0/user/jl.json", #"{"id":"jl"}"#, "true"),
            ("user", "/v0/user/jl.json", #"{"id":"JL"}"#, "false"),
            ("user", "/v0/user/jl.json", "{}", "false"),
            ("item", "/v0/item/x.json", #"{"id":1}"#, "-"),
            ("top", "/v0/topstories.json", "[1]", "-"),
            ("search", "/api/v1/search", "{}", "-"),
            ("other", "/v0/maxitem.json", "1", "-"),
        ] as [(String, String, String, String)])
    func aRecordIsCheckedSo(_ endpoint: String, _ target: String, _ body: String, _ told: String) {
        #expect(pins.check(endpoint, target, body) == told)
    }

    @Test(
        arguments: [
            ("item", #"{"id":1,"time":1799999990}"#, "usual"),
            ("item", #"{"id":1,"time":1700000000}"#, "86400.0 seconds"),
            ("item", #"{"id":1,"time":0}"#, "86400.0 seconds"),
            ("item", #"{"id":1,"time":-1}"#, "usual"),
            ("item", #"{"id":1,"time":9223372036854775807}"#, "usual"),
            ("item", #"{"id":1,"time":"x"}"#, "usual"),
            ("item", #"{"id":1,"time":1798790400}"#, "usual"),
            ("item", #"{"id":1,"time":1798790399}"#, "86400.0 seconds"),
            ("item", #"{"id":1,"time":null}"#, "usual"),
            ("item", #"{"id":1,"time":1.5}"#, "usual"),
            ("item", "x", "usual"),
            ("item", "{}", "usual"),
            ("top", "[1]", "-"),
            ("user", #"{"id":"a","time":1}"#, "-"),
            ("search", "{}", "-"),
            ("other", "{}", "-"),
        ] as [(String, String, String)])
    func anAnswerLivesSo(_ endpoint: String, _ body: String, _ told: String) {
        #expect(pins.lifetime(endpoint, body) == told)
    }
}
