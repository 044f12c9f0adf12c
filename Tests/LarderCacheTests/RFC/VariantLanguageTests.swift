// Selection of variants by their language.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct VariantLanguageTests {
    private let now = WallTime(seconds: 1_000_000)

    private func request(_ language: String, _ others: HeaderFields = [:]) -> HeaderFields {
        var fields = others
        fields.set("Accept-Language", language)
        return fields
    }

    private func index(
        _ variants: [(asked: String, tag: String?)], vary: [String] = ["Accept-Language"], others: HeaderFields = [:]
    ) -> (index: VariantIndex, selections: [Digest]) {
        var index = VariantIndex()
        var selections: [Digest] = []
        for (place, variant) in variants.enumerated() {
            let answer: HeaderFields = variant.tag.map { ["Content-Language": $0] } ?? [:]
            selections.append(
                index.add(
                    vary: vary, requestFields: request(variant.asked, others),
                    receivedAt: now + .seconds(Int64(place)), answerFields: answer, now: now + .seconds(60)
                ).selection)
        }
        return (index, selections)
    }

    @Test func theVariantInTheBestLanguageIsFound() {
        let (index, selections) = index([("de", "de"), ("en", "en")])
        #expect(index.inBestLanguage(for: request("de-DE;q=0.3, de, en;q=0.5")) == [selections[0]])
        #expect(index.inBestLanguage(for: request("fr;q=0.1, EN")) == [selections[1]])
        for none in ["de, en", "fr, de;q=0.9", "de-AT, de;q=0.9", "*"] {
            #expect(index.inBestLanguage(for: request(none)) == [], "\(none)")
        }
    }

    @Test func theVeryTagComesBeforeWhatIsMoreOfIt() {
        let (index, selections) = index([("x", "de"), ("y", "de-AT"), ("z", "de-CH")])
        #expect(index.inBestLanguage(for: request("de")) == [selections[0], selections[2], selections[1]])
        #expect(index.inBestLanguage(for: request("de-AT")) == [selections[1]])
    }

    @Test func otherSelectingFieldsMustBeTheSame() {
        let vary = ["Accept-Encoding", "Accept-Language"]
        let (index, selections) = index([("de", "de")], vary: vary, others: ["Accept-Encoding": "gzip"])
        #expect(index.inBestLanguage(for: request("de, fr;q=0.5", ["Accept-Encoding": "gzip"])) == selections)
        #expect(index.inBestLanguage(for: request("de, fr;q=0.5", ["Accept-Encoding": "identity"])) == [])
        #expect(index.inBestLanguage(for: request("de, fr;q=0.5")) == [])
    }

    @Test func aLanguageCountsOnlyWhereItWasNegotiated() {
        #expect(index([("de", "de")], vary: ["X-Who"]).index.inBestLanguage(for: request("de")) == [])
        #expect(index([("de", nil)]).index.inBestLanguage(for: request("de, fr;q=0.5")) == [])
        #expect(index([("de", "de, en")]).index.inBestLanguage(for: request("de, fr;q=0.5")) == [])
    }

    @Test func oneInDoubtIsNotFound() {
        var (index, _) = index([("de", "de")])
        index.doubt(since: now + .seconds(5), now: now + .seconds(60))
        #expect(index.inBestLanguage(for: request("de, fr;q=0.5")) == [])
    }

    @Test func itIsReadBackAsItWasWritten() {
        var (index, _) = index([("de", "de"), ("en", nil), ("fr", "fr-CA")])
        #expect(VariantIndex(decoding: index.encoded()) == index)
        index.doubt(since: now + .seconds(1), now: now + .seconds(60))
        let bytes = index.encoded()
        #expect(VariantIndex(decoding: bytes) == index)
        for length in 0..<bytes.count { #expect(VariantIndex(decoding: Bytes(bytes[..<length])) == nil) }
        #expect(VariantIndex(decoding: bytes + [0]) == nil)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x80
            if let read = VariantIndex(decoding: damaged) { #expect(read.encoded() == damaged) }
        }
    }
}
