// Which bytes of a representation are stored, compared with a map of its bytes.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct PartialContentTests {
    private static let kept = WallTime(seconds: 1_000_000)

    private static func content(_ length: Int64 = 100, _ ranges: Range<Int64>...) -> PartialContent {
        var content = PartialContent(.validator(.tag(EntityTag(opaque: "v"))), length: length, keptUntil: kept)
        for range in ranges { _ = content.add(range) }
        return content
    }

    @Test func partsThatTouchCoverARangeTogether() {
        let content = Self.content(100, 0..<10, 20..<30, 10..<20)
        #expect(content.covers(5..<25))
        #expect(content.missing(in: 0..<100) == [30..<100])
        #expect(!content.isComplete)
    }

    @Test func whatLacksIsToldInTheOrderOfTheBytes() {
        let content = Self.content(100, 40..<50, 10..<20)
        #expect(content.missing(in: 0..<60) == [0..<10, 20..<40, 50..<60])
        #expect(content.missing(in: 12..<45) == [20..<40])
        #expect(content.missing(in: 12..<18).isEmpty)
    }

    @Test func thePartThatCameLastIsUsed() {
        var content = Self.content(100, 0..<50)
        #expect(content.add(20..<30).isEmpty)
        #expect(content.parts.map(\.range) == [0..<20, 20..<30, 30..<50])
        #expect(content.parts.map(\.start) == [0, 20, 0])
    }

    @Test func aPartThatIsCoveredWhollyIsDropped() {
        var content = Self.content(100, 20..<30, 40..<50)
        #expect(content.add(10..<60) == [20, 40])
        #expect(content.parts.map(\.range) == [10..<60])
    }

    @Test func aShorterPartOfTheSameBeginningTakesTheRowOfTheLonger() {
        var content = Self.content(100, 20..<60)
        #expect(content.add(20..<30).isEmpty)
        #expect(content.missing(in: 20..<60) == [30..<60])
    }

    @Test func whatLiesOutsideTheRepresentationChangesNothing() {
        var content = Self.content(100, 20..<60)
        for range in [90..<101, 50..<50, -1..<4] as [Range<Int64>] {
            #expect(content.add(range).isEmpty)
        }
        #expect(content.parts.map(\.range) == [20..<60])
    }

    @Test func moreBytesThanAllowedDropWhatWasStoredFirst() {
        var content = Self.content(100, 50..<60, 0..<10)
        #expect(content.add(20..<35, most: 25) == [50])
        #expect(content.stored == 25)
    }

    @Test func aPartOfWhichNewerOnesHoldTheMostCountsWithItsWholeRow() {
        var content = Self.content(100, 0..<30, 5..<30)
        #expect(content.stored == 30)
        #expect(content.add(50..<60, most: 60) == [0])
        #expect(content.parts.map(\.range) == [5..<30, 50..<60])
    }

    @Test func morePartsThanAllowedDropWhatWasStoredFirst() {
        var content = Self.content(10_000)
        for place in 0..<Int64(PartialContent.limit) { #expect(content.add(place * 10..<place * 10 + 5).isEmpty) }
        #expect(content.add(9000..<9001) == [0])
        #expect(content.parts.count == PartialContent.limit)
    }

    @Test func aListIsReadAsItWasWritten() {
        let identities: [PartialContent.Identity] = [
            .validator(.tag(EntityTag(opaque: "\u{E9}x"))), .validator(.date("Mon, 01 Dec 2025 00:00:00 GMT")),
            .alone(.max),
        ]
        for identity in identities {
            var content = PartialContent(identity, length: 1 << 40, keptUntil: Self.kept)
            _ = content.add(1 << 39..<(1 << 39) + 1000)
            _ = content.add(5..<10)
            _ = content.add(7..<8)
            #expect(PartialContent(decoding: content.encoded()) == content)
        }
    }

    @Test func noOtherBytesAreAList() {
        let bytes = Self.content(100, 0..<10, 20..<30).encoded()
        for count in bytes.indices { #expect(PartialContent(decoding: Bytes(bytes[..<count])) == nil) }
        #expect(PartialContent(decoding: bytes + [0]) == nil)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x80
            // If damaged bytes can be decoded, they encode to the same bytes again.
            guard let read = PartialContent(decoding: damaged) else { continue }
            #expect(read.encoded() == damaged)
        }
    }

    /// A generator with a fixed seed, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func itAgreesWithAMapOfTheBytes(_ seed: UInt64) {
        var random = Generator(state: seed)
        let length: Int64 = 60
        var content = Self.content(length)
        /// For each byte, the number of the part that holds it.
        var map = [Int?](repeating: nil, count: Int(length))
        var starts: [Int64] = []
        var rows = Set<Int64>()
        for number in 0..<40 {
            let first = Int64.random(in: 0..<length, using: &random)
            let range = first..<Int64.random(in: first + 1...length, using: &random)
            let gone = content.add(range)
            for place in map.indices where map[place].map({ starts[$0] == first }) ?? false { map[place] = nil }
            starts.append(first)
            for place in range { map[Int(place)] = number }
            rows.insert(first)
            rows.subtract(gone)
            let held = map.map { $0.map { starts[$0] } }
            #expect((0..<length).map { content.part(at: $0)?.start } == held)
            #expect(rows == Set(held.compactMap { $0 }))
            let asked = Int64.random(in: 0..<length, using: &random)..<length
            let lacking = content.missing(in: asked).flatMap { Array($0) }
            #expect(lacking == asked.filter { held[Int($0)] == nil })
            #expect(content.stored == Int64(held.count { $0 != nil }))
            #expect(PartialContent(decoding: content.encoded()) == content)
        }
    }
}
