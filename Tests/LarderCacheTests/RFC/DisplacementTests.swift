// Which stored responses stay usable after a response that is not stored (RFC 9111 §4.3.3).
import Testing

@testable import LarderCache

@Suite struct DisplacementTests {
    @Test(arguments: [404, 410]) func whatIsNotThereLeavesNothingOfItsURL(_ status: Int) {
        #expect(Displacement(status: status, isForOneClient: false) == .all)
        #expect(Displacement(status: status, isForOneClient: true) == .all)
    }

    @Test(arguments: [200, 203, 301, 307]) func aWholeAnswerLeavesNotTheOneItWasAskedAbout(_ status: Int) {
        #expect(Displacement(status: status, isForOneClient: false) == .selected)
        #expect(Displacement(status: status, isForOneClient: true) == .none)
    }

    @Test(arguments: [206, 304, 400, 401, 403, 405, 429, 500, 503])
    func anErrorOrAPartLeavesWhatIsStored(_ status: Int) {
        #expect(Displacement(status: status, isForOneClient: false) == .none)
    }

    @Test(arguments: [404, 410]) func whatIsNotThereForOneIsAskedAboutForTheOthers(_ status: Int) {
        #expect(Displacement.putsOthersInDoubt(status: status))
    }

    @Test(arguments: [200, 301, 403, 500]) func anyOtherAnswerSaysNothingOfTheOtherVariants(_ status: Int) {
        #expect(!Displacement.putsOthersInDoubt(status: status))
    }
}
