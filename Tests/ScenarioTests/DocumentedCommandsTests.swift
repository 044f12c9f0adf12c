// Every `curl` command in the documents is sent, in order, to a daemon in front of the samples. The configuration in
// README is loaded.
import Foundation
import LarderDaemon
import LarderOrigin
import LarderSettings
import LarderTestSupport
import Testing

@Suite struct DocumentedCommandsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines of a page inside fenced blocks.
    private func fenced(_ page: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
        var isInside = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.hasPrefix("```") {
                isInside.toggle()
                return nil
            }
            return isInside ? String(line) : nil
        }
    }

    /// The request of a `curl` line: the target below the usual address, and the `-H` fields.
    private func question(_ line: String) -> (target: String, fields: [(String, String)])? {
        guard line.hasPrefix("curl ") else { return nil }
        let quoted = line.split(separator: "'", omittingEmptySubsequences: false)
        let words = stride(from: 1, to: quoted.count, by: 2).map { String(quoted[$0]) }
        guard let target = words.first(where: { $0.hasPrefix("localhost:8787/") }) else { return nil }
        let fields = words.filter { !$0.hasPrefix("localhost") }.compactMap { field -> (String, String)? in
            let parts = field.components(separatedBy: ": ")
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        return (String(target.dropFirst("localhost:8787".count)), fields)
    }

    @Test(arguments: [("README.md", 10), ("Docs/operations.md", 2), ("Docs/asking.md", 5), ("Docs/raw.md", 2)])
    func everyCurlOfTheDocumentsIsAnswered(_ page: String, _ atLeast: Int) async throws {
        let lines = try fenced(page).filter { $0.hasPrefix("curl ") }
        #expect(lines.count >= atLeast)
        let origin = try OriginServer(source: .samples)
        _ = try origin.start()
        defer { origin.stop() }
        let bases = ["itunes", "dnd5e", "jokes"].map { "  \($0): { baseURL: \"\(origin.baseURL(for: $0))\" }" }
        let news = origin.baseURL(for: "hackernews")
        let both = "  hackernews: { baseURL: \"\(news)\", searchURL: \"\(news)\" }"
        try await withLarder("providers:\n" + (bases + [both]).joined(separator: "\n")) { larder in
            for line in lines {
                let (target, fields) = try #require(question(line), "\(line)")
                let answer = try await larder.send("GET", target, fields: fields)
                let isForLater = fields.contains { $0 == ("Prefer", "respond-async") }
                #expect(answer.status == (isForLater ? 202 : 200), "\(line): \(answer.status)")
                #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin", "\(line)")
                #expect(answer["Access-Control-Allow-Origin"] == nil, "\(line)")
            }
        }
    }

    @Test func theConfigurationOfTheFirstPageIsRight() throws {
        let directory = TemporaryDirectory()
        let key = directory.write("newsapi.key", "0123456789abcdef0123456789abcdef")
        let lines = try fenced("README.md")
        let start = try #require(lines.firstIndex { $0.hasPrefix("cache:") })
        let text = lines[start..<(start + 5)].joined(separator: "\n")
        #expect(text.contains("file:/etc/larder/newsapi.key"))
        let file = directory.write(
            "larder.yaml", text.replacingOccurrences(of: "/etc/larder/newsapi.key", with: key))
        let settings = try SettingsLoader().load(file: file, environment: ["HOME": directory.path], flags: [])
        #expect(settings.cache.maxSize == 4 << 30)
        #expect(settings.providers["weather"]?.isPassthrough == true)
    }
}
