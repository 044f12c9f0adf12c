// Bodies that lie in files enter memory when they are asked for again.
import LarderCache
import LarderCore
import Testing

@Suite struct MemoryWantsTests {
    private func wants(_ tier: TierCase, _ length: Int, _ target: String) -> Bool {
        let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        return Bytes(text: target).withUnsafeBufferPointer { target in
            tier.tier.wants(
                length, for: ReadyQuery(listener: 0, target: target, acceptEncoding: none, now: Sample.now))
        }
    }

    @Test func aBodyInAFileIsWantedInMemoryWhenItIsAskedForAgain() {
        let tier = TierCase(budget: 1 << 20)
        #expect(!wants(tier, 1000, "/a"))
        #expect(!wants(tier, 1000, "/b"))
        #expect(wants(tier, 1000, "/a"))
        #expect(wants(tier, 1000, "/a"))
    }

    @Test func aBodyThatDoesNotFitIsNeverWanted() {
        let (tier, off) = (TierCase(budget: 1 << 20), TierCase(budget: 0))
        for _ in 0..<3 {
            #expect(!wants(tier, (1 << 20) / MemoryTier.largestShare, "/a"))
            #expect(!wants(off, 100, "/a"))
        }
    }
}
