// The page at `/` as it is served: a link from anywhere leads to it, and none but its own has it search.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct DashboardScenarios {
    @Test func aLinkFromElsewhereFillsTheFieldInAndWaits() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for (site, searches) in [
                ("same-origin", true), ("cross-site", false), ("none", false), ("", false),
            ] {
                let fields =
                    site.isEmpty
                    ? "" : "Sec-Fetch-Site: \(site)\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
                let page = try await larder.send(
                    bytes: Bytes(text: "GET /?q=a HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"))
                #expect(page.status == 200 && page["Vary"] == "Sec-Fetch-Site", "\(site): \(page)")
                #expect(page.text.contains(#"data-search="runs""#) == searches, "\(site)")
                #expect(page.text.contains(#"data-search="waits""#) != searches, "\(site)")
            }
            #expect(origin.requests.isEmpty)
        }
    }
}
