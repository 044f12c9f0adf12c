// Spellings of one resource become one text, and those of different resources stay different (RFC 3986 §6.2.2).
import LarderCore
import Testing

@Suite struct EquivalentURLTests {
    @Test(arguments: [
        ("/a~b", "/a~b"), ("/a%7eb", "/a~b"), ("/%7E%61%2D", "/~a-"), ("/a%2fb%3f", "/a%2Fb%3F"),
        ("/%c3%a4", "/%C3%A4"),
        ("/\u{E4}", "/%C3%A4"), ("", ""), ("q=%41+%20", "q=A+%20"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zz%41"),
        ("%%34%31", "%%34%31"), ("%25", "%25"), ("%2541", "%2541"),
    ])
    func allSpellingsOfAResourceAreOne(_ text: String, _ normalised: String) {
        #expect(EquivalentURL.normalised(text) == normalised)
    }

    @Test(arguments: ["/a/b", "/a%2Fb", "/a?b", "/a%3Fb", "/a+b", "/a%20b", "/a%00b", "/a%25b"])
    func whatIsNormalisedStaysSo(_ text: String) {
        #expect(EquivalentURL.normalised(text) == text)
    }
}
