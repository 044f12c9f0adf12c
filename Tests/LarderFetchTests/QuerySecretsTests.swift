// The secrets of a query in the fields of a response.
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct QuerySecretsTests {
    private let secrets = QuerySecrets("apikey=k%3A1&other=zz9")

    @Test(arguments: [
        ("/a?apikey=k%3A1", "/a"), ("/a?q=1&apikey=k:1", "/a?q=1"), ("/a?apikey=k%3A1&q=1", "/a?q=1"),
        ("/a?q=1&apikey=k%3A1&p=2#x", "/a?q=1&p=2#x"), ("/a?other=zz9&apikey=k%3A1", "/a"),
        (
            #"<https://h/a?p=2&apikey=k%3A1>; rel="next", <https://h/b?apikey=k:1>"#,
            #"<https://h/a?p=2>; rel="next", <https://h/b>"#
        ),
        ("/a?q=1", "/a?q=1"),
    ])
    func aParameterOfAURLIsTakenOut(_ value: String, _ kept: String) {
        let fields: HeaderFields = ["Location": value, "Date": "now"]
        #expect(secrets.removed(from: fields) == ["Location": kept, "Date": "now"])
    }

    @Test(arguments: ["k:1", "your key is k%3A1", "/a?my-apikey=k%3A1", "/a?apikey=k%3A12", "/a/k:1/b", "?x=zz9"])
    func aFieldThatHoldsOneOtherwiseIsRemoved(_ value: String) {
        #expect(secrets.removed(from: ["X-A": value, "X-B": "b"]) == ["X-B": "b"])
    }

    @Test func withoutSecretsNothingChanges() {
        #expect(QuerySecrets(nil).removed(from: ["A": "b"]) == ["A": "b"])
        #expect(QuerySecrets("a=&b").removed(from: ["A": "b"]) == ["A": "b"])
    }
}
