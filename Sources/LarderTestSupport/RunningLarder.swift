// Runs a whole daemon in the test's own process, with real sockets, real libcurl, real SQLite, and ports that the
// kernel chooses.
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// A daemon that runs during the body of `withLarder`.
public struct RunningLarder: Sendable {
    public let daemon: Daemon
    public let directory: TemporaryDirectory
    /// The first address: Larder's own interface.
    public var address: String { daemon.addresses[0] }
    /// All addresses, in the order of `listen`.
    public var addresses: [String] { daemon.addresses }

    /// Sends one request over a new connection.
    public func send(
        _ method: String, _ target: String, fields: [(String, String)] = [], body: String = "",
        to address: String? = nil
    ) async throws -> WireResponse {
        let address = address ?? self.address
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
        let bytes = Bytes(text: head + "\r\n" + body)
        return try await onOwnThread {
            let client = try WireClient(address)
            try client.send(bytes)
            return try client.receive(toHead: method == "HEAD")
        }
    }

    /// Runs the body with one connection, on a thread of its own.
    public func talk<Result: Sendable>(
        to address: String? = nil, _ body: @escaping @Sendable (WireClient) throws -> Result
    ) async throws -> Result {
        let address = address ?? self.address
        return try await onOwnThread { try body(WireClient(address)) }
    }

    /// Sends exactly these bytes and returns the response.
    public func send(bytes: Bytes, to address: String? = nil) async throws -> WireResponse {
        try await talk(to: address) { client in
            try client.send(bytes)
            return try client.receive()
        }
    }

    public func get(
        _ target: String, _ fields: (String, String)..., at address: String? = nil
    ) async throws -> WireResponse {
        try await send("GET", target, fields: fields, to: address)
    }

    /// The value of a counter in `/metrics`: `counter("larder_joined_total")`, or with labels
    /// `counter("larder_cache_total", #"provider="itunes",outcome="hit""#)`. Zero if the series does not exist yet.
    public func counter(_ name: String, _ labels: String = "") async throws -> Int {
        let text = try await get("/metrics").text
        let series = labels.isEmpty ? name : "\(name){\(labels)}"
        for line in text.split(separator: "\n") where line.hasPrefix(series + " ") {
            return Int(line.dropFirst(series.count + 1)) ?? 0
        }
        return 0
    }
}

extension RunningLarder {
    /// Gives the daemon another configuration, as SIGHUP does. Only for a daemon with the usual `listen`.
    ///
    /// Limits of time count by the system's clock, also where a test sets the daemon's clock. A test of short limits
    /// sets them by a reload, after the requests for which a slow machine could need longer.
    public func reload(_ configuration: String) async {
        directory.write("larder.yaml", "listen: [\"127.0.0.1:0\"]\n\(configuration)\n")
        await daemon.reload()
    }

    /// Makes every loop run its timers that are due by `timers`, if the test sets that clock by hand.
    public func giveLoopsATurn() async throws {
        // The probe passes through each loop of clients, the request through the home loop too. In the first round a
        // loop may have read its clock before the test set it.
        for _ in 0..<2 {
            try await LarderTestSupport.eventually("every loop answers") { await daemon.probe() }
            _ = try await get("/healthz")
        }
    }

    /// Waits until all stored answers are committed. The daemon commits them a little later than it gives them out,
    /// and a stop does not wait long for a slow disk.
    public func awaitCommits() async throws {
        try await eventually("all answers are committed") {
            try await get("/metrics").text.contains("\nlarder_store_uncommitted 0\n")
        }
    }

    /// Repeats the check until the condition holds. For background work of the daemon.
    public func eventually(
        _ what: String, fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
    ) async throws {
        try await LarderTestSupport.eventually(what, fileID: fileID, line: line) {
            if try await condition() { return true }
            // The request passes through the home loop and one of the others. It also slows the repetition down.
            _ = try await get("/healthz")
            return false
        }
    }
}

/// Runs a daemon with this configuration and stops it afterwards, even if the body throws. The configuration is YAML
/// without `listen`, `cache.path` and `state.path`; the two paths are in the test's own directory unless given.
/// The loops' timers keep the system's time, also with a `time` that is set by hand, unless `timers` is given too.
/// Limits on real time that the configuration does not write are as long as they may be, see `PatientLimits`.
/// `openFiles` replaces the process's limit of open files. `stopPatience` is how long the stop waits for the databases.
/// `fleetPatience` is how long the hosts of a fleet wait for each other, if not as usual.
// More than six parameters: one for each thing that a test may want to differ. All but the last have a default.
public func withLarder(
    _ configuration: String = "", listen: [String] = [#""127.0.0.1:0""#], time: any TimeSource = SystemTime(),
    timers: any TimeSource = SystemTime(), directory: TemporaryDirectory = TemporaryDirectory(),
    environment: [String: String] = [:],
    log: Logger = .silent, openFiles: Int? = nil, stopPatience: Duration = .seconds(300),
    fleetPatience: Duration? = nil,
    _ body: (RunningLarder) async throws -> Void
) async throws {
    let text = """
        listen: [\(listen.joined(separator: ", "))]
        \(configuration)
        """
    let file = directory.write("larder.yaml", text)
    let places = [("cache.path", "\(directory.path)/cache"), ("state.path", "\(directory.path)/state")]
    // Tests of stored answers and hits must not depend on the speed of the disk, unless that is their subject.
    let patience = text.contains("patience:") ? [] : [(path: "cache.patience", value: "30s")]
    let flags = places.map { (path: $0.0, value: $0.1) } + patience + unnamedAPIs(text)
    let load: @Sendable () throws -> Settings = {
        // Limits on real time that the test does not write are as long as they may be. The test may rewrite the file,
        // so each load finds out anew which these are.
        let plain = try SettingsLoader().load(file: file, environment: environment, flags: flags)
        return try SettingsLoader().load(
            file: file, environment: environment, flags: flags + PatientLimits.values(for: plain))
    }
    let isNested = DaemonTurns.isTaken
    if !isNested { await DaemonTurns.shared.take() }
    defer { if !isNested { DaemonTurns.shared.give() } }
    var surroundings = Daemon.Surroundings(time: time, log: log, reload: load)
    surroundings.stopPatience = stopPatience
    surroundings.timers = timers
    surroundings.fleetPatience = fleetPatience
    if let openFiles { surroundings.raiseOpenFiles = { openFiles } }
    let daemon = try await Daemon.start(try load(), surroundings)
    let result: Result<Void, any Error>
    do {
        result = .success(
            try await DaemonTurns.$isTaken.withValue(true) {
                try await body(RunningLarder(daemon: daemon, directory: directory))
            })
    } catch {
        result = .failure(error)
    }
    await daemon.stop()
    try result.get()
}

/// A built-in API that needs no key is called by every search that names no sources. If a test configures some of these
/// APIs, the others are disabled.
private func unnamedAPIs(_ configuration: String) -> [(path: String, value: String)] {
    let open = ProviderRegistry.builtIn.map(\.about).filter { !$0.needsKey }
    let unnamed = open.filter { !configuration.contains("\($0.name):") }
    return unnamed.count == open.count ? [] : unnamed.map { ("providers.\($0.name).enabled", "false") }
}
