// Which POST responses are stored for GET (RFC 9110 §9.3.3).
import LarderCache
import LarderCore
import Testing

@Suite struct PostReuseTests {
    private func isDue(
        _ fields: HeaderFields, method: Method = .post, status: Int = 200, targets: [String] = []
    ) -> Bool {
        PostReuse.isDue(
            method: method, status: status, requestURL: "http://a.example/x?y=1", fields: fields,
            targets: TargetFields(targets))
    }

    @Test(arguments: ["/x?y=1", "http://a.example/x?y=1", "?y=1", "http://A.EXAMPLE:80/x?y=1", ""])
    func anExplicitLifetimeAndItsOwnPlaceAreEnough(_ place: String) {
        #expect(isDue(["Content-Location": place, "Cache-Control": "max-age=60"]))
        #expect(isDue(["Content-Location": place, "Cache-Control": "s-maxage=60"]))
        #expect(isDue(["Content-Location": place, "Expires": "Sun, 30 Jun 2999 23:59:59 GMT"]))
    }

    @Test(arguments: ["/x", "/x?y=2", "https://a.example/x?y=1", "http://b.example/x?y=1"])
    func anotherPlaceIsNot(_ place: String) {
        #expect(!isDue(["Content-Location": place, "Cache-Control": "max-age=60"]))
    }

    @Test func twoPlacesAreNot() {
        var fields: HeaderFields = ["Content-Location": "/x?y=1", "Cache-Control": "max-age=60"]
        fields.add("Content-Location", "/x?y=1")
        #expect(!isDue(fields))
    }

    @Test func aGuessedLifetimeIsNot() {
        #expect(!isDue(["Content-Location": "/x?y=1", "Last-Modified": "Sun, 30 Jun 2024 23:59:59 GMT"]))
    }

    @Test func aTargetedFieldTakesThePlaceOfExpires() {
        let fields: HeaderFields = [
            "Content-Location": "/x?y=1", "CDN-Cache-Control": "public", "Expires": "Sun, 30 Jun 2999 23:59:59 GMT",
        ]
        #expect(!isDue(fields, targets: ["CDN-Cache-Control"]))
    }

    @Test(arguments: [(Method.put, 200), (.get, 200), (.post, 201), (.post, 206), (.post, 303), (.post, 404)])
    func otherMethodsAndStatusesAreNot(_ method: Method, _ status: Int) {
        #expect(!isDue(["Content-Location": "/x?y=1", "Cache-Control": "max-age=60"], method: method, status: status))
    }

    @Test func aCodingThatIsNotKeptApartIsNot() {
        let fields: HeaderFields = ["Content-Location": "/x?y=1", "Cache-Control": "max-age=60"]
        for (coding, isKept) in [("gzip", true), ("br", false), ("gzip, br", false)] {
            var coded = fields
            coded.set("Content-Encoding", coding)
            #expect(isDue(coded) == isKept, "\(coding)")
        }
    }
}
