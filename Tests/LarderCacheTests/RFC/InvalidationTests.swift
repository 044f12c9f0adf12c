// Which URLs an unsafe request makes invalid (RFC 9111 §4.4).
import LarderCache
import LarderCore
import Testing

@Suite struct InvalidationTests {
    static let own = "http://h.test/a/b?q"

    func targets(
        _ method: Method = .post, _ status: Int = 200, _ url: String = own, _ fields: HeaderFields = [:]
    ) -> [String] {
        Invalidation.targets(method: method, status: status, requestURL: url, fields: fields)
    }

    @Test func onlyUnsafeMethodsWithoutErrorInvalidate() {
        for method in [Method.post, .put, .delete, .patch, Method("PURGE"), Method("get")] {
            #expect(targets(method) == [Self.own])
        }
        for method in [Method.get, .head, .options, .trace] { #expect(targets(method) == []) }
        for status in [200, 201, 204, 301, 303, 399] { #expect(targets(.post, status) == [Self.own]) }
        for status in [100, 199, 400, 404, 500, 503] { #expect(targets(.post, status) == []) }
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
        let wanted = [Self.own] + (expected.map { [$0] } ?? [])
        #expect(targets(.post, 201, Self.own, ["Location": reference]) == wanted)
        #expect(targets(.post, 201, Self.own, ["content-location": reference]) == wanted)
        #expect(targets(.post, 404, Self.own, ["Location": reference]) == [])
    }

    @Test func eachTargetComesOnceInOneSpelling() {
        #expect(
            targets(.put, 200, "HTTPS://H.test:443/x#f", ["Location": "/x", "Content-Location": "/y"])
                == ["https://h.test/x", "https://h.test/y"])
        #expect(targets(.put, 200, "http://[::1]:8080/x", ["Location": "/y"]).last == "http://[::1]:8080/y")
        #expect(targets(.put, 200, "/x") == [])
    }
}
