// Any text stays text in the markup, whatever it contains.
import LarderCore
import Testing

@testable import LarderConsole

struct MarkupTests {
    @Test(arguments: [
        ("<script>", "&lt;script&gt;"), ("a & b", "a &amp; b"), ("\"'", "&quot;&#39;"), ("é 🙂", "é 🙂"),
        ("a\u{0}b\u{1b}", "a\u{FFFD}b\u{FFFD}"), ("a\nb\tc", "a\nb\tc"), ("&lt;", "&amp;lt;"),
    ])
    func aTextIsEscaped(_ text: String, _ escaped: String) {
        var markup = Markup()
        markup.add("p", text: text)
        #expect(markup.text == "<p>\(escaped)</p>")
    }

    @Test func aValueOfAnAttributeIsEscaped() {
        var markup = Markup()
        markup.addEmpty("input", ["value": "\" onfocus=\"alert(1)"])
        #expect(markup.text == #"<input value="&quot; onfocus=&quot;alert(1)">"#)
    }

    @Test func anAttributeWithoutAValueIsLeftOutAndAnEmptyOneIsBare() {
        var markup = Markup()
        markup.addEmpty("input", ["class": nil, "hidden": "", "value": "", "alt": ""])
        #expect(markup.text == #"<input hidden value="" alt="">"#)
    }
}
