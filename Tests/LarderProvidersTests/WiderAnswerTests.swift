// What a stored response of another length yields: everything that was asked for, or nothing.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct WiderAnswerTests {
    @Test(
        arguments: [
            // wanted start and count, stored start and count, records, expected places
            (0, 10, 0, 50, 50, 0..<10), (0, 10, 0, 50, 7, 0..<7), (20, 10, 0, 50, 50, 20..<30),
            (45, 10, 0, 50, 50, nil), (45, 10, 0, 50, 48, 45..<48), (60, 10, 0, 50, 48, 48..<48),
            (0, 50, 0, 10, 10, nil), (0, 50, 0, 10, 9, 0..<9), (0, 50, 0, 10, 0, 0..<0), (0, 10, 10, 50, 50, nil),
            (10, 10, 10, 20, 20, 0..<10),
        ] as [(Int, Int, Int, Int, Int, Range<Int>?)])
    func aStretchIsHeldWhereAllOfItIsOrTheListHasEnded(
        _ start: Int, _ count: Int, _ storedStart: Int, _ storedCount: Int, _ records: Int, _ places: Range<Int>?
    ) {
        let wanted = ListStretch(start: start, count: count)
        let stored = ListStretch(start: storedStart, count: storedCount)
        #expect(wanted.places(in: stored, records: records) == places)
    }

    @Test func aPageIsLookedForOnThePagesOfOtherLengthsThatItBeginsOn() {
        let wanted = ListStretch(start: 20, count: 20)
        let pages = wanted.widerPages(longest: 100)
        #expect(pages.contains(ListStretch(start: 0, count: 50)))
        #expect(pages.contains(ListStretch(start: 0, count: 100)))
        #expect(pages.contains(ListStretch(start: 20, count: 10)))
        #expect(!pages.contains(wanted))
        #expect(pages.allSatisfy { $0.start % $0.count == 0 && $0.start <= 20 && $0.count <= 100 })
    }

    @Test func widerRequestsAreInCanonicalForm() throws {
        let asked: [(any Provider, [String], String)] = [
            (SpecProvider(.iTunes), ["search"], "term=Jack+Johnson&limit=10&country=de"),
            (SpecProvider(.iTunes), ["search"], "term=x&limit=10&offset=10&category=music"),
            (SpecProvider(.newsAPI), ["headlines"], "country=us&limit=10"),
            (SpecProvider(.newsAPI), ["everything"], "q=x&limit=10&page=3"),
            (SpecProvider(.hackerNews), ["search"], "q=x&limit=10"), (SpecProvider(.dnd), ["spells"], "level=1"),
        ]
        for (provider, path, query) in asked {
            let endpoint = try provider.endpoint(path: path, query: QueryParameters(parsing: query))
            #expect(!endpoint.wider().isEmpty)
            for wider in endpoint.wider() {
                #expect(provider.canonical(wider.request) == wider.request, "\(wider.request)")
                #expect(provider.endpointName(for: wider.request) == endpoint.name)
                #expect(wider.request != endpoint.upstream)
            }
        }
    }

    @Test func theSortIsOfTheStretchAndNotOfTheWhole() throws {
        func record(_ number: Int, _ name: String) -> String {
            #"{"wrapperType":"track","kind":"song","trackId":\#(number),"trackName":"\#(name)"}"#
        }
        let body = #"{"resultCount":3,"results":[\#(record(1, "c")),\#(record(2, "b")),\#(record(3, "a"))]}"#
        let endpoint = try SpecProvider(.iTunes).endpoint(
            path: ["search"], query: QueryParameters(parsing: "term=x&limit=2&sort=name"))
        let wider = try #require(endpoint.wider().first { $0.request.query?.contains("limit=10") == true })
        let response = UpstreamResponse(
            status: 200, fields: [:], body: Bytes(text: body), requestTime: .distantPast, responseTime: .distantPast)
        let read = try wider.read(response, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        let answer = try #require(read)
        let titles = try JSON.parse(answer.results).elements.compactMap { $0["title"]?.string }
        #expect(titles == ["b", "c"])
    }
}
