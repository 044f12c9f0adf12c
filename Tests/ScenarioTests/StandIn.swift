// A daemon that uses the stand-in for one of the APIs, and helpers that read its answers.
import LarderCore
import LarderDaemon
import LarderOrigin
import LarderTestSupport
import Testing

/// The settings of a scenario's daemon for one built-in provider.
struct StandIn {
    var provider: String
    var key: String?
    /// Further lines of the provider's settings.
    var more = ""
    var time: any TimeSource = SystemTime()
    var directory = TemporaryDirectory()
    var log = Logger.silent

    /// Runs the daemon against a stand-in of its own.
    func run(
        _ source: OriginSource, _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let origin = try OriginServer(source: source, rewritesImageHosts: true)
        try origin.start()
        defer { origin.stop() }
        try await run(at: origin) { larder in try await body(larder, origin) }
    }

    /// Runs the daemon against a given stand-in.
    func run(at origin: OriginServer, _ body: (RunningLarder) async throws -> Void) async throws {
        let settings = """
            providers:
              \(provider):
                baseURL: "\(origin.baseURL(for: provider))"
                \(key.map { "key: \($0)" } ?? "")
                \(more)
            """
        try await withLarder(settings, time: time, directory: directory, log: log, body)
    }
}

extension WireResponse {
    /// The results of a 200 response. The list may be empty.
    func results() throws -> [JSONValue] {
        #expect(status == 200, "\(self)")
        return Array(try #require(json()["results"]).elements)
    }
}

extension RunningLarder {
    /// The titles of the results at a target.
    func titles(_ target: String) async throws -> [String] {
        try await get(target).results().compactMap { $0["title"]?.string }
    }
}
