// A soak from start to end (Benchmarks/README.md). The clients send requests and the schedule causes events. At the end
// everything is requested once more, before and after a last restart.
import Glibc
import LarderCore

struct SoakRun {
    let arguments: SoakArguments
    let stand: Stand
    let state: SoakState
    let daemon: SoakDaemon
    let disk: SoakDisk
    let clock: SoakClock
    private var plateaus: [SoakPlateau] = []

    /// Returns whether there were no findings.
    static func main(_ words: [String]) throws(Failure) {
        let now = UInt64(truncatingIfNeeded: SystemTime().wall().milliseconds)
        let arguments = try SoakArguments(words, seed: now % 1_000_000)
        let signals = try Signals()
        let stand = try Stand(try Arguments([]), signals)
        defer { stand.remove() }
        let disk = try SoakDisk(stand)
        defer { disk.remove() }
        let state = SoakState(seed: arguments.seed)
        let clock = try SoakClock(stand)
        var origins = SoakOrigins(flapper: try SoakFlapper())
        for provider in SoakProvider.allCases { origins.ports[provider] = try SoakOrigin(provider, state).port }
        note("soak: seed \(arguments.seed), \(arguments.seconds) s, \(arguments.rate) requests a second")
        note(
            "soak: the disk is \(disk.isMounted ? "a file system of its own" : "full by cache.minFree only: it cannot be mounted here")"
        )
        let daemon = try SoakDaemon(arguments, stand, state, disk, clock, origins)
        defer { daemon.process.stop() }
        try origins.flapper.startClient(state)
        var run = SoakRun(arguments: arguments, stand: stand, state: state, daemon: daemon, disk: disk, clock: clock)
        try run.go()
        print(SoakReport(arguments: arguments, state: state, plateaus: run.plateaus, disk: disk).text, terminator: "")
        guard state.findings.isEmpty else {
            throw .failed("soak", "\(state.findings.count) findings; again with --seed \(arguments.seed)")
        }
    }

    private init(
        arguments: SoakArguments, stand: Stand, state: SoakState, daemon: SoakDaemon, disk: SoakDisk, clock: SoakClock
    ) {
        (self.arguments, self.stand, self.state) = (arguments, stand, state)
        (self.daemon, self.disk, self.clock) = (daemon, disk, clock)
    }

    private mutating func go() throws(Failure) {
        let schedule = SoakSchedule(seed: arguments.seed, seconds: arguments.seconds)
        for client in 0..<arguments.clients { try startClient(client) }
        // Rests do not count.
        var rested = 0
        for entry in schedule.entries {
            while case let left = entry.milliseconds + rested - state.milliseconds, left > 0 {
                try stand.signals.pause(milliseconds: min(left, 500))
                daemon.checkRunning()
            }
            let before = state.milliseconds
            try perform(entry.event)
            if entry.event == .rest { rested += state.milliseconds - before }
            if state.findings.count >= SoakState.mostFindings { break }
        }
        state.isOver = true
        try waitForQuiet()
        try perform(.emptyDisk)
        try perform(.resetClock)
        try perform(.faults(perMille: 0))
        compare()
        try askForEverything()
        try daemon.restart(isKill: false)
        try askForEverything()
        try daemon.end(isKill: false)
    }

    private func startClient(_ number: Int) throws(Failure) {
        let (state, arguments) = (state, arguments)
        try SoakThread.start {
            var steps = SoakSteps(seed: arguments.seed, client: number)
            let client = SoakClient(state)
            let pause = 1000 * arguments.clients / arguments.rate
            while !state.isOver {
                state.addBusy(1)
                if !state.isPaused { client.take(steps.next()) }
                state.addBusy(-1)
                SoakThread.sleep(milliseconds: pause)
            }
        }
    }

    private mutating func perform(_ event: SoakEvent) throws(Failure) {
        switch event {
        case .restart: try daemon.restart(isKill: false)
        case .kill: try daemon.restart(isKill: true)
        case .reload: if !state.isDiskShort || disk.isMounted { try daemon.reload() }
        case .fillDisk(let free): try daemon.shortenDisk(free: free)
        case .emptyDisk: try daemon.easeDisk()
        case .stepClock(let seconds):
            clock.seconds += seconds
            state.count(.clockSteps)
        case .resetClock: clock.seconds = 0
        case .faults(let perMille): state.setFaults(perMille: perMille)
        case .rest: try rest()
        }
    }

    private mutating func rest() throws(Failure) {
        state.isPaused = true
        defer { state.isPaused = false }
        try waitForQuiet()
        // In the first half the daemon ends the work that the requests left. In the second half it has nothing to do.
        let half = max(2500, min(30_000, arguments.seconds * 50))
        try stand.pauseWhole(milliseconds: half)
        let before = SoakThreadFigures.all(of: daemon.process.pid)
        try stand.pauseWhole(milliseconds: half)
        var plateau = SoakPlateau(
            of: daemon.process.pid, process: state.place.process, milliseconds: state.milliseconds)
        plateau.compare(SoakThreadFigures.all(of: daemon.process.pid), with: before, over: half)
        for excess in plateau.excesses { state.report(.process, excess) }
        plateaus.append(plateau)
    }

    private func waitForQuiet() throws(Failure) {
        let deadline = monotonicNanoseconds() + 120_000_000_000
        while state.busy > 0 {
            guard monotonicNanoseconds() < deadline else {
                throw .failed("soak", "clients still wait after two minutes")
            }
            try stand.signals.pause(milliseconds: 20)
        }
    }

    private func compare() {
        guard let early = plateaus.first, let late = plateaus.last, early != late else {
            return state.report(.process, "there are no two plateaus to compare")
        }
        // A process that ended by itself has been reported already.
        guard early.process == late.process else { return }
        for growth in late.growth(since: early) { state.report(.process, growth) }
    }

    /// Requests every resource once in every language. Before that, waits until larder calls the provider again.
    private func askForEverything() throws(Failure) {
        let client = SoakClient(state)
        for provider in SoakProvider.allCases {
            try waitForReturn(of: provider)
            for resource in SoakResource.all(of: provider) {
                for language in resource.kind == .vary ? SoakResource.languages : ["en"] {
                    client.take(.get(resource, language: language, .whole))
                }
            }
        }
    }

    /// That origin no longer fails, so an answer must come soon.
    private func waitForReturn(of provider: SoakProvider) throws(Failure) {
        let client = SoakClient(state)
        let deadline = state.milliseconds + SoakState.memoryOfFaults
        while true {
            let number = 1_000_000_000 + state.milliseconds
            if client.isAnswered(SoakResource(provider, .once, number)) { return }
            guard state.milliseconds < deadline else {
                return state.report(
                    .process,
                    "\(provider.rawValue) is not asked again, \(SoakState.memoryOfFaults / 1000) s after its last fault"
                )
            }
            try stand.signals.pause(milliseconds: 250)
        }
    }
}
