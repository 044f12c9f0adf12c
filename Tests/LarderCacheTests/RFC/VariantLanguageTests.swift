// Selection of variants by their language.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderCache

@Suite struct VariantLanguageTests {
    private func request(_ language: String, _ others: HeaderFields = [:]) -> HeaderFields {
        var fields = others
        fields.set("Accept-Language", language)
        return fields
    }

    private func url(
        _ variants: [(asked: String, tag: String?)], vary: [String] = ["Accept-Language"], others: HeaderFields = [:]
    ) -> Variants {
        variants.reduce(Variants()) { url, variant in
            url.with(variant.asked, vary, request(variant.asked, others), language: variant.tag)
        }
    }

    @Test func theVariantInTheBestLanguageIsFound() {
        let url = url([("de", "de"), ("en", "en")])
        #expect(url.inBestLanguage(request("de-DE;q=0.3, de, en;q=0.5")) == ["de"])
        #expect(url.inBestLanguage(request("fr;q=0.1, EN")) == ["en"])
        for none in ["de, en", "fr, de;q=0.9", "de-AT, de;q=0.9", "*"] {
            #expect(url.inBestLanguage(request(none)) == [], "\(none)")
        }
    }

    @Test func theVeryTagComesBeforeWhatIsMoreOfIt() {
        let url = url([("x", "de"), ("y", "de-AT"), ("z", "de-CH")])
        #expect(url.inBestLanguage(request("de")) == ["x", "z", "y"])
        #expect(url.inBestLanguage(request("de-AT")) == ["y"])
    }

    @Test func otherSelectingFieldsMustBeTheSame() {
        let vary = ["Accept-Encoding", "Accept-Language"]
        let url = url([("de", "de")], vary: vary, others: ["Accept-Encoding": "gzip"])
        #expect(url.inBestLanguage(request("de, fr;q=0.5", ["Accept-Encoding": "gzip"])) == ["de"])
        #expect(url.inBestLanguage(request("de, fr;q=0.5", ["Accept-Encoding": "identity"])) == [])
        #expect(url.inBestLanguage(request("de, fr;q=0.5")) == [])
    }

    @Test func aLanguageCountsOnlyWhereItWasNegotiated() {
        #expect(url([("de", "de")], vary: ["X-Who"]).inBestLanguage(request("de")) == [])
        #expect(url([("de", nil)]).inBestLanguage(request("de, fr;q=0.5")) == [])
        #expect(url([("de", "de, en")]).inBestLanguage(request("de, fr;q=0.5")) == [])
    }

    @Test func oneInDoubtIsNotFound() {
        var url = url([("de", "de")])
        url.missing = 9
        #expect(url.inBestLanguage(request("de, fr;q=0.5")) == [])
    }
}
