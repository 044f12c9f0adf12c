// The request fields that have a rule of their own.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderCache

@Suite struct RequestFieldTableTests {
    @Test func eachFieldHasOneRuleAndAReason() {
        let names = RequestFieldTable.records.map { FieldList.lowercased($0.name) }
        #expect(Set(names).count == names.count)
        #expect(RequestFieldTable.records.allSatisfy { !$0.reason.isEmpty })
        #expect(RequestFieldRule.allCases.allSatisfy { !RequestFieldTable.names($0).isEmpty })
    }

    @Test func aFieldThatSelectsIsNamedInVaryIfItWasSent() {
        let head = Sample.head(["Vary": "Origin"])
        #expect(head.namingSelectors(among: ["Prefer": "a"]).fields.all("Vary") == ["Origin", "Prefer"])
        #expect(head.namingSelectors(among: ["Accept": "a"]).fields.all("Vary") == ["Origin"])
        #expect(
            Sample.head(["Vary": "prefer"]).namingSelectors(among: ["Prefer": "a"]).fields.all("Vary") == ["prefer"])
    }

    @Test(arguments: [206, 226, 304])
    func whatIsNoWholeAnswerDisplacesNothing(_ status: Int) {
        #expect(Displacement(status: status, isForOneClient: false) == .none)
    }
}
