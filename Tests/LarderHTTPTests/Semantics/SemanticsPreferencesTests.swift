// Client preferences (RFC 7240). Valid ones are parsed and invalid ones are ignored.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsPreferencesTests {
    private func read(_ lines: String...) -> Preferences {
        Preferences(HeaderFields(lines.map { HeaderField("Prefer", $0) }))
    }

    @Test(arguments: [
        ("respond-async, wait=10", true, 10), ("Respond-Async", true, nil), ("wait=10", false, 10),
        ("wait = 10 ; x=y, respond-async;foo", true, 10), (#"wait="7""#, false, 7),
        (#"foo="a, wait=3; \" b"; bar, respond-async"#, true, nil), ("wait=1.5", false, nil), ("wait=-1", false, nil),
        ("wait", false, nil), ("wait=", false, nil), ("wait=99999999999", false, nil), ("respond-async=1", true, nil),
        ("", false, nil), (", ,", false, nil), ("=5, respond-async", true, nil), ("respond async", false, nil),
        (#"x="open, respond-async"#, false, nil),
    ])
    func aPreferenceIsRead(_ text: String, _ respondsAsync: Bool, _ wait: Int?) {
        let preferences = read(text)
        #expect(preferences.respondsAsync == respondsAsync)
        #expect(preferences.wait == wait.map { .seconds($0) })
    }

    @Test func ofTwoTheFirstCountsWhateverLineItIsOn() {
        #expect(read("wait=1", "respond-async, wait=2").wait == .seconds(1))
        #expect(read("wait=x, wait=2").wait == nil, "also where the first cannot be used")
        #expect(read().values.isEmpty)
    }
}
