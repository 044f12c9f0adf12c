// What distinguishes the content of two questions: a property over many bodies and fields.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct QueryContentTests {
    @Test func otherContentOrOtherMeaningIsAnotherQuestion() {
        var random = SystemRandomNumberGenerator()
        var seen: [String: (Bytes, [String?])] = [:]
        for _ in 0..<5000 {
            // The texts are short and have few letters. Neighbours, prefixes and repetitions are therefore frequent.
            let body = Bytes(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in UInt8.random(in: 96...98, using: &random) })
            let values = (0..<3).map { _ in ["a", "b", "a, b", "", nil].randomElement(using: &random) ?? nil }
            var fields: HeaderFields = ["X-Other": "\(UInt8.random(in: 0...9, using: &random))"]
            for (name, value) in zip(["Content-Type", "Content-Encoding", "Content-Language"], values) {
                if let value { fields.set(name, value) }
            }
            let identity = QueryContent(body, fields: fields).identity
            let asked = (body, values.map { $0 ?? "" as String? })
            if let before = seen[identity] {
                #expect(before.0 == asked.0 && before.1 == asked.1, "\(identity)")
            }
            seen[identity] = asked
        }
        #expect(seen.count > 2000)
    }

    @Test func theSameQuestionIsTheSameWhateverElseTheRequestSays() {
        let one = QueryContent([1, 2], fields: ["Content-Type": "a/b", "Accept": "x/y"])
        let other = QueryContent([1, 2], fields: ["Accept": "z/z", "Content-Type": "a/b"])
        #expect(one.identity == other.identity)
    }
}
