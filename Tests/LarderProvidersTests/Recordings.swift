// The recorded responses of the real APIs. They lie beside the repository and are not part of it. Without them the
// tests say so and pass, except on CI, where a missing recording is a failure.
import Foundation
import LarderCore
import LarderProviders
import Testing

/// One line of the recordings' index.
struct Recording: Sendable, CustomTestStringConvertible {
    var file: String
    var api: String
    var status: Int
    var count: Int?
    /// The path, or the whole request as a text if the index has no path.
    var path: String

    var testDescription: String { file }

    /// The folder: `LARDER_RECORDINGS`, or `../shared/recordings` relative to the package.
    static let folder: URL = {
        if let set = ProcessInfo.processInfo.environment["LARDER_RECORDINGS"] { return URL(fileURLWithPath: set) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/recordings")
    }()

    /// Recordings of the built-in providers, without those that have no request of their own.
    static let all: [Recording] = {
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("index.json")),
            let root = try? JSON.parse(Bytes(data))
        else { return [] }
        return root.elements.compactMap { entry in
            guard let file = entry["file"]?.string, let api = entry["api"]?.string,
                ["itunes", "newsapi", "dnd5e", "chucknorris", "icndb", "tmdb"].contains(api),
                let path = entry["path"]?.string
            else { return nil }
            return Recording(
                file: file, api: api, status: entry["status"]?.integer ?? 200, count: entry["results"]?.integer,
                path: path.hasPrefix("/") ? path : entry["request"]?.string ?? path)
        }
    }()

    static func body(_ file: String) throws -> Bytes {
        try Bytes(Data(contentsOf: folder.appendingPathComponent(file)))
    }

    func response() throws -> UpstreamResponse {
        try Self.response(status, Self.body(file), api: api)
    }

    static func response(_ status: Int, _ body: Bytes, api: String = "itunes") -> UpstreamResponse {
        let origin = ProviderRegistry().named(api)?.about.defaultBaseURL ?? ""
        return UpstreamResponse(
            status: status, body: body, requestTime: WallTime(seconds: 1_700_000_000),
            responseTime: WallTime(seconds: 1_700_000_001), url: origin + "/api/2014/monsters?lang=en")
    }
}

@Suite struct RecordingsAreAtHand {
    @Test func theFolderIsThereOrItsAbsenceIsSaid() {
        guard Recording.all.isEmpty else { return }
        let message = "NO RECORDINGS in \(Recording.folder.path): the tests that read real answers did NOTHING."
        FileHandle.standardError.write(Data("\n*** \(message) ***\n\n".utf8))
        #expect(ProcessInfo.processInfo.environment["CI"] != "true", "\(message)")
    }
}
