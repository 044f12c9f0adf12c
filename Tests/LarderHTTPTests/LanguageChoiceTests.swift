// Which language a request prefers, and which language a response is in.
import LarderCore
import LarderHTTP
import Testing

@Suite struct LanguageChoiceTests {
    @Test(arguments: [
        ("de", "de"), ("de-CH, de;q=0.9, *;q=0.5", "de-ch"), ("en;q=0.5, DE;q=0.8", "de"), ("de;q=0.001", "de"),
        ("de, en;q=0.999", "de"),
    ])
    func theOnlyOneOfTheHighestWeightIsWantedMost(_ value: String, _ best: String) {
        #expect(LanguageChoice.best(["Accept-Language": value]) == best)
    }

    @Test(arguments: [
        "", "de, en", "de;q=0.5, en;q=0.5", "*", "*, de;q=0.5", "de;q=0", "de;q=x", "de;x", "de_CH", "-de", "de-",
    ])
    func noneIsWhereTwoAreWantedAlikeOrNoneCanBeTold(_ value: String) {
        #expect(LanguageChoice.best(["Accept-Language": value]) == nil)
        #expect(LanguageChoice.best([:]) == nil)
    }

    @Test func anAnswerHasOneLanguageOrNone() {
        #expect(LanguageChoice.language(["Content-Language": "de-AT"]) == "de-at")
        for value in ["", "de, en", "*", "de_AT", String(repeating: "a", count: 36)] {
            #expect(LanguageChoice.language(["Content-Language": value]) == nil, "\(value)")
        }
        #expect(LanguageChoice.language([:]) == nil)
    }

    @Test func aRangeMatchesTheTagAndWhatIsMoreOfIt() {
        #expect(LanguageChoice.matches("de", "de") && LanguageChoice.matches("de", "de-at"))
        #expect(!LanguageChoice.matches("de-at", "de") && !LanguageChoice.matches("de", "den"))
    }

    @Test(arguments: [
        ("de, de-at;q=0", "de-at", false), ("de, de-at;q=0.1, fr;q=0.9", "de-at", false),
        ("de, de-at;q=0.1", "de", true),
        ("de, de-at;q=0.1", "de-ch", true), ("de", "de-at", true), ("de", "fr", false),
    ])
    func aNarrowerRangeHasAWeightOfItsOwn(_ wanted: String, _ tag: String, _ isBest: Bool) {
        #expect(LanguageChoice.isBest(tag, for: ["Accept-Language": HeaderField.text(Bytes(text: wanted))]) == isBest)
    }
}
