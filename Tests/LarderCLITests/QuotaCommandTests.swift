// larder quota --by tool: who made how many calls.
import Foundation
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderCLI

@Suite struct QuotaCommandTests {
    private static let body = """
        {"providers":[{"name":"itunes","budget":{"rate":{"limit":20,"windowSeconds":60,"remaining":13}},
        "tools":[{"tool":"editor","calls":41,"refused":0,"rate":3},{"tool":"other","calls":9,"refused":7,"rate":4}]},
        {"name":"dnd5e","budget":{},"tools":[]}]}
        """

    @Test func itShowsTheCallsOfEachToolInTheWindowAndSinceTheStart() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, Self.body) }
        let shown = await larder("quota", "--by", "tool", "--url", daemon.url, isTerminal: true, width: 100)
        let rows = shown.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            rows == [
                "PROVIDER TOOL RATE QUOTA CALLS REFUSED", "itunes editor 3 of 20/min no limit 41 0",
                "itunes other 4 of 20/min no limit 9 7",
            ], "\(shown.text)")
    }

    @Test func asJSONItIsPartOfEachProvider() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, Self.body) }
        let shown = await larder("quota", "--by", "tool", "--url", daemon.url)
        let value = try JSON.parse(Bytes(text: shown.text))
        #expect(Array(value.elements).first?["tools"]?.elements.first { _ in true }?["calls"]?.integer == 41)
        #expect(await larder("quota", "--url", daemon.url).text.contains("tools") == false)
    }

    @Test func anythingButToolIsAMistake() async throws {
        let shown = await larder("quota", "--by", "day", "--url", "http://127.0.0.1:1")
        #expect(shown.status == .usage)
    }

    @Test func everyCommandSaysThatAPersonWaitsAndWarmThatNobodyDoes() async throws {
        let heads = Lock<[String]>([])
        let daemon = try ScriptedDaemon { head in
            heads.withLock { $0.append(head) }
            return answer(200, #"{"providers":[],"state":"results","results":[]}"#)
        }
        _ = await larder("status", "--url", daemon.url)
        try await withScratchDirectory { directory in
            try "one\n".write(toFile: "\(directory)/list", atomically: false, encoding: .utf8)
            _ = await larder("warm", "\(directory)/list", "--url", daemon.url)
        }
        let priorities = heads.withLock { $0 }.map { head in
            head.split(separator: "\r\n").first { $0.hasPrefix("Priority: ") }.map(String.init)
        }
        #expect(priorities == ["Priority: u=1", "Priority: u=7"])
    }
}
