// The codes of links to the console: how long, how often, how many.
import LarderCore
import Testing

@testable import LarderDaemon

struct OwnerLinksTests {
    @Test func aCodeIsGoodForTwoMinutes() {
        let links = OwnerLinks()
        let start = MonotonicTime(nanoseconds: 0)
        let (early, late) = (links.make(at: start), links.make(at: start))
        #expect(links.token(for: early, at: start + .seconds(119)) != nil)
        #expect(links.token(for: late, at: start + .seconds(120)) == nil)
    }

    @Test func anOldCodeGivesWay() {
        let links = OwnerLinks()
        let codes = (0..<17).map { _ in links.make(at: MonotonicTime(nanoseconds: 0)) }
        #expect(links.token(for: codes[0], at: MonotonicTime(nanoseconds: 1)) == nil)
        #expect(links.token(for: codes[16], at: MonotonicTime(nanoseconds: 1)) != nil)
    }
}
