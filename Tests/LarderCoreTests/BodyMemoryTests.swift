// The memory that complete bodies may occupy, by value.
import LarderCore
import Testing

@Suite struct BodyMemoryTests {
    @Test func roomIsGivenUpToTheLimitAndComesBackWithTheHold() {
        let refusals = CounterCell()
        let memory = BodyMemory(limit: 100, refusals: refusals)
        var first: BodyHold? = memory.hold()
        let second = memory.hold()
        #expect(first?.resize(to: 60) == true && second.resize(to: 40))
        #expect(!second.resize(to: 41), "nobody gets what another has")
        #expect(memory.held == 100 && refusals.current == 1)
        first = nil
        #expect(memory.held == 40)
        #expect(second.resize(to: 100))
    }

    @Test func theOnlyOneMayGrowBeyondTheLimit() {
        let memory = BodyMemory(limit: 100)
        let only = memory.hold()
        #expect(only.resize(to: 90) && only.resize(to: 500))
        let other = memory.hold()
        #expect(!other.resize(to: 1))
        #expect(only.resize(to: 20), "smaller is always granted")
        #expect(other.resize(to: 80) && memory.held == 100)
    }

    @Test func whatIsInMemoryAlreadyCountsWithoutBeingRefused() {
        let refusals = CounterCell()
        let memory = BodyMemory(limit: 100_000, refusals: refusals)
        var claimed = memory.claim(200_000)
        #expect(claimed != nil && memory.held == 200_000 && refusals.current == 0)
        #expect(!memory.hold().resize(to: 70_000), "what comes next finds less")
        claimed = nil
        #expect(memory.held == 0)
        #expect(memory.claim(BodyMemory.uncounted) == nil)
    }

    @Test func aLowerLimitTakesNothingAway() {
        let memory = BodyMemory(limit: 100)
        let held = memory.hold()
        #expect(held.resize(to: 100))
        memory.setLimit(10)
        let other = memory.hold()
        #expect(memory.held == 100 && !other.resize(to: 1))
    }
}
