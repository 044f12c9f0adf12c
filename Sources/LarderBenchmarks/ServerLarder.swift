// larder as a person would set it up for the job in hand: a pass-through provider bound to a listener's root, one loop for
// the one core. Everything that a setup does not name is its default.
import LarderCore

/// What a part of the run changes about a plain installation.
struct LarderSetup {
    /// `cache.memorySize`; nil for the default.
    var memorySize: String?
    var maxSize: String?
    var maxObject: String?
    /// For transfers that take minutes.
    var isPatient = false
    /// A second listener, at whose root are Larder's own routes.
    var hasOwnListener = false
    /// The built-in iTunes provider asks the origin too, without its rate.
    var hasITunes = false
    /// Its rate after all, such as "100/h".
    var iTunesRate: String?
    /// `shared.url` of a host that shares its answers.
    var sharedURL: String?
    /// Instead of its default.
    var connectTimeout: String?
    /// Who may change something, by the token.
    var adminToken: String?
    /// Further pass-through providers, by name, and their base URLs.
    var passthrough: [(name: String, baseURL: String)] = []
    /// What the daemon is started through, such as a tool that watches it.
    var prefix: [String] = []
    var isPinned = true

    /// Hits from SQLite: the memory tier is off.
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

/// A running larder and where it keeps what it stores.
struct MeasuredLarder {
    var process: ChildProcess
    /// Of the listener bound to the pass-through provider.
    var port: UInt16
    /// Of the listener with Larder's own routes; 0 where the setup has none.
    var ownPort: UInt16
    var directory: String

    /// - Parameter directory: where an earlier one left its cache and state; nil for a new place.
    static func start(
        _ setup: LarderSetup, on stand: Stand, origin: UInt16, directory: String? = nil, seconds: Int = 20
    ) throws(Failure) -> MeasuredLarder {
        let place: String
        if let directory { place = directory } else { place = try stand.newDirectory("larder") }
        try Files.write(
            Bytes(text: setup.configuration(directory: place, origin: origin)), to: "\(place)/larder.yaml")
        let process = try ChildProcess(
            "larder", setup.prefix + [stand.arguments.larder, "serve", "--config", "\(place)/larder.yaml"],
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

    /// The value of a figure in `/metrics`; nil where there is none of that name.
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
