// The daemon behind a run: one that listens on a Unix socket, or one that the run starts for itself, with the user's own
// configuration and cache, for as long as the command lives.
import Glibc
import LarderCore
import LarderSettings

/// A daemon that a run speaks to.
struct RunDaemon: Sendable {
    let socket: String
    private let child: ChildDaemon?
    /// The hosts of the APIs that it knows, as far as they are reached by https.
    let hosts: Set<String>

    /// - Parameter directory: the run's own, for the socket of a daemon that is started.
    init(_ invocation: Invocation, directory: String, parentProxy: String?) throws(CommandFailure) {
        let candidates = try DaemonAddress.candidates(
            url: invocation.value("--url"), environment: invocation.environment)
        for address in candidates {
            guard case .unix(let path) = address.place, let hosts = try? Self.hosts(of: address) else { continue }
            (socket, child, self.hosts) = (path, nil, hosts)
            return
        }
        if let url = invocation.value("--url") {
            throw CommandFailure(
                .noDaemon, "no daemon answers at \(url)", advice: "larder run needs the daemon's Unix socket.")
        }
        socket = "\(directory)/larder.sock"
        child = try Self.start(invocation, directory, socket, parentProxy: parentProxy)
        do throws(CommandFailure) {
            hosts = try Self.hosts(of: DaemonAddress(place: .unix(socket), authority: "localhost"))
        } catch {
            _ = child?.stop()
            throw error
        }
    }

    private static func start(
        _ invocation: Invocation, _ directory: String, _ socket: String, parentProxy: String?
    ) throws(CommandFailure) -> ChildDaemon {
        let file = try SettingsSources(invocation).file
        // Standard error is the command's: only what is wrong is told there.
        var words =
            ["serve", "--while-input"] + (file.map { ["--config", $0] } ?? []) + ["--listen", "unix:\(socket)"]
            + ["--set", "log.level=error", "--set", "log.access=off"]
        var environment = invocation.environment
        // A service manager must not take the run's daemon for its own.
        for name in ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC"] { environment[name] = nil }
        if let proxy = parentProxy, (try? SettingsSources(invocation).read())?.fetch.proxy == nil {
            words += ["--set", "fetch.proxy=\(proxy)"]
        }
        do throws(CommandFailure) {
            return try ChildDaemon(words, listeners: 1, environment: environment, endsWithParent: true)
        } catch {
            // Most often another run has the user's cache.
            guard !invocation.has("--offline") else { throw error }
            invocation.console.note(
                "larder: your cache is in use: this run has an empty one of its own, and its calls count apart")
        }
        return try ChildDaemon(
            words + ["--set", "cache.path=\(directory)/cache", "--set", "state.path=\(directory)/state"], listeners: 1,
            environment: environment, endsWithParent: true)
    }

    private static func hosts(of address: DaemonAddress) throws(CommandFailure) -> Set<String> {
        let status = try Conversation(address: address, timeout: .seconds(5)).json(DaemonRequest(.get, "/v1/status"))
            .value
        var hosts = Set<String>()
        let providers = status["providers"].map { Array($0.elements) } ?? []
        // Without its key, an API is asked as the command asks it.
        for provider in providers where !["off", "notConfigured"].contains(provider["state"]?.string ?? "") {
            for url in provider["baseURLs"].map({ Array($0.elements) }) ?? [] {
                guard let rest = url.string?.dropping(prefix: "https://") else { continue }
                hosts.insert(String(rest.prefix { $0 != "/" && $0 != ":" }))
            }
        }
        return hosts
    }

    func stop() { _ = child?.stop() }
}
