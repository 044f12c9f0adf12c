// Every server gets the same requests, and the bodies are correct. Otherwise a comparison compares nothing.
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct WorkloadTests {
    @Test func theSameSeedGivesTheSameSequence() {
        let order = Order.zipf(objects: 1000, seed: 3, new: 1000)
        var (one, two) = (ObjectSequence(order), ObjectSequence(order))
        var other = ObjectSequence(.zipf(objects: 1000, seed: 4, new: 1000))
        let first = (0..<200).map { _ in one.next() }
        let second = (0..<200).map { _ in two.next() }
        let third = (0..<200).map { _ in other.next() }
        #expect(first == second)
        #expect(first != third)
    }

    @Test func aTwentiethOfTheMixedRequestsIsForNewObjects() {
        var sequence = ObjectSequence(.zipf(objects: 1000, seed: 1, new: 1000))
        let numbers = (0..<20_000).map { _ in sequence.next() }
        let new = numbers.filter { $0 >= 1000 }
        #expect((900...1100).contains(new.count))
        #expect(new == Array(1000..<1000 + new.count))
    }

    @Test func popularityFollowsTheLaw() {
        var sequence = ObjectSequence(.zipf(objects: 1000, seed: 1, new: 1000))
        var counts: [Int: Int] = [:]
        for _ in 0..<200_000 { counts[sequence.next(), default: 0] += 1 }
        let sorted = counts.filter { $0.key < 1000 }.values.sorted(by: >)
        // The first object is requested 10^0.9 = 7.9 times as often as the tenth, and all objects are requested.
        let ratio = Double(sorted[0]) / Double(sorted[9])
        #expect((6.5...9.5).contains(ratio))
        #expect(sorted.count == 1000)
    }

    @Test func fillingAsksForEachOnceAndTwiceForEachTwice() {
        var fill = ObjectSequence(.fill(first: 5))
        var twice = ObjectSequence(.twice(first: 5))
        let once = (0..<3).map { _ in fill.next() }
        let doubled = (0..<4).map { _ in twice.next() }
        #expect(once == [5, 6, 7])
        #expect(doubled == [5, 5, 6, 6])
    }

    @Test(arguments: [
        Order.fill(first: 7), .twice(first: 8), .zipf(objects: 10, seed: 2, new: 10),
        .uniform(objects: 10, stride: 3, seed: 1),
    ])
    func anOrderSurvivesItsWords(_ order: Order) throws {
        let again = try #require(Order(order.words))
        var (one, two) = (ObjectSequence(order), ObjectSequence(again))
        let first = (0..<50).map { _ in one.next() }
        let second = (0..<50).map { _ in two.next() }
        #expect(first == second)
    }

    @Test func theCommittedSizesAreReadAndAllUsed() throws {
        let sizes = try ObjectSizes(Files.text(of: "Benchmarks/object-sizes.txt"))
        let objects = (0..<4000).map { sizes.object($0) }
        #expect(Set(objects.map(\.size)).count == 40)
        #expect(sizes.greatest == 170_686)
        let mean = objects.reduce(0) { $0 + $1.size } / objects.count
        #expect((20_000...27_000).contains(mean))
    }

    @Test(arguments: ["json", "json x", "film 12", "json 0", ""])
    func sizesThatMakeNoSenseAreRefused(_ text: String) {
        #expect(throws: Failure.self) { try ObjectSizes(text) }
    }

    @Test func aBodyIsKnownFromEveryPlaceOfItAndNoOther() {
        let pool = Pool()
        let object = OriginObject(kind: .image, size: 3 << 20, id: 12345)
        // Computes the bytes by the rule of Benchmarks/origin.c, from its beginning.
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        var bytes = Bytes()
        for _ in 0..<1 << 20 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.append(UInt8(truncatingIfNeeded: state >> 32))
        }
        let start = (12345 * 7919 + (3 << 20)) % (1 << 20)
        var body = Bytes(bytes[start...] + bytes + bytes + bytes[..<start])
        #expect(pool.isBody(body, of: object))
        body[2_000_000] ^= 1
        #expect(!pool.isBody(body, of: object))
        #expect(!pool.isBody(Bytes(body.dropLast()), of: object))
    }

    @Test func aRoundSurvivesItsLines() throws {
        var round = LoadRound()
        (round.count, round.elapsed, round.p99, round.bytes) = (3, 2_000_000_000, 7, 99)
        let again = try #require(LoadRound(lines: round.lines + "\n"))
        #expect(again.count == 3)
        #expect(again.p99 == 7)
        #expect(again.bytes == 99)
        #expect(again.perSecond == 1.5)
    }

    @Test func aPageOfResultsIsWholeJSON() throws {
        let page = try JSON.parse(NormalisingRun.page)
        #expect(page["resultCount"]?.integer == 200)
        #expect(page["results"]?.count == 200)
    }

    @Test func onlyWholeLinesNamePorts() {
        #expect(Server.ports(in: "listening 127.0.0.1:4001\nlistening 127.0.0.1:40") == [4001])
        #expect(Server.ports(in: "listening 127.0.0.1:4001\nlistening [::1]:4002\n") == [4001, 4002])
        #expect(Server.ports(in: "") == [])
    }
}
