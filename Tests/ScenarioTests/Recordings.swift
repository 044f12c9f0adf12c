// The recorded answers of the real APIs, and two stand-ins that serve them: one unchanged, one with the hosts of
// pictures replaced by its own. The recordings lie beside the repository and are not part of it. Without them the tests
// that read them report this and do nothing. On CI their absence is a failure.
import Glibc
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

/// One line of the recordings' index.
struct Recording: Sendable, CustomTestStringConvertible {
    var file: String
    var api: String
    /// The path of the recorded upstream request.
    var path: String
    var query: String
    var status: Int

    var testDescription: String { file }

    /// A file with many bodies answers by index only.
    var hasManyBodies: Bool { file.hasSuffix("-details.json") }

    var bytes: Bytes { get throws { try readFile("\(Self.folder)/\(file)") } }

    /// The records in the body. If the body is itself a record, it is the only one.
    var records: [JSONValue] {
        get throws {
            let root = try JSON.parse(bytes)
            let list = root["results"] ?? root["articles"] ?? root["sources"]
            return list.map { Array($0.elements) } ?? [root]
        }
    }

    /// `LARDER_RECORDINGS`, otherwise `../shared/recordings` relative to the package.
    static let folder: String = {
        if let set = getenv("LARDER_RECORDINGS") { return String(cString: set) }
        let package = #filePath.split(separator: "/").dropLast(3)
        return "/" + package.dropLast().joined(separator: "/") + "/shared/recordings"
    }()

    /// Every recording of the three APIs that answer a question with one call.
    static let all = indexed(["itunes", "newsapi", "dnd5e"])

    static func indexed(_ apis: [String]) -> [Recording] {
        guard let bytes = try? readFile("\(folder)/index.json"), let root = try? JSON.parse(bytes) else { return [] }
        return root.elements.compactMap { entry in
            guard let file = entry["file"]?.string, let api = entry["api"]?.string, let path = entry["path"]?.string,
                apis.contains(api)
            else { return nil }
            return Recording(
                file: file, api: api, path: path, query: entry["query"]?.string ?? "",
                status: entry["status"]?.integer ?? 200)
        }
    }

    static let single = all.filter { !$0.hasManyBodies }
    static let many = all.filter(\.hasManyBodies)

    /// Read once, because there are megabytes of them. Both live as long as the process and keep no state that tests
    /// share.
    static let plain = Result { try started(rewriting: false) }
    static let rewriting = Result { try started(rewriting: true) }

    private static func started(rewriting: Bool) throws -> OriginServer {
        let origin = try OriginServer(source: .recordings(folder: folder), rewritesImageHosts: rewriting)
        try origin.start()
        return origin
    }
}

extension Recording {
    /// The same question at Larder's own route. Parameters that only the API knows (orders that it does not document)
    /// are left out. A question that Larder would refuse is corrected, because these tests are about the answer.
    var typedTarget: String {
        var items = query.split(separator: "&").map(String.init)
        switch (api, path) {
        case ("itunes", _):
            items.removeAll { $0.hasPrefix("sort=") || path == "/lookup" && $0.hasPrefix("media=") }
            items = items.map { $0 == "entity=ebookss" ? "entity=ebook" : $0 }
            return "/v1/itunes\(path)?\(items.joined(separator: "&"))"
        case ("newsapi", "/v2/sources"):
            return "/v1/news/sources"
        case ("newsapi", "/v2/everything"):
            items.removeAll { $0.hasPrefix("case=") }
            return "/v1/news/everything?\(items.isEmpty ? "q=anything" : items.joined(separator: "&"))"
        case ("newsapi", _):
            return "/v1/news/headlines?\(items.isEmpty ? "country=us" : items.joined(separator: "&"))"
        default:
            return "/v1/dnd/\(path.split(separator: "/").dropFirst(2).joined(separator: "/"))"
        }
    }

    /// The target of exactly the recorded request.
    var rawTarget: String { "/raw/\(api)\(path)\(query.isEmpty ? "" : "?\(query)")" }

    /// The configuration of a daemon whose provider gets this recording for every call.
    func configuration(_ origin: OriginServer) -> String {
        """
        providers:
          \(api):
            baseURL: "\(origin.baseURL(only: file))"
            rate: off
            quota: off
        \(api == "newsapi" ? "    key: some-key" : "")
        """
    }
}

@Suite struct RecordingsForScenarios {
    @Test func areThereOrTheirAbsenceIsSaidAloud() {
        guard Recording.all.isEmpty else { return }
        let message = "NO RECORDINGS in \(Recording.folder): the scenarios with real answers did NOTHING."
        let line = Bytes(text: "\n*** \(message) ***\n\n")
        _ = write(STDERR_FILENO, line, line.count)
        let isCI = getenv("CI").map { String(cString: $0) } == "true"
        #expect(!isCI, "\(message)")
    }
}
