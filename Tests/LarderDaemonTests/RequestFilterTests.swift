// Which recorded requests a client may see, and which parts of them, tested as values.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import Testing

@testable import LarderDaemon

@Suite struct RequestFilterTests {
    private func request(_ change: (inout SeenRequest) -> Void = { _ in }) -> SeenRequest {
        var request = SeenRequest(
            id: RequestID(loop: 0, sequence: 1), at: WallTime(milliseconds: 1_000), method: "GET",
            target: SeenTarget(path: "/v1/search", query: "q=jack", tellable: ["q"]), route: "search", status: 200,
            took: .milliseconds(120), client: "127.0.0.1", providers: ["itunes", "tmdb"], outcome: .miss, sentence: "")
        change(&request)
        return request
    }

    private static func filter(_ query: String) throws -> RequestFilter {
        let records = RequestsRoute.filterParameters.map(\.record)
        return try RequestFilter(ParameterValues(QueryParameters(parsing: query), by: records))
    }

    private func takes(_ query: String, _ change: (inout SeenRequest) -> Void = { _ in }) throws -> Bool {
        let filter = try Self.filter(query)
        let request = request(change)
        return filter.takes(request, target: request.target.told(isRedacted: true))
    }

    @Test func nothingAskedForTakesAny() throws {
        #expect(try takes(""))
    }

    @Test(
        arguments: [
            "provider=tmdb", "outcome=miss", "status=200", "status=2xx", "client=127.0.0.1", "path=/v1/sea",
            "slow=100ms",
            "slow=120ms", "provider=itunes&outcome=miss&status=2XX",
        ])
    func whatFitsIsTaken(_ query: String) throws {
        #expect(try takes(query))
    }

    @Test(
        arguments: [
            "provider=imgur", "outcome=hit", "status=404", "status=4xx", "client=user+1000", "path=artwork",
            "slow=121ms",
            "provider=itunes&outcome=hit",
        ])
    func whatDoesNotFitIsNot(_ query: String) throws {
        #expect(try !takes(query))
    }

    @Test func aHitThatWasNotTimedIsNeverSlow() throws {
        #expect(try !takes("slow=1ms") { $0.took = nil })
    }

    @Test func whatTheViewerIsNotToldCannotBeAskedFor() throws {
        #expect(try !takes("path=jack"))
        #expect(try takes("path=q%3D%E2%80%A6"))
    }

    @Test(arguments: ["status=99", "status=6xx", "status=ok", "outcome=good", "slow=fast", "provider=", "path="])
    func aWrongParameterIsNamed(_ query: String) throws {
        let name = String(query.prefix { $0 != "=" })
        let error = #expect(throws: ClientFacingError.self) {
            try Self.filter(query)
        }
        #expect(error?.parameter == name && error?.status == 400)
    }

    // MARK: What is told

    @Test func withoutAuthorityOnlyTheNamesOfParametersAreTold() {
        let target = SeenTarget(path: "/v1/search", query: "q=jack+johnson&limit=5", tellable: ["q", "limit"])
        #expect(target.told(isRedacted: true) == "/v1/search?q=…&limit=…")
        #expect(target.told(isRedacted: false) == "/v1/search?q=jack+johnson&limit=5")
    }

    @Test func aLongQueryIsNotedByItsWholeParameters() {
        let long = String(repeating: "s3cret", count: 400)
        #expect(SeenTarget.noted("q=\(long)&limit=5") == "q=…&limit=5")
        #expect(SeenTarget.noted("\(long)=1&limit=5") == "…&limit=5")
        let many = (0..<500).map { "n\($0)=s3cret" }
        let noted = SeenTarget.noted(many.joined(separator: "&")) ?? ""
        #expect(noted.utf8.count <= SeenTarget.longest && noted.utf8.count > SeenTarget.longest - 32)
        let kept = noted.split(separator: "&").map(String.init)
        #expect(kept.last == "…" && kept.dropLast().allSatisfy { many.contains($0) || $0.hasSuffix("…") })
    }

    @Test func whatFitsIsNotedAsItIs() {
        let query = String(repeating: "q", count: SeenTarget.longest)
        #expect(SeenTarget.noted(query) == query && SeenTarget.noted(nil) == nil)
    }

    @Test func entriesWithoutANameAreRememberedForSoManyLooks() {
        var nameless = NamelessEntries()
        let digests = (0...NamelessEntries.capacity).map { Digest(of: Bytes(text: "\($0)")) }
        for digest in digests.dropLast() { nameless.insert(digest) }
        for _ in 0..<NamelessEntries.looks { nameless.look() }
        #expect(digests.dropLast().allSatisfy(nameless.contains))
        nameless.insert(digests[NamelessEntries.capacity])
        #expect(!nameless.contains(digests[0]) && nameless.contains(digests[NamelessEntries.capacity]))
        nameless.look()
        #expect(!nameless.contains(digests[NamelessEntries.capacity]))
    }

    @Test func whatMayBeACredentialIsToldNobody() {
        let target = SeenTarget(path: "/v1/search", query: "q=a&api_key=s3cret&s3cret", tellable: ["q"])
        #expect(target.told(isRedacted: false) == "/v1/search?q=a&api_key=…&…")
    }

    @Test func aSecretOfOursIsTakenOutOfWhateverIsTold() {
        let target = SeenTarget(path: "/raw/api/s3cret-of-ours/x", query: "q=s3cret-of-ours", tellable: ["q"])
        let viewer = RequestViewer(isRedacted: false, secrets: SecretRedactor(["s3cret-of-ours"]))
        #expect(viewer.target(request { $0.target = target }) == "/raw/api/(hidden)/x?q=(hidden)")
    }

    @Test func aLongTargetIsCut() {
        let viewer = RequestViewer(isRedacted: false, secrets: SecretRedactor([]))
        let target = SeenTarget(path: "/" + String(repeating: "a", count: 5000), query: nil)
        #expect(viewer.target(request { $0.target = target }).count == SeenTarget.longest + 1)
    }

    @Test func ofASecretThatTheCutWouldDivideNothingIsTold() {
        let viewer = RequestViewer(isRedacted: false, secrets: SecretRedactor(["s3cret-of-ours"]))
        let path = "/" + String(repeating: "a", count: SeenTarget.longest - 6)
        let told = viewer.target(request { $0.target = SeenTarget(path: path + "s3cret-of-ours", query: nil) })
        #expect(!told.contains("s3"))
    }

    @Test(arguments: ["c2VjcmV0LXRva2Vu==", "c2VjcmV0LXRva2U=", "c2VjcmV0"])
    func whatHasNoValueIsToldNobody(parameter: String) {
        let target = SeenTarget(path: "/raw/api/x", query: parameter, tellable: [])
        #expect(target.told(isRedacted: true) == "/raw/api/x?…")
        #expect(EntryLabel.redacted("GET https://h/p?\(parameter)", nil) == "https://h/p?…")
    }

    @Test func ofARefusalThoseWithoutAuthorityAreToldItsCodeOnly() {
        let refused = request {
            $0.sentence = "The request was refused: invalidParameter (parameter q)."
            $0.fullSentence = "\"jack\" is too short."
        }
        let secrets = SecretRedactor([])
        #expect(!RequestViewer(isRedacted: true, secrets: secrets).sentence(refused).contains("jack"))
        #expect(RequestViewer(isRedacted: false, secrets: secrets).sentence(refused).contains("jack"))
    }

    @Test func severalProvidersAreAListAndOneIsNot() throws {
        let viewer = RequestViewer(isRedacted: true, secrets: SecretRedactor([]))
        func told(_ request: SeenRequest) throws -> JSONValue {
            var writer = JSONWriter()
            request.write(to: &writer, for: viewer, target: viewer.target(request))
            return try JSON.parse(writer.bytes)
        }
        let several = try told(request())
        #expect(
            several["providers"]?.elements.compactMap(\.string) == ["itunes", "tmdb"] && several["provider"] == nil)
        #expect(several["milliseconds"] != nil && several["at"]?.string == "1970-01-01T00:00:01.000Z")
        #expect(try told(request { $0.providers = ["itunes"] })["provider"]?.string == "itunes")
    }
}

@Suite struct ExplanationLogTests {
    private let now = WallTime(milliseconds: 0)

    private func close(_ log: ExplanationLog, _ number: UInt64, isLooking: Bool = false) {
        log.close(
            RequestID(loop: 0, sequence: number), at: now, isLooking: isLooking,
            AnsweredRequest(peer: .probe, took: .zero, outcome: .none)
        ) { $0.status = 200 }
    }

    @Test func requestsComeInTheOrderOfTheirAnswers() {
        let log = ExplanationLog()
        log.note(RequestID(loop: 0, sequence: 2), at: now, ExplainedPart(provider: "a"))
        close(log, 1)
        close(log, 2)
        let first = log.answered(after: nil, atMost: 10)
        #expect(first.requests.map(\.id.sequence) == [1, 2] && first.missed == 0)
        close(log, 3)
        let second = log.answered(after: first.answered, atMost: 10)
        #expect(second.requests.map(\.id.sequence) == [3] && second.missed == 0)
        #expect(log.answered(after: second.answered, atMost: 10).requests.isEmpty)
    }

    @Test func whatWasOverwrittenBetweenTwoLooksCountsAsMissed() {
        let log = ExplanationLog()
        close(log, 1)
        let start = log.answered(after: nil, atMost: 10).answered
        let count = UInt64(ExplanationLog.capacity + 10)
        for number in 2...(count + 1) { close(log, number) }
        let found = log.answered(after: start, atMost: .max)
        #expect(found.requests.count == ExplanationLog.capacity && found.missed == 10)
        #expect(log.answered(after: start, atMost: 5).missed == ExplanationLog.capacity + 5)
    }

    @Test func whoOnlyLooksPushesOutNobody() {
        let log = ExplanationLog()
        close(log, 1)
        for number in 2...UInt64(3 * ExplanationLog.capacity) { close(log, number, isLooking: true) }
        #expect(log.find(RequestID(loop: 0, sequence: 1)) != nil)
        #expect(log.find(RequestID(loop: 0, sequence: UInt64(3 * ExplanationLog.capacity))) != nil)
        #expect(log.answered(after: nil, atMost: .max).requests.map(\.id.sequence) == [1])
    }
}
