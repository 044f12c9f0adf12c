// Which URLs an unsafe request invalidates (RFC 9111 §4.4).
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct InvalidationTests {
    static let own = "http://h.test/a/b?q"

    func others(_ url: String = own, _ fields: HeaderFields) -> [String] {
        Invalidation.others(requestURL: url, fields: fields).map(\.text)
    }

    @Test func onlyUnsafeMethodsWithoutErrorInvalidate() {
        for method in [Method.post, .put, .delete, .patch, Method("PURGE"), Method("get"), Method("M-SEARCH")] {
            #expect(Invalidation.isDue(method: method, status: 200))
        }
        for method in [Method.get, .head, .options, .trace, .query] + ["PROPFIND", "REPORT", "SEARCH"].map(Method.init)
        {
            #expect(!Invalidation.isDue(method: method, status: 200))
        }
        for status in [200, 201, 204, 301, 303, 399] { #expect(Invalidation.isDue(method: .post, status: status)) }
        for status in [100, 199, 400, 404, 500, 503] { #expect(!Invalidation.isDue(method: .post, status: status)) }
    }

    @Test(
        arguments: [
            ("/x", "http://h.test/x"), ("x", "http://h.test/a/x"), ("../x?y#z", "http://h.test/x?y"),
            ("?z", "http://h.test/a/b?z"), ("./", "http://h.test/a/"), ("../../..", "http://h.test/"),
            ("//H.test:80/x", "http://h.test/x"), ("HTTP://H.TEST:80", "http://h.test/"),
            ("http://h.test/a/./c/../d", "http://h.test/a/d"), ("/%7Ex", "http://h.test/%7Ex"), ("#f", nil), ("", nil),
            ("https://h.test/x", nil), ("http://h.test:81/x", nil), ("http://other.test/x", nil),
            ("//other.test/x", nil),
            ("http://u@h.test/x", nil), ("mailto:a@h.test", nil), ("http:///x", nil), ("a b", nil), ("/\u{E9}", nil),
        ] as [(String, String?)])
    func placesOfTheSameOriginGoAlong(_ reference: String, _ expected: String?) {
        let wanted = expected.map { [$0] } ?? []
        #expect(others(Self.own, ["Location": reference]) == wanted)
        #expect(others(Self.own, ["content-location": reference]) == wanted)
    }

    @Test func eachPlaceComesOnceInOneSpelling() {
        #expect(
            others("HTTPS://H.test:443/x#f", ["Location": "/x", "Content-Location": "/y"]) == ["https://h.test/y"])
        #expect(others("http://[::1]:8080/x", ["Location": "/y", "Content-Location": "/y"]) == ["http://[::1]:8080/y"])
        #expect(others("/x", ["Location": "/y"]) == [])
    }
}
