// Runs larder in a soak: its configuration, its successive processes, and the log that each of them left.
import Glibc
import LarderCore

/// The origins of a soak.
struct SoakOrigins {
    var ports: [SoakProvider: UInt16] = [:]
    let flapper: SoakFlapper
}

/// The configuration of larder in a soak: a memory tier and a disk that are much too small.
struct SoakConfiguration {
    var cache: String
    var state: String
    var origins: SoakOrigins
    /// A reload changes this value.
    var memoryMebibytes = 2
    var minFree: String?

    var text: String {
        var text = """
            listen: ["127.0.0.1:0"]
            admin: { token: "\(SoakClient.token)" }
            log: { access: off, format: json }
            server: { drainTimeout: 5s }
            fetch: { deadline: 8s }
            cache:
              path: "\(cache)"
              maxSize: 24 MiB
              memorySize: \(memoryMebibytes) MiB

            """
        if let minFree { text += "  minFree: \(minFree)\n" }
        text += "state: { path: \"\(state)\" }\nproviders:\n"
        for provider in SoakProvider.allCases {
            let base = "http://127.0.0.1:\(origins.ports[provider] ?? 0)"
            text += "  \(provider.rawValue): { kind: passthrough, baseURL: \"\(base)\", rate: off, quota: off }\n"
        }
        let base = "http://127.0.0.1:\(origins.flapper.port)"
        text += "  \(SoakFlapper.provider): { kind: passthrough, baseURL: \"\(base)\", rate: off, quota: off }\n"
        return text
    }
}

final class SoakDaemon {
    private let arguments: SoakArguments
    private let stand: Stand
    private let state: SoakState
    private let disk: SoakDisk
    private let file: String
    /// The program with its arguments and the clock shim.
    private let command: [String]
    private var configuration: SoakConfiguration
    private(set) var process: ChildProcess
    private var circumstances = SoakLog.Circumstances()

    init(
        _ arguments: SoakArguments, _ stand: Stand, _ state: SoakState, _ disk: SoakDisk, _ clock: SoakClock,
        _ origins: SoakOrigins
    ) throws(Failure) {
        (self.arguments, self.stand, self.state, self.disk) = (arguments, stand, state, disk)
        let directory = try stand.newDirectory("larder")
        file = "\(directory)/larder.yaml"
        configuration = SoakConfiguration(
            cache: "\(disk.directory)/cache", state: "\(directory)/state", origins: origins)
        command = [
            "env", "LD_PRELOAD=\(arguments.clock)", "SOAK_CLOCK=\(clock.path)", arguments.larder, "serve", "--config",
            file,
        ]
        try Files.write(Bytes(text: configuration.text), to: file)
        process = try ChildProcess("larder", command, core: nil, stand: stand)
        try listen()
    }

    private func start() throws(Failure) {
        process = try ChildProcess("larder", command, core: nil, stand: stand)
        circumstances.diskWasShort = state.isDiskShort
        try listen()
    }

    private func listen() throws(Failure) {
        let port = try Server.announcedPorts(process, seconds: 60)[0]
        state.place = SoakState.Place(port: port, process: state.place.process + 1, isUp: true)
    }

    /// Ends the process and starts another.
    func restart(isKill: Bool) throws(Failure) {
        try end(isKill: isKill)
        try start()
        state.count(isKill ? .kills : .restarts)
    }

    /// Ends the process. After SIGTERM its end must be clean.
    func end(isKill: Bool) throws(Failure) {
        guard checkRunning() else { return }
        state.place.isUp = false
        if isKill {
            process.killOutright()
        } else {
            kill(process.pid, SIGTERM)
            try process.waitForEnd(seconds: 60)
            if !process.hasSucceeded {
                state.report(.process, "larder ended uncleanly after SIGTERM: \(process.complaint)")
            }
        }
        readLog()
    }

    /// Whether the process runs. A process that ended by itself is a finding, and a new one is started.
    @discardableResult
    func checkRunning() -> Bool {
        if process.isRunning { return true }
        state.place.isUp = false
        state.report(.process, "larder ended by itself (\(process.ending)): \(process.complaint)")
        readLog()
        do { try start() } catch { state.report(.process, "larder does not start again: \(error.text)") }
        return false
    }

    func reload(minFree: String? = nil) throws(Failure) {
        configuration.memoryMebibytes = 5 - configuration.memoryMebibytes
        configuration.minFree = minFree
        try Files.write(Bytes(text: configuration.text), to: file)
        kill(process.pid, SIGHUP)
        state.count(.reloads)
    }

    func shortenDisk(free: Int) throws(Failure) {
        state.isDiskShort = true
        circumstances.diskWasShort = true
        state.count(.disksFilled)
        if disk.isMounted { disk.fill(free: free) } else { try reload(minFree: "1 TiB") }
    }

    func easeDisk() throws(Failure) {
        guard state.isDiskShort else { return }
        if disk.isMounted { disk.empty() } else { try reload() }
        state.isDiskShort = false
    }

    private func readLog() {
        let log = SoakLog(process.errors, circumstances)
        for line in log.errors.prefix(5) { state.report(.process, "in larder's log: \(line)") }
        let aside = Files.names(in: "\(disk.directory)/cache").filter { $0.contains("corrupt") }
        if !aside.isEmpty { state.report(.process, "a database was set aside: \(aside.joined(separator: ", "))") }
        if let keep = arguments.keep, !log.errors.isEmpty || log.warnings > 0 {
            try? Files.write(Bytes(text: process.errors), to: "\(keep)/larder-\(state.place.process).log")
        }
    }
}
