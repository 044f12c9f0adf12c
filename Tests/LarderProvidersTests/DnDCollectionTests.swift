// All collections of both editions have routes, kinds and records.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct DnDCollectionTests {
    private let provider = SpecProvider(.dnd)

    private func endpoint(_ route: String) throws -> Endpoint {
        let parts = route.split(separator: "?", maxSplits: 1).map(String.init)
        return try provider.endpoint(
            path: parts[0].split(separator: "/").map(String.init),
            query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""))
    }

    private static let collections = SpecProvider(.dnd).about.categories

    @Test(arguments: collections)
    func aCollectionHasAListRecordsAndAKindOfItsOwn(_ collection: String) throws {
        let list = try endpoint(collection)
        let record = try endpoint("\(collection)/a")
        #expect(provider.endpointName(for: list.upstream) == "list")
        #expect(provider.endpointName(for: record.upstream) == "details")
        #expect(record.upstream.path == list.upstream.path + "/a")
        let kind = try #require(provider.kinds(of: collection)?.first)
        #expect(provider.about.kinds.filter { $0.name == kind && $0.isOpen }.count == 1)
        #expect(try provider.search(SearchRequest(term: "a", category: collection)).upstream == list.upstream)
    }

    @Test func eachCollectionHasAnotherKind() {
        #expect(Self.collections.count == 28)
        #expect(Set(Self.collections.compactMap { provider.kinds(of: $0)?.first }).count == 28)
    }

    @Test(arguments: [
        ("classes", "/api/2014/classes?lang=en"), ("classes?edition=2024", "/api/2024/classes?lang=en"),
        ("races/elf", "/api/2014/races/elf?lang=en"), ("species", "/api/2024/species?lang=en"),
        ("species/Elf?edition=2024", "/api/2024/species/elf?lang=en"),
        ("weapon-mastery-properties", "/api/2024/weapon-mastery-properties?lang=en"),
    ])
    func theEditionIsTheOneThatHasTheCollection(_ route: String, _ target: String) throws {
        #expect(try endpoint(route).upstream.target == target)
    }

    @Test(arguments: [
        ("races?edition=2024", "There are no races in the edition of 2024.", ["2014"]),
        ("poisons/a?edition=2014", "There are no poisons in the edition of 2014.", ["2024"]),
    ])
    func anEditionWithoutTheCollectionIsAConflict(_ route: String, _ detail: String, _ allowed: [String]) throws {
        let error = try #require(throws: ClientFacingError.self) { try endpoint(route) }
        #expect(error.isConflict && error.parameter == "edition")
        #expect(error.detail == detail && error.allowed == allowed)
    }

    @Test(arguments: ["classes?level=1", "magic-items?school=a", "features?challengeRating=1"])
    func aFilterOfAnotherCollectionIsAConflict(_ route: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try endpoint(route) }
        #expect(error.isConflict && error.allowed == ["name", "edition", "limit", "sort"])
    }

    @Test(arguments: [
        (
            "magic-items/x",
            #"{"index":"ring","name":"Ring","desc":["Ring, rare","Shines."],"equipment_category":{"name":"Ring"}}"#,
            #""kind":"magicItem","title":"Ring","summary":"Ring, rare\nShines.","genres":["Ring"],"#
        ),
        (
            "rules/x", ##"{"index":"a","name":"A","desc":"# A\n\nOne."}"##,
            ##""kind":"rule","title":"A","summary":"# A\n\nOne.","attributes":{"index":"a"}}"##
        ),
        (
            "races/x", #"{"index":"elf","name":"Elf","speed":30,"alignment":"Elves love freedom.","size":"Medium"}"#,
            #""kind":"race","title":"Elf","attributes":{"index":"elf","speed":30,"alignment":"Elves love"#
        ),
        (
            "feats/x?edition=2024", #"{"index":"tough","name":"Tough","description":"More points.","type":"origin"}"#,
            #""kind":"feat","title":"Tough","summary":"More points.","attributes":{"index":"tough","type":"origin"}}"#
        ),
    ])
    func aRecordIsToldAsThoseOfTheOtherCollections(_ route: String, _ record: String, _ told: String) throws {
        let now = WallTime(seconds: 0)
        let answer = UpstreamResponse(status: 200, body: Bytes(text: record), requestTime: now, responseTime: now)
        let results = try endpoint(route).normalise(answer, ArtworkSigner(key: Bytes(repeating: 7, count: 32))).results
        #expect(results.lossyText.contains(told), "\(results.lossyText)")
    }
}
