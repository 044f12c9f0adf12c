// When `Accept-Encoding` selected the coding of an answer.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct AskedCodingTests {
    private func vary(_ fields: HeaderFields, asked: String?, status: Int = 200) -> [String] {
        let request: HeaderFields = asked.map { ["Accept-Encoding": $0] } ?? [:]
        return Sample.head(status: status, fields).namingCoding(askedBy: request).fields.all("Vary")
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip"])
    func aCodingThatWasAskedForIsAChoice(_ coding: String) {
        #expect(vary(["Content-Encoding": coding], asked: "gzip") == ["Accept-Encoding"])
    }

    @Test(arguments: [nil, "identity", "br", "gzip;q=0"])
    func aCodingThatWasNotAskedForIsThatOfTheRepresentation(_ asked: String?) {
        #expect(vary(["Content-Encoding": "gzip"], asked: asked).isEmpty)
    }

    @Test func otherFieldsStayNamed() {
        #expect(vary(["Content-Encoding": "gzip", "Vary": "Origin"], asked: "gzip") == ["Origin", "Accept-Encoding"])
    }

    @Test(arguments: ["accept-encoding", "*", "Origin, Accept-Encoding"])
    func whatTheOriginNamesIsNotNamedTwice(_ told: String) {
        #expect(vary(["Content-Encoding": "gzip", "Vary": told], asked: "gzip") == [told])
    }

    @Test func aPlainBodyIsNoChoice() {
        #expect(vary([:], asked: "gzip").isEmpty)
        #expect(vary(["Content-Encoding": "identity"], asked: "gzip").isEmpty)
    }

    @Test func aConfirmationHasNoContentOfItsOwn() {
        #expect(vary(["Content-Encoding": "gzip"], asked: "gzip", status: 304).isEmpty)
    }
}
