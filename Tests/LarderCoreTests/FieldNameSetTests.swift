import LarderCore
import Testing

@Suite struct FieldNameSetTests {
    private let names: FieldNameSet = ["Age", "Via", "Set-Cookie2", "ETag"]

    @Test func namesAreFoundWhateverTheirCase() {
        #expect(names.contains("age") && names.contains("VIA") && names.contains("set-cookie2"))
        #expect(!names.contains("Dat") && !names.contains("Set-Cookie") && !names.contains(""))
    }

    @Test func namesLongerThanTheirBitsAreToldApart() {
        let long = String(repeating: "a", count: 70)
        let set = FieldNameSet([long, String(repeating: "b", count: 63)])
        #expect(set.contains(long.uppercased()))
        #expect(!set.contains(long + "a") && !set.contains(String(repeating: "a", count: 63)))
        #expect(set.contains(String(repeating: "B", count: 63)))
    }

    @Test func anEmptySetHoldsNothing() {
        #expect(!FieldNameSet([]).contains("") && !FieldNameSet([]).contains("Age"))
    }

    @Test func everyLineOfThoseNamesIsRemovedAndNoOther() {
        var fields: HeaderFields = ["age": "1", "X": "2", "AGE": "3", "etag": "4"]
        #expect(fields.contains(anyOf: names))
        fields.remove(names)
        #expect(Array(fields) == [HeaderField("X", "2")])
        #expect(!fields.contains(anyOf: names))
    }
}
