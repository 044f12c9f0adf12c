// A map that holds its first value without a dictionary behaves like a dictionary.
import LarderCore
import Testing

@Suite struct NumberedTests {
    @Test func itHoldsWhatADictionaryWouldHold() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var map = Numbered<Int>()
            var model: [UInt64: Int] = [:]
            for step in 0..<30 {
                let number = UInt64.random(in: 0..<5, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: #expect(map.removeValue(forKey: number) == model.removeValue(forKey: number))
                case 1:
                    map[number] = nil
                    model[number] = nil
                case 2:
                    map[number]? += 1
                    model[number]? += 1
                default:
                    map[number] = step
                    model[number] = step
                }
                #expect(map.count == model.count && map.isEmpty == model.isEmpty)
                #expect(map.values.sorted() == model.values.sorted())
                #expect(map.numbers.sorted() == model.keys.sorted())
                for number in 0..<5 as Range<UInt64> { #expect(map[number] == model[number]) }
            }
        }
    }
}
