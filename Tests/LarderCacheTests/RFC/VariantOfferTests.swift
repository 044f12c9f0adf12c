// Which stored variants are offered for a request with other fields, and which of them a 304 confirms.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct VariantOfferTests {
    private func entry(_ fields: HeaderFields, status: Int = 200) -> StoredResponse {
        StoredResponse(
            key: Sample.key(), layer: .raw, provider: "api", endpoint: "raw", status: status, reason: "OK",
            fields: fields,
            body: Bytes(text: "body"), requestTime: Sample.now, responseTime: Sample.now,
            freshUntil: Sample.now + .seconds(60), staleUntil: Sample.now + .seconds(60))
    }

    private func mayOffer(_ fields: HeaderFields, to request: HeaderFields = [:]) -> Bool {
        var all = fields
        if !fields.contains("Vary") { all.add("Vary", "User-Agent") }
        all.add("ETag", "\"a\"")
        return VariantOffer.mayOffer(entry(all), to: request)
    }

    @Test func aStrongTagIsNeeded() {
        #expect(VariantOffer.mayOffer(entry(["Vary": "User-Agent", "ETag": "\"a\""]), to: [:]))
        #expect(!VariantOffer.mayOffer(entry(["Vary": "User-Agent", "ETag": "W/\"a\""]), to: [:]))
        #expect(!VariantOffer.mayOffer(entry(["Vary": "User-Agent"]), to: [:]))
    }

    @Test func aVeryLongTagIsNotOffered() {
        let tag = String(repeating: "a", count: VariantOffer.longestTag - 2)
        #expect(VariantOffer.mayOffer(entry(["Vary": "User-Agent", "ETag": "\"\(tag)\""]), to: [:]))
        #expect(!VariantOffer.mayOffer(entry(["Vary": "User-Agent", "ETag": "\"\(tag)a\""]), to: [:]))
    }

    @Test func onlyAnAnswerOf200IsOffered() {
        #expect(!VariantOffer.mayOffer(entry(["Vary": "User-Agent", "ETag": "\"a\""], status: 404), to: [:]))
    }

    @Test(arguments: ["x-api-key", "x-org-id", "from", "dpop", "cookie", "referer", "origin", "x-form"])
    func fieldsThatMightTellCallersApartSelectNothingThatIsOffered(_ name: String) {
        #expect(!VariantOffer.mayOffer(selectedBy: ["accept", name]))
    }

    @Test(arguments: ["user-agent", "accept-language", "accept-encoding", "accept", "sec-ch-ua-mobile", "dpr"])
    func fieldsOfAProgramOrItsPreferencesMaySelectWhatIsOffered(_ name: String) {
        #expect(VariantOffer.mayOffer(selectedBy: [name]))
    }

    @Test func aCodingThatAcceptEncodingSelectedSuitsWhoAcceptsIt() {
        let coded: HeaderFields = ["Content-Encoding": "gzip", "Vary": "Accept-Encoding"]
        #expect(!mayOffer(coded))
        #expect(!mayOffer(coded, to: ["Accept-Encoding": "identity"]))
        #expect(mayOffer(coded, to: ["Accept-Encoding": "gzip"]))
    }

    @Test func aCodingOfTheRepresentationSuitsEverybody() {
        #expect(mayOffer(["Content-Encoding": "gzip"], to: ["Accept-Encoding": "identity"]))
    }

    @Test(
        arguments: [
            ("de", true), ("de, en;q=0.5", true), ("en, de;q=0.5", false), ("de-AT, en;q=0.5", false), ("*", false),
            ("de;q=0", false), ("", false),
        ])
    func aLanguageMustBeThePreferredOne(_ wanted: String, _ isOffered: Bool) {
        let request: HeaderFields = wanted.isEmpty ? [:] : ["Accept-Language": wanted]
        #expect(mayOffer(["Vary": "Accept-Language", "Content-Language": "de"], to: request) == isOffered)
        #expect(!mayOffer(["Vary": "Accept-Language"], to: request), "it does not tell its language")
    }

    @Test(
        arguments: [
            ("text/html", true), ("*/*", false), ("text/*", false), ("application/json", false), ("", false),
            ("application/json, */*", false), ("text/html;q=0", false), ("text/html;level=1", false), ("\"", false),
            ("text/html, application/json;q=0.9", true),
        ])
    func aMediaTypeMustBeThePreferredOne(_ wanted: String, _ isOffered: Bool) {
        let request: HeaderFields = wanted.isEmpty ? [:] : ["Accept": wanted]
        #expect(mayOffer(["Vary": "Accept", "Content-Type": "Text/HTML; charset=utf-8"], to: request) == isOffered)
    }

    @Test func preferencesCountOnlyWhereTheySelect() {
        #expect(mayOffer(["Content-Type": "text/html"], to: ["Accept": "application/json"]))
        #expect(mayOffer(["Content-Language": "de"], to: ["Accept-Language": "en"]))
    }

    @Test func theConditionHasEachTagOnceAndNoDate() {
        let entries = ["\"b\"", "\"a\"", "\"b\""].map { entry(["ETag": $0, "Last-Modified": Sample.hourAgoText]) }
        #expect(VariantOffer.conditions(for: entries) == ["If-None-Match": "\"b\", \"a\""])
        #expect(VariantOffer.conditions(for: Array(entries.prefix(1))) == ["If-None-Match": "\"b\""])
    }

    @Test func a304ConfirmsTheVariantOfItsTag() {
        let entries = ["\"a\"", "\"b\"", "\"a\""].map { entry(["ETag": $0]) }
        func count(_ fields: HeaderFields, status: Int = 304) -> Int {
            VariantOffer.confirmed(by: Sample.head(status: status, fields), among: entries) == nil ? 0 : 1
        }
        #expect(count(["ETag": "\"a\""]) == 1)
        #expect(count(["ETag": "\"c\""]) == 0)
        #expect(count(["ETag": "W/\"a\""]) == 0)
        #expect(count(["ETag": "a"]) == 0)
        #expect(count([:]) == 0, "three were offered")
        #expect(count(["ETag": "\"a\""], status: 200) == 0)
    }

    @Test func a304WithoutATagConfirmsTheOnlyVariantUnlessItsDateIsAnother() {
        let only = [entry(["ETag": "\"a\"", "Last-Modified": Sample.hourAgoText])]
        func isConfirmed(_ fields: HeaderFields) -> Bool {
            VariantOffer.confirmed(by: Sample.head(status: 304, fields), among: only) != nil
        }
        #expect(isConfirmed([:]))
        #expect(isConfirmed(["Last-Modified": Sample.hourAgoText]))
        #expect(!isConfirmed(["Last-Modified": Sample.tenHoursAgoText]))
    }

    @Test func aHeadThatWouldBecomeTooLargeConfirmsNothing() {
        var fields: HeaderFields = ["ETag": "\"a\""]
        for number in 0..<600 { fields.add("X-\(number)", "1") }
        let confirmation = Sample.head(status: 304, fields)
        let head = VariantOffer.head(
            of: entry(["ETag": "\"a\""]), confirmedBy: confirmation, rule: Sample.rule(.rfc), targets: [])
        #expect(head == nil)
    }

    @Test func theHeadTellsTheWayOfTheNewMessageOnly() throws {
        let stored = entry(["ETag": "\"a\"", "Via": "1.1 far, 1.1 larder", "X-Old": "1", "Content-Encoding": "gzip"])
        let confirmation = Sample.head(
            status: 304, ["ETag": "\"a\"", "Via": "1.1 near", "Set-Cookie": "a=1", "Connection": "x-hop", "X-Hop": "1"])
        let head = try #require(
            VariantOffer.head(of: stored, confirmedBy: confirmation, rule: Sample.rule(.rfc), targets: []))
        #expect(head.status == 200 && head.length == 4)
        #expect(head.fields.all("Via") == ["1.1 near"])
        #expect(head.fields.first("Set-Cookie") == "a=1")
        #expect(head.fields.first("X-Old") == "1" && head.fields.first("Content-Encoding") == "gzip")
        #expect(!head.fields.contains("X-Hop"))
    }
}
