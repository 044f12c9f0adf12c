// Plain text from HTML: which tags leave white space, what is trimmed, links and layout.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct TextCleaningTests {
    @Test(arguments: [
        ("<i>A Moveable Feast</i>, which", "A Moveable Feast, which"), ("<b>H</b><sub>2</sub>O", "H2O"),
        ("a<br>b<BR/>c", "a\nb\nc"), ("<p>one</p><p>two</p>", "one\n\ntwo"), ("one<p>two", "one\ntwo"),
        ("<ul><li>a</li><li>b</li></ul>", "a\n\nb"), ("<h2>Head</h2>text", "Head\ntext"),
        ("<tr><td>a</td><td>b</td></tr>", "a b"), ("a<!-- b > c -->d", "ad"), ("I <3 U and a < b", "I <3 U and a < b"),
        (#"<a title="x>y" href='z'>t</a>."#, "t."), ("<span>wo</span>rd &amp; <em>more</em>!", "word & more!"),
        ("soft&shy;hy\u{AD}phen and&nbsp;space", "softhy\u{AD}phen and space"),
    ])
    func onlyTagsThatBreakALineOrABlockLeaveWhiteSpace(_ html: String, _ expected: String) {
        #expect(TextCleaning.paragraphs(html) == expected)
    }

    @Test(arguments: [
        ("a<script>alert(1)</script><style>p{}</style>b", "ab"),
        ("<SCRIPT src='x'>if (a < b) c</Script >after", "after"),
        ("<script>'</scripted>'</script>x", "x"), ("<style>/* <p>no</p> */</style>x", "x"),
        ("a<template><p>b</p><template>c</template>d</template>e", "ae"),
        ("a<template><script>'</template>'</script>b</template>c", "ac"),
        ("a<!-- <script> -->b<script>c</script>d", "abd"), ("a<!-->b", "ab"),
        ("a<!--" + String(repeating: "x", count: 5000) + "-->b", "ab"),
        ("a<template><!--" + String(repeating: "x", count: 5000) + "</template>-->b</template>c", "ac"),
    ])
    func whatIsNoTextIsLeftOut(_ html: String, _ expected: String) {
        #expect(TextCleaning.paragraphs(html) == expected)
        #expect(TextCleaning.htmlLine(html) == expected)
    }

    @Test(arguments: [
        ("How <script> came to be", "How came to be"), ("a<style>b", "ab"), ("a<template>b", "ab"),
        ("a <!-- b", "a <!-- b"), ("<script>a<script>b</style>", "ab"),
    ])
    func anElementWithoutItsEndTakesNoTextAway(_ html: String, _ expected: String) {
        #expect(TextCleaning.htmlLine(html) == expected)
    }

    @Test func manyBeginningsWithoutAnEndCostOneSearchEach() {
        let html = String(repeating: "<script><style><template><!--", count: 20_000)
        #expect(TextCleaning.htmlLine(html) == String(repeating: "<!--", count: 20_000))
    }

    @Test(arguments: [
        ("\u{A0}title\u{A0}", "title"), ("\u{3000}題\u{2003}", "題"), ("\u{FEFF}a\u{A0}b", "a\u{A0}b"),
        (" a  b\u{2009}", "a b"), ("\u{2028}", nil), ("\u{A0} \u{A0}", nil), ("a\u{85}b\u{9F}c", "a b c"),
        ("\u{E9}t\u{E9}", "\u{E9}t\u{E9}"),
    ])
    func whiteSpaceOfAnyKindIsTrimmedAtBothEnds(_ text: String, _ expected: String?) {
        #expect(TextCleaning.line(text) == expected)
        #expect(TextCleaning.paragraphs(text)?.replacing("\n", with: " ") == expected)
    }

    @Test(arguments: [
        (
            #"See <a href="https:&#x2F;&#x2F;a.example&#x2F;a&#x2F;long&#x2F;path?b=1&amp;c=2" rel="nofollow">https:&#x2F;&#x2F;a.example&#x2F;a&#x2F;lo...</a>."#,
            "See https://a.example/a/long/path?b=1&c=2.", ["https://a.example/a/long/path?b=1&c=2"]
        ),
        (
            #"<a href="http://www.b.example/path">b.example/p…</a>"#, "http://www.b.example/path",
            ["http://www.b.example/path"]
        ),
        (#"<a href="https://c.example/">c.example</a>"#, "c.example", ["https://c.example/"]),
        (
            #"read <a href=https://d.example/x>this</a>, and"#, "read this (https://d.example/x), and",
            ["https://d.example/x"]
        ),
        (#"<a href="javascript:alert(1)">this</a> <a href="/x">that</a>"#, "this that", []),
        (
            #"<a href="https://e.example/">e</a><a href="https://e.example/">e</a>"#,
            "e (https://e.example/)e (https://e.example/)", ["https://e.example/"]
        ),
        ("no link & no <i>tag</i>", "no link & no tag", []),
    ])
    func theAddressesOfLinksAreKept(_ html: String, _ text: String, _ links: [String]) {
        let linked = TextCleaning.linkedParagraphs(html)
        #expect(linked.text == text)
        #expect(linked.links == links)
    }

    @Test func aShortenedAddressStandsWholeInEveryText() {
        let html =
            #"<a href="https://a.example/a/long/path">https://a.example/a/l...</a> <a href="https://b.example">more</a>"#
        #expect(TextCleaning.paragraphs(html) == "https://a.example/a/long/path more")
    }

    @Test func preformattedTextKeepsItsLinesAndItsIndentation() {
        let html = "Code:<p><pre><code>  if a &lt; b {\n      c()\n\n  }\n</code></pre>\nand  so   on<p>end"
        #expect(
            TextCleaning.paragraphs(html) == "Code:\n  if a < b {\n      c()\n\n  }\nand so on\nend")
        #expect(TextCleaning.paragraphs("<pre>\n  a\n</pre>") == "  a")
        #expect(TextCleaning.paragraphs("<pre> </pre>") == nil)
    }
}
