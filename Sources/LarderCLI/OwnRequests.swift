// Requests that a command makes itself, to an API and not to the daemon. They are made as the daemon would make them:
// with its name, its proxy and its certificate authorities.
import LarderCore
import LarderFetch
import LarderIO
import LarderSettings

enum OwnRequests {
    /// Calls `body` with a fetcher that lives as long as the call.
    static func with<Found>(
        _ settings: Settings, _ body: (CurlUpstream) async throws(CommandFailure) -> Found
    ) async throws(CommandFailure) -> Found {
        let loop: EventLoop
        do {
            loop = try EventLoop(name: "fetch", index: 0)
            try loop.start()
        } catch {
            throw CommandFailure(.broken, "\(error)")
        }
        let fetcher = CurlUpstream(
            loop: loop,
            settings: FetchSettings(
                userAgent: settings.fetch.userAgent, connectTimeout: settings.fetch.connectTimeout,
                proxy: settings.fetch.proxy, caFile: settings.fetch.caFile),
            log: Logger.silent, counters: CounterRegistry())
        let found: Result<Found, CommandFailure>
        do throws(CommandFailure) {
            found = .success(try await body(fetcher))
        } catch {
            found = .failure(error)
        }
        await fetcher.shutdown()
        loop.stop()
        loop.join()
        return try found.get()
    }
}
