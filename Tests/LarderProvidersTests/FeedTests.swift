// Feeds of every form become one form, and a hostile one is refused without harm.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderProviders

struct FeedTests {
    private func feed(_ text: String) throws -> JSONValue { try JSON.parse(FeedDocument.json(Bytes(text: text))) }

    private func item(_ text: String) throws -> JSONValue {
        try #require(try feed(text)["items"]?.elements.first { _ in true })
    }

    private static let rss = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:c="http://purl.org/rss/1.0/modules/content/"
             xmlns:media="http://search.yahoo.com/mrss/" xmlns:slash="http://purl.org/rss/1.0/modules/slash/">
          <channel><title>News</title><link>https://news.example/</link><description>All of it</description>
            <item><title>Lamps &amp; wicks</title><link>https://news.example/1</link><guid isPermaLink="false">n-1</guid>
              <description><![CDATA[<p>Short &amp; clear.</p>]]></description><c:encoded>&lt;p&gt;Long.&lt;/p&gt;</c:encoded>
              <dc:creator>Ann Lee</dc:creator><category>light</category><category>oil</category>
              <pubDate>Sat, 07 Sep 2002 09:42:31 +0200</pubDate><slash:comments>7</slash:comments>
              <media:thumbnail url="https://img.example/1.jpg"/></item>
            <item><guid>https://news.example/2</guid><description>no title</description>
              <author>max@example.org (Max Adler)</author>
              <enclosure url="https://img.example/2.png" type="image/png" length="1"/></item>
          </channel></rss>
        """

    @Test(arguments: [
        ("id", "n-1"), ("url", "https://news.example/1"), ("title", "Lamps & wicks"),
        ("summary", "<p>Short &amp; clear.</p>"), ("content_html", "<p>Long.</p>"),
        ("date_published", "2002-09-07T07:42:31Z"), ("image", "https://img.example/1.jpg"),
    ])
    func anItemOfRSSHasTheMembersOfJSONFeed(_ name: String, _ value: String) throws {
        #expect(try item(Self.rss)[name]?.string == value)
    }

    @Test func authorsTagsAndOtherElementsAreLists() throws {
        let item = try item(Self.rss)
        #expect(item["authors"]?.elements.map { $0["name"]?.string } == ["Ann Lee"])
        #expect(item["tags"]?.elements.map(\.string) == ["light", "oil"])
        #expect(item["_elements"]?["slash:comments"]?.elements.map(\.string) == ["7"])
    }

    @Test func anIdThatIsAnAddressIsTheLink() throws {
        let second = try #require(try feed(Self.rss)["items"]?.elements.dropFirst().first { _ in true })
        #expect(second["url"]?.string == "https://news.example/2")
        #expect(second["authors"]?.elements.first { _ in true }?["name"]?.string == "Max Adler")
        #expect(second["image"]?.string == "https://img.example/2.png")
    }

    @Test func anEntryOfAtomHasTheSameMembers() throws {
        let atom = """
            <a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>Log</a:title>
              <a:entry><a:id>tag:x,1</a:id><a:title type="html">A &lt;b&gt;title&lt;/b&gt;</a:title>
                <a:link rel="self" href="https://x.example/self"/><a:link href="https://x.example/1"/>
                <a:updated>2024-05-01T10:00:00+02:00</a:updated><a:author><a:name>Ann</a:name></a:author>
                <a:content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <b>two</b> &amp; three</div></a:content>
                <a:category term="t1"/></a:entry></a:feed>
            """
        let item = try item(atom)
        #expect(item["id"]?.string == "tag:x,1" && item["url"]?.string == "https://x.example/1")
        #expect(
            item["title"]?.string == "A <b>title</b>"
                && item["content_html"]?.string == "<div>One <b>two</b> &amp; three</div>")
        #expect(item["date_published"]?.string == "2024-05-01T08:00:00Z" && item["tags"]?.count == 1)
    }

    @Test func itemsBesideTheChannelAreThoseOfRSS1() throws {
        let rdf = """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
              xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Old</title></channel>
              <item><title>One</title><link>https://o.example/1</link><dc:date>2003-01-02</dc:date></item></rdf:RDF>
            """
        #expect(try item(rdf)["id"]?.string == "https://o.example/1")
        #expect(try feed(rdf)["title"]?.string == "Old")
    }

    @Test func aJSONFeedStaysAsItIs() throws {
        #expect(try item(#" {"items":[{"id":"1","title":"One"}]}"#)["title"]?.string == "One")
    }

    @Test(arguments: ["\u{FEFF}", "\n \r\n", "\u{FEFF}\n"])
    func whatStandsBeforeAFeedIsNoFault(_ before: String) throws {
        let item = "<rss><channel><item><title>a</title></item></channel></rss>"
        #expect(try self.item(before + "<?xml version=\"1.0\"?>" + item)["title"]?.string == "a")
        #expect(try self.item(before + #"{"items":[{"title":"a"}]}"#)["title"]?.string == "a")
    }

    @Test func attributesThatNoFeedNeedsTakeNoRoom() throws {
        let many = (0..<100).map { "a\($0)=\"x\"" }.joined(separator: " ")
        let root = try XMLTree.parse(Bytes(text: "<rss \(many) href=\"y\"/>"))
        #expect(root.attributes == ["href": "y"])
    }

    @Test func aFeedInWindows1252IsRead() throws {
        let head = Bytes(text: #"<?xml version="1.0" encoding="windows-1252"?><rss><channel><item><title>"#)
        let body = head + [0x93, 0xE9, 0x94] + Bytes(text: "</title></item></channel></rss>")
        let root = try JSON.parse(FeedDocument.json(body))
        #expect(root["items"]?.elements.first { _ in true }?["title"]?.string == "\u{201C}é\u{201D}")
    }

    @Test(arguments: [
        (
            "<!DOCTYPE rss [<!ENTITY a \"aaaa\">]><rss><channel><item><title>&a;</title></item></channel></rss>",
            "document type"
        ),
        ("<!DOCTYPE rss SYSTEM \"file:///etc/passwd\"><rss/>", "document type"),
        (String(repeating: "<a>", count: 70) + String(repeating: "</a>", count: 70), "64 elements deep"),
        (
            "<rss><channel>" + String(repeating: "<item/>", count: 200_001) + "</channel></rss>",
            "more than 200000 elements"
        ),
        ("<html><body>Sign in</body></html>", "its root is <html>"), ("<rss></rss>", "no channel"),
        ("<rss><channel>", "no element found"), ("", "no element found"), ("<rss><b></rss>", "mismatched tag"),
    ])
    func anotherDocumentIsRefusedWithItsReason(_ text: String, _ reason: String) {
        let error = #expect(throws: XMLError.self) { try FeedDocument.json(Bytes(text: text)) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("Sat, 07 Sep 2002 09:42:31 GMT", "2002-09-07T09:42:31Z"), ("7 Sep 02 09:42 EST", "2002-09-07T14:42:00Z"),
        ("Sun, 1 Jan 2023 00:00:00 -0330", "2023-01-01T03:30:00Z"), ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
        ("Mon, 31 Feb 2022 00:00:00 GMT", nil), ("yesterday", nil), ("7 Sep 2002", nil),
        ("7 Sep 2002 99999:1 GMT", nil),
    ])
    func aDateOfAMailIsRead(_ text: String, _ instant: String?) {
        #expect(FeedDate.instant(text)?.rfc3339 == instant)
    }
}
