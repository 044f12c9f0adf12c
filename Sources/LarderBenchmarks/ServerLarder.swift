// Starts larder in a realistic configuration for the job: a pass-through provider bound to a listener's root, and one
// loop for the one core. Settings that a setup does not name have their defaults.
import LarderCore

/// The changes of a part of the run to a plain installation.
struct LarderSetup {
    /// `cache.memorySize`; nil for the default.
    var memorySize: String?
    var maxSize: String?
    var maxObject: String?
    /// Longer time-outs, for transfers that take minutes.
    var isPatient = false
    /// Adds a second listener with Larder's own routes at its root.
    var hasOwnListener = false
    /// The built-in iTunes provider also calls the origin, without its rate limit.
    var hasITunes = false
    /// A rate limit for the iTunes provider after all, such as "100/h".
    var iTunesRate: String?
    /// `shared.url` of a host that shares its answers.
    var sharedURL: String?
    /// `connectTimeout`; nil for the default.
    var connectTimeout: String?
    /// The admin token, which allows changes.
    var adminToken: String?
    /// Further pass-through providers: names and base URLs.
    var passthrough: [(name: String, baseURL: String)] = []
    /// Words before the daemon's command, such as a tool that observes it.
    var prefix: [String] = []
    /// The daemon's file; nil for the one that the run measures.
    var binary: String?
    var isPinned = true

    /// Hits come from SQLite: the memory tier is off.
    static let onDisk = LarderSetup(memorySize: "0")

    func configuration(directory: String, origin: UInt16) -> String {
        var text = "listen:\n  - address: \"127.0.0.1:0\"\n    provider: bench\n"
        if hasOwnListener { text += "  - address: \"127.0.0.1:0\"\n" }
        text += "log: { access: off }\nserver:\n  loops: 1\n"
        text += "cache:\n  path: \"\(directory)/cache\"\n"
        for (name, value) in [("memorySize", memorySize), ("maxSize", maxSize), ("maxObject", maxObject)] {
            if let value { text += "  \(name): \(value)\n" }
        }
        text += "state:\n  path: \"\(directory)/state\"\n"
        if isPatient || connectTimeout != nil { text += "fetch:\n" }
        if isPatient { text += "  deadline: 10min\n  maxBody: 1 GiB\n" }
        if let connectTimeout { text += "  connectTimeout: \(connectTimeout)\n" }
        if let adminToken { text += "admin:\n  token: \"\(adminToken)\"\n" }
        text += "providers:\n"
        for (name, baseURL) in [("bench", "http://127.0.0.1:\(origin)")] + passthrough {
            text += "  \(name):\n    kind: passthrough\n    baseURL: \"\(baseURL)\"\n    rate: off\n    quota: off\n"
        }
        if hasITunes {
            text += "  itunes:\n    baseURL: \"http://127.0.0.1:\(origin)\"\n"
            text += "    rate: \(iTunesRate ?? "off")\n    quota: off\n"
        }
        if let sharedURL {
            text += "shared:\n  url: \"\(sharedURL)\"\n  key: \"the-fleet-of-the-benchmarks-on-one-machine\"\n"
        }
        return text
    }
}

/// A running larder and the directory of its data.
struct MeasuredLarder {
    var process: ChildProcess
    /// The port of the listener bound to the pass-through provider.
    var port: UInt16
    /// The port of the listener with Larder's own routes; 0 if the setup has none.
    var ownPort: UInt16
    var directory: String

    /// - Parameter directory: the directory with the cache and state of an earlier daemon; nil for a new directory.
    static func start(
        _ setup: LarderSetup, on stand: Stand, origin: UInt16, directory: String? = nil, seconds: Int = 20
    ) throws(Failure) -> MeasuredLarder {
        let place: String
        if let directory { place = directory } else { place = try stand.newDirectory("larder") }
        try Files.write(
            Bytes(text: setup.configuration(directory: place, origin: origin)), to: "\(place)/larder.yaml")
        let process = try ChildProcess(
            "larder",
            setup.prefix + [setup.binary ?? stand.arguments.larder, "serve", "--config", "\(place)/larder.yaml"],
            core: setup.isPinned ? stand.arguments.serverCore : nil, stand: stand)
        do throws(Failure) {
            let ports = try Server.announcedPorts(process, count: setup.hasOwnListener ? 2 : 1, seconds: seconds)
            return MeasuredLarder(
                process: process, port: ports[0], ownPort: ports.count > 1 ? ports[1] : 0, directory: place)
        } catch {
            process.stop()
            throw error
        }
    }

    /// The value of a series in `/metrics`; nil if there is no series with this name.
    func metric(_ name: String) throws(Failure) -> Double? {
        let reply = try ProbeClient(port: ownPort).get("/metrics", port: ownPort)
        for line in reply.body.lossyText.split(separator: "\n") where line.hasPrefix(name + " ") {
            return Double(line.dropFirst(name.count + 1))
        }
        return nil
    }
}

extension ServerKind {
    func startLarder(on stand: Stand, origin: UInt16, job: Job) throws(Failure) -> Server {
        var setup = self == .larderSQLite ? LarderSetup.onDisk : LarderSetup()
        if job == .mixed {
            if self == .larder { setup.memorySize = "256 MiB" }
            setup.maxSize = "8 GiB"
        }
        let running = try MeasuredLarder.start(setup, on: stand, origin: origin)
        return Server(kind: self, process: running.process, port: running.port, directory: running.directory)
    }
}
