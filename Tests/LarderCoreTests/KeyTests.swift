import LarderCore
import Testing

@Suite struct KeyTests {
    private func key(_ parameters: [KeyParameter], endpoint: String = "search", identity: Bytes = []) -> CacheKey {
        CacheKey(layer: .raw, provider: "p", endpoint: endpoint, parameters: parameters, identity: identity)
    }

    @Test func absentEmptyAndPresentAreThreeDifferentThings() {
        let keys = [
            key([KeyParameter("a", nil)]), key([KeyParameter("a", "")]), key([KeyParameter("a", "1")]), key([]),
        ]
        #expect(Set(keys).count == 4)
    }

    @Test func joinedPartsNeverCollide() {
        #expect(key([KeyParameter("a", "bc")]) != key([KeyParameter("ab", "c")]))
        #expect(key([KeyParameter("a", "b"), KeyParameter("c", nil)]) != key([KeyParameter("a", "bc")]))
        #expect(key([], endpoint: "ab") != key([KeyParameter("b", nil)], endpoint: "a"))
    }

    @Test func theIdentityIsApartFromTheParameters() {
        #expect(key([KeyParameter("a", "1")], identity: [1]) != key([KeyParameter("a", "1")]))
        #expect(key([], identity: Bytes(text: "a")) != key([KeyParameter("a", nil)]))
        let digest = Digest(of: Bytes(text: "a")).bytes
        #expect(key([KeyParameter("a", "1")]).isEverybodys && key([]).isEverybodys)
        #expect(
            !key([KeyParameter("a", "1")], identity: digest).isEverybodys && !key([], identity: digest).isEverybodys)
    }

    @Test func aPartIsFoundInEveryKeyThatHasItAndInNoOther() {
        let part = CacheKey.part(KeyParameter("explicit", "false"))
        func has(_ parameters: [KeyParameter]) -> Bool {
            key(parameters, identity: [1, 2]).bytes.firstRange(of: part) != nil
        }
        #expect(has([KeyParameter("explicit", "false")]))
        #expect(has([KeyParameter("a", nil), KeyParameter("explicit", "false"), KeyParameter("b", "c")]))
        #expect(!has([KeyParameter("explicit", "true")]) && !has([KeyParameter("explicit", nil)]) && !has([]))
        #expect(!has([KeyParameter("x", "explicit false")]) && !has([KeyParameter("explicit", "falsehood")]))
    }

    @Test func theLayerIsPartOfTheKey() {
        let layers = CacheKey.Layer.allCases.map {
            CacheKey(layer: $0, provider: "p", endpoint: "e", parameters: [])
        }
        #expect(Set(layers).count == 3)
    }

    @Test func randomTuplesAreTheSameKeyOnlyWhenTheyAreTheSameTuple() {
        var seen: [CacheKey: [KeyParameter]] = [:]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let parameters = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                KeyParameter(
                    String(repeating: "a", count: Int.random(in: 0...2, using: &random)),
                    Bool.random(using: &random)
                        ? nil : String(repeating: "b", count: Int.random(in: 0...2, using: &random)))
            }
            let key = key(parameters)
            #expect(seen[key] == nil || seen[key] == parameters)
            seen[key] = parameters
        }
    }

    @Test(arguments: [[], [0x80, 1], Digest(of: [1]).bytes])
    func theKeyOfTheListOfPartsIsAnotherAndIsReadBackFromItsBytes(identity: Bytes) {
        let whole = key([KeyParameter("path", "/a")], identity: identity)
        let list = whole.ofParts
        #expect(list != whole && list.digest != whole.digest && list.bytes != whole.bytes)
        #expect(CacheKey(bytes: list.bytes) == list && CacheKey(bytes: list.bytes).digest == list.digest)
        #expect(CacheKey(bytes: whole.bytes).digest == whole.digest)
        #expect(list.isEverybodys == whole.isEverybodys)
        #expect(list.digest != key([KeyParameter("path", "/b")], identity: identity).ofParts.digest)
    }

    @Test func aDerivedDigestDiffersInEachWord() {
        let digest = Digest(of: [1, 2, 3])
        let others = [1, 2, 3, 0x80].map { digest.derived($0) } + [digest]
        #expect(Set(others.map(\.words.0)).count == 5 && Set(others.map(\.words.1)).count == 5)
        #expect(Set(others.map(\.words.2)).count == 5 && Set(others.map(\.words.3)).count == 5)
    }
}
