// The conditions of a purge of many entries.
import LarderCore
import Testing

@Suite struct PurgeConditionTests {
    /// An entry is stored under the spelling that was asked for first, and answers all of them.
    @Test(arguments: [
        ("http://h/a/%62", "http://h/a/b"), ("http://h/a/b", "http://h/a/%62"), ("http://h/a/%62/c", "http://h/a/b/"),
        ("http://h/%7Eu/x", "http://h/~u"), ("http://h/a/%c3%a9", "http://h/a/%C3%A9"),
        ("http://h/q?x=%61", "http://h/q?x=a"),
        ("http://h/a%2fb", "http://h/a%2Fb"),
    ])
    func aPrefixSelectsEverySpellingOfItsURLs(stored: String, prefix: String) {
        #expect(PurgeCondition(prefix: prefix).holds(facts(stored)))
        var changed = PurgeCondition()
        changed.prefix = prefix
        #expect(changed.holds(facts(stored)))
    }

    /// Upper and lower case differ in a path, and an encoded slash is no slash.
    @Test(arguments: [
        ("http://h/A/b", "http://h/a/"), ("http://h/a%2Fb", "http://h/a/"), ("http://h/a", "http://h/ab"),
    ])
    func aPrefixSelectsNoOtherURL(stored: String, prefix: String) {
        #expect(!PurgeCondition(prefix: prefix).holds(facts(stored)))
    }

    private func facts(_ url: String) -> EntryFacts {
        EntryFacts(provider: "p", label: "GET \(url)", layer: .raw, receivedAt: nil)
    }
}
