import Testing

@testable import LarderCore

@Suite struct FieldNameTests {
    @Test(arguments: FieldName.allCases)
    func aKnownNameIsRecognisedInAnyCase(name: FieldName) {
        for spelling in [name.rawValue, name.rawValue.lowercased(), name.rawValue.uppercased()] {
            #expect(FieldName(spelling) == name)
        }
    }

    @Test func theNumberOfANameIsItsPlaceInTheList() {
        for (index, name) in FieldName.allCases.enumerated() {
            #expect(Int(name.code) == index + 1)
            #expect(FieldName(code: name.code) == name)
        }
    }

    @Test func allNumbersFitIntoTheBitsOfASet() {
        #expect(FieldName.allCases.count < 128)
    }

    @Test(arguments: ["", "E", "ETagg", "Content_Type", "Content-Type ", "X-Unknown", "Conten\u{14}-Type", "\u{E9}tag"])
    func anotherNameIsNotKnown(name: String) {
        #expect(FieldName(name) == nil)
    }

    @Test func aNameLongerThanAnyIsNotKnown() {
        #expect(FieldName(String(repeating: "a", count: 70_000)) == nil)
    }
}
