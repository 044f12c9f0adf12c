// Which responses may be published, and which responses stay valid after removals.
import LarderCache
import LarderCore
import Testing

@Suite struct SharedStorabilityTests {
    let now = Sample.now

    func entry(
        _ fields: HeaderFields = [:], identity: Bytes = [], body: Bytes = Bytes(text: "{}"),
        left: Duration = .seconds(60)
    ) -> StoredResponse {
        let key = CacheKey(
            layer: .raw, provider: "itunes", endpoint: "GET", parameters: [KeyParameter("path", "/a")],
            identity: identity)
        return StoredResponse(
            key: key, layer: .raw, provider: "itunes", endpoint: "search", fields: fields, body: body,
            requestTime: now, responseTime: now, freshUntil: now + left, staleUntil: now + left)
    }

    func obstacle(_ entry: StoredResponse) -> SharedStorability.Obstacle? {
        SharedStorability.obstacle(entry, maxObject: 100, now: now)
    }

    @Test func anAnswerForEverybodyGoes() {
        #expect(obstacle(entry(["Content-Type": "application/json", "Cache-Control": "public, max-age=60"])) == nil)
    }

    @Test func anAnswerForSomebodyStays() {
        #expect(obstacle(entry(identity: Bytes(text: "somebody"))) == .personal)
    }

    @Test(arguments: ["Set-Cookie", "Authorization", "Cookie"])
    func anAnswerWithAPersonsFieldsStays(_ name: String) {
        #expect(obstacle(entry([name: "a=b"])) == .personal)
    }

    @Test(arguments: ["no-store", "private", "max-age=60, private", "NO-STORE"])
    func whatSaysThatItIsNotForStoringStays(_ control: String) {
        #expect(obstacle(entry(["Cache-Control": HeaderField.text(Bytes(text: control))])) == .noStore)
    }

    @Test func theLargestBodyGoesAndALargerOneStays() {
        #expect(obstacle(entry(body: Bytes(repeating: 0x20, count: 100))) == nil)
        #expect(obstacle(entry(body: Bytes(repeating: 0x20, count: 101))) == .tooLarge)
    }

    @Test func aPartStays() {
        var part = entry()
        part.status = 206
        #expect(obstacle(part) == .partial)
    }

    @Test func whatIsOverStays() {
        #expect(obstacle(entry(left: .zero)) == .expired)
    }
}

@Suite struct SharedGenerationTests {
    @Test func aGenerationIsReadFromItsText() {
        for _ in 0..<100 {
            let generation = SharedGeneration.random()
            #expect(SharedGeneration(text: generation.text) == generation)
        }
        let small = SharedGeneration(high: 0, low: 1)
        #expect(small.text.count == 32 && SharedGeneration(text: small.text) == small)
    }

    @Test(arguments: ["", "0", "+1234567890abcdef1234567890abcde", "1234567890ABCDEF1234567890ABCDEF", "zz"])
    func anythingElseIsNone(_ text: String) {
        #expect(SharedGeneration(text: Bytes(text: text)) == nil)
    }

    @Test func newOnesDiffer() {
        #expect(Set((0..<1000).map { _ in SharedGeneration.random() }).count == 1000)
    }
}

@Suite struct SharedRemovalsTests {
    @Test func whatWasToldIsForgotten() {
        var removals = SharedRemovals()
        removals.add("itunes")
        removals.add("dnd5e")
        removals.subtract(removals)
        #expect(removals.isEmpty)
    }

    @Test func whatCameMeanwhileStays() {
        var removals = SharedRemovals()
        removals.add("itunes")
        let told = removals
        removals.add("itunes")
        removals.add("dnd5e")
        removals.subtract(told)
        #expect(removals.providers == ["itunes", "dnd5e"])
    }

    @Test func oneForAllStandsForThoseBeforeIt() {
        var removals = SharedRemovals()
        removals.add("itunes")
        removals.add(nil)
        #expect(removals.isGlobal && removals.providers.isEmpty)
        let told = removals
        removals.add("itunes")
        removals.subtract(told)
        #expect(!removals.isGlobal && removals.providers == ["itunes"])
    }

    @Test func aSecondOneForAllIsToldAgain() {
        var removals = SharedRemovals()
        removals.add(nil)
        let told = removals
        removals.add(nil)
        removals.subtract(told)
        #expect(removals.isGlobal)
    }
}
