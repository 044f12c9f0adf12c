// What further answers of Imgur are taken for, exactly as it is told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurGoodClassPinTests {
    private let pins = ProviderPins(SpecProvider(.imgur))

    @Test(
        arguments: [
            (200, "image", #"{"data":false,"success":false,"status":404}"#, "notFound"),
            (400, "tag", #"{"data":"Malformed","success":false,"status":400}"#, #"invalidRequest("Malformed")"#),
            (500, "tag", #"{"data":null,"success":false,"status":500}"#, #"broken("Imgur answered 500.")"#),
            (
                404, "tag", #"{"data":"x","status":404}"#,
                #"broken("Imgur answered 404, but not in the form of this API.")"#
            ),
            (
                404,
                "image",
                #"{"data":{"id":"a"},"status":200}"#,
                #"broken("Imgur answered 404, but not in the form of this API.")"#
            ),
            (200, "tag", #"{"data":[],"status":500}"#, #"broken("Imgur answered 500.")"#),
            (200, "tag", #"{"error":"e","success":false}"#, #"broken("e")"#),
            (200, "search", #"{"data":[],"success":true,"status":200}"#, "empty"),
            (
                200, "search", #"{"data":{},"success":true,"status":200}"#,
                #"broken("The answer has no list of posts.")"#
            ),
            (
                200, "search", #"{"data":null,"success":true,"status":200}"#,
                #"broken("The answer has no list of posts.")"#
            ),
            (
                200, "search", #"{"data":[1],"success":true,"status":200}"#,
                #"broken("The answer\'s list has no posts.")"#
            ),
            (200, "search", #"{"data":[{"id":"a"}],"success":true,"status":200}"#, "data"),
            (200, "search", #"{"data":{"items":[]},"success":true,"status":200}"#, "empty"),
            (200, "search", #"{"data":{"galleries":[{}]},"success":true,"status":200}"#, "data"),
            (
                200, "search", #"{"data":"x","success":true,"status":200}"#,
                #"broken("The answer has no list of posts.")"#
            ),
            (200, "gallery", #"{"data":[{"id":"a"}],"success":true,"status":200}"#, "data"),
            (200, "tag", #"{"data":{"name":"funny","items":[]},"success":true,"status":200}"#, "empty"),
            (200, "tag", #"{"data":{"name":"funny","items":[{"id":"a"}]},"success":true,"status":200}"#, "data"),
            (200, "tag", #"{"data":{"items":7,"galleries":[]},"success":true,"status":200}"#, "empty"),
            (200, "subreddit", #"{"data":[],"success":true,"status":200}"#, "empty"),
            (200, "image", #"{"data":{"id":"a"},"success":true,"status":200}"#, "data"),
            (200, "image", #"{"data":[],"success":true,"status":200}"#, #"broken("The record has no id.")"#),
            (200, "image", #"{"data":{"id":7},"success":true,"status":200}"#, #"broken("The record has no id.")"#),
            (200, "image", #"{"data":{},"success":true,"status":200}"#, #"broken("The record has no id.")"#),
            (200, "album", #"{"data":{"id":"HtAOg"},"success":true,"status":200}"#, "data"),
            (200, "album", #"{"data":false,"success":true,"status":200}"#, #"broken("The record has no id.")"#),
            (200, "tags", #"{"data":{"tags":[{"name":"a"}]},"success":true,"status":200}"#, "data"),
            (200, "tags", #"{"data":{"tags":[]},"success":true,"status":200}"#, "empty"),
            (200, "tags", #"{"data":[],"success":true,"status":200}"#, #"broken("The answer has no list of tags.")"#),
            (
                200, "tags", #"{"data":{"tags":[1]},"success":true,"status":200}"#,
                #"broken("The answer\'s list has no tags.")"#
            ),
            (200, "credits", #"{"data":{"ClientRemaining":1},"success":true,"status":200}"#, "data"),
            (200, "credits", #"{"data":1,"success":true,"status":200}"#, #"broken("The answer has no credits.")"#),
            (200, "credits", #"{"data":{"UserRemaining":null},"success":true,"status":200}"#, "data"),
            (
                200,
                "credits",
                #"{"data":{"UserLimit":1},"success":true,"status":200}"#,
                #"broken("The answer has no credits.")"#
            ),
            (200, "other", #"{"data":1,"success":true,"status":200}"#, "data"),
            (200, "other", #"{"data":true,"success":true,"status":200}"#, "data"),
            (200, "other", #"{"data":[],"success":true,"status":200}"#, "data"),
            (200, "search", "{}", #"broken("The answer has no data.")"#),
            (200, "other", "{}", "data"),
            (200, "other", #"{"access_token":"x"}"#, "data"),
            (201, "other", #"{"data":1,"success":true,"status":200}"#, "data"),
            (201, "search", #"{"data":[],"success":true,"status":200}"#, #"broken("Imgur answered 201.")"#),
            (204, "search", "{}", #"broken("Imgur answered 204.")"#),
            (302, "other", "{}", #"broken("Imgur answered 302.")"#),
            (302, "search", "{}", #"broken("Imgur answered 302.")"#),
        ] as [(Int, String, String, String)])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ told: String) {
        #expect(pins.judgement(status, endpoint, body) == told)
    }
}
