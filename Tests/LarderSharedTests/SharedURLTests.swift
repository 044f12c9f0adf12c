// The responses of one URL in a real engine: which response is found, which is published, and what a removal leaves.
import LarderCache
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct SharedURLTests {
    private let scope = Digest(of: Bytes(text: "scope"))

    private func key(_ names: [String], _ values: String = "") -> CacheKey {
        CacheKey(
            layer: .raw, provider: "api", endpoint: "GET",
            parameters: [KeyParameter("path", "/a"), KeyParameter("variant", names.joined(separator: ",") + values)])
    }

    private var target: Digest { key([]).digest }

    /// A request in which every field has this value.
    private func wanted(_ values: String = "") -> SharedTier.Selecting {
        SharedTier.Selecting(target: target, isEverybodys: key([], values).isEverybodys, flight: key([], values).digest)
        { names in key(names, values) }
    }

    private func entry(
        _ names: [String], _ values: String = "", age: Int64 = 0, body: String = "text", status: Int = 200
    ) -> StoredResponse {
        let now = SystemTime().wall() + .seconds(-age)
        let fields: HeaderFields = names.isEmpty ? [:] : ["Vary": names.joined(separator: ", ")]
        return StoredResponse(
            key: key(names, values), layer: .raw, provider: "api", endpoint: "GET", status: status, fields: fields,
            body: Bytes(text: body), requestTime: now, responseTime: now, freshUntil: now + .seconds(600),
            staleUntil: now + .seconds(600))
    }

    private struct Nothing: SharedKeeping {
        func kept(_ name: String) async -> Bytes? { nil }
        func keep(_ name: String, _ bytes: Bytes?) async {}
    }

    private func withTier(_ body: (SharedTier, SharedEngine) async throws -> Void) async throws {
        let engine = try SharedEngine()
        let loop = try EventLoop(name: "shared", index: 0)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        let settings = SharedSettings(
            address: .unix(engine.socket), timeout: .seconds(60), key: "0123456789abcdef0123456789abcdef")
        let host = SharedHost(id: "a", name: "a", version: "1", startedAt: SystemTime().wall())
        let tier = SharedTier(
            settings, host: host, keeping: Nothing(), on: loop, compute: ComputeGate(width: 2),
            counters: CounterRegistry(), log: .silent, time: SystemTime())
        await tier.open()
        try await body(tier, engine)
        await tier.close()
    }

    private func look(_ tier: SharedTier, _ values: String = "") async -> SharedTier.Look {
        await tier.look(wanted(values), scope: scope, provider: "api")
    }

    /// Publishes a response and waits until that is done.
    private func publish(_ tier: SharedTier, _ entry: StoredResponse, _ ticket: SharedTier.Ticket?) async throws
        -> String
    {
        await tier.put(entry, try #require(ticket))
    }

    @Test func anAnswerIsFoundByTheFieldsThatSelectIt() async throws {
        try await withTier { tier, _ in
            let result = try await publish(tier, entry(["accept-language"], "de"), await look(tier).ticket)
            #expect(result == "done")
            #expect(await look(tier, "de").entry?.body == Bytes(text: "text"))
            #expect(await look(tier, "en").entry == nil)
        }
    }

    @Test func theMostRecentOfThoseThatFitIsFound() async throws {
        try await withTier { tier, _ in
            let ticket = await look(tier).ticket
            _ = try await publish(tier, entry(["accept"], age: 5, body: "newer"), ticket)
            _ = try await publish(tier, entry([], age: 9, body: "older"), ticket)
            #expect(await look(tier).entry?.body == Bytes(text: "newer"))
        }
    }

    @Test func anOlderAnswerDoesNotTakeThePlaceOfAMoreRecentOne() async throws {
        try await withTier { tier, _ in
            let ticket = await look(tier).ticket
            _ = try await publish(tier, entry([], age: 5, body: "newer"), ticket)
            let result = try await publish(tier, entry([], age: 9, body: "older"), ticket)
            #expect(result == "overtaken")
            #expect(await look(tier).entry?.body == Bytes(text: "newer"))
        }
    }

    @Test func whatWasFetchedBeforeARemovalIsNotPublished() async throws {
        try await withTier { tier, _ in
            let ticket = await look(tier).ticket
            _ = await tier.remove(url: target, provider: "api")
            let result = try await publish(tier, entry([]), ticket)
            #expect(result == "overtaken")
        }
    }

    @Test func whatLayUnderARemovedURLIsNotFoundAgain() async throws {
        try await withTier { tier, _ in
            _ = try await publish(tier, entry(["accept"], "x"), await look(tier).ticket)
            _ = await tier.remove(url: target, provider: "api")
            _ = try await publish(tier, entry(["accept"], "y"), await look(tier).ticket)
            #expect(await look(tier, "x").entry == nil)
            #expect(await look(tier, "y").entry != nil)
        }
    }

    @Test func anAnswerThatThereIsNothingHidesTheOthersOfItsURL() async throws {
        try await withTier { tier, _ in
            _ = try await publish(tier, entry(["accept"], "x"), await look(tier).ticket)
            _ = try await publish(tier, entry(["accept"], "y", status: 404), await look(tier).ticket)
            #expect(await look(tier, "x").entry == nil)
            #expect(await look(tier, "y").entry?.status == 404)
            // Another response brings the list of names back, but not the responses that were stored under it.
            _ = try await publish(tier, entry(["accept"], "z"), await look(tier).ticket)
            #expect(await look(tier, "x").entry == nil)
        }
    }

    @Test func noMoreListsAreKeptThanFour() async throws {
        try await withTier { tier, _ in
            for number in 0..<6 { _ = try await publish(tier, entry(["f\(number)"]), await look(tier).ticket) }
            let lists = try #require(await look(tier).ticket?.url?.lists)
            #expect(lists == [["f5"], ["f4"], ["f3"], ["f2"]])
        }
    }

    @Test func aListThatIsTooLongIsNotPublished() async throws {
        try await withTier { tier, _ in
            let names = (0..<60).map { "a-long-field-name-\($0)" }.sorted()
            let result = try await publish(tier, entry(names), await look(tier).ticket)
            #expect(result == "unnamed")
        }
    }

    @Test(arguments: ["", "no epoch", "0123456789abcdef0123456789abcdefx", "0123456789abcdef0123456789abcdef\na b"])
    func aValueOfSomebodyElseIsNoURL(_ text: String) async throws {
        try await withTier { tier, engine in
            let name = tier.names.url(target, provider: "api")
            try engine.command("SET", String(decoding: name, as: UTF8.self), text)
            let look = await look(tier)
            #expect(look.entry == nil && look.ticket == nil)
        }
    }

    @Test func whoeverTakesALeaseSeesWhatWasPublishedMeanwhile() async throws {
        try await withTier { tier, _ in
            let first = await look(tier)
            let ticket = try #require(first.ticket)
            // Another host publishes, and returns its lease, between the look and the lease.
            _ = try await publish(tier, entry([]), ticket)
            let (found, lease) = await tier.turn(
                after: first, patience: .seconds(60), look: { await look(tier) }, isGood: { $0.entry != nil })
            #expect(found.entry != nil && lease == nil)
        }
    }
}
