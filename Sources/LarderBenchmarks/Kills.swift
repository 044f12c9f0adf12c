// Kills larder with kill -9 while it writes, again and again. Objects that larder reported as stored, or answered from
// its store, at least `cache.commitWithin` before a kill must be there after the next start. Every stored object must
// have the right bytes, and every start must be clean.
import Glibc
import LarderCore

struct KillFigures {
    var kills = 0
    /// Objects that were reported as stored, or answered from the store, before a kill.
    var acknowledged = 0
    /// The checked objects among those that were acknowledged long enough before the kill.
    var checked = 0
    /// The checked objects that are gone. A wrong byte ends the run at once.
    var lost = 0
    /// Objects that were acknowledged later: the number checked and the number gone. These may be gone.
    var recent = (checked: 0, gone: 0)
    /// Starts that complained, set a database aside or failed.
    var uncleanStarts = 0
    var startMilliseconds = Sample()
}

struct KillRun {
    /// The most objects of the last round that are checked, and the most of all earlier rounds.
    static let checkedOfLast = 100
    static let checkedOfEarlier = 20
    /// The default of `cache.commitWithin`, in nanoseconds.
    static let safeAfter: Int64 = 100_000_000
    let stand: Stand
    private let pool = Pool()

    init(stand: Stand) { self.stand = stand }

    func measure() throws(Failure) -> KillFigures {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        let sizes = try ObjectSizes(Files.text(of: "\(stand.arguments.templates)/object-sizes.txt"))
        var random = SplitMix(state: 4)
        var setup = LarderSetup.onDisk
        // Eviction would look like loss, so the store can hold everything that a thousand rounds write.
        setup.maxSize = "64 GiB"
        let directory = try stand.newDirectory("killed")
        var figures = KillFigures()
        var last: (safe: [Int], recent: [Int]) = ([], [])
        var earlier: [Int] = []
        for round in 0..<stand.arguments.kills + 1 {
            let began = monotonicNanoseconds()
            let larder = try MeasuredLarder.start(setup, on: stand, origin: origin.port, directory: directory)
            defer { larder.process.stop() }
            figures.startMilliseconds.add(Double(monotonicNanoseconds() - began) / 1e6)

            var chosen = Array(last.safe.shuffled(&random).prefix(Self.checkedOfLast))
            for _ in 0..<min(Self.checkedOfEarlier, earlier.count) {
                chosen.append(earlier[Int(random.next() % UInt64(earlier.count))])
            }
            let recent = Array(last.recent.shuffled(&random).prefix(Self.checkedOfEarlier))
            try look(for: chosen, and: recent, sizes, on: larder.port, round, &figures)
            // After the last start nothing more is written or killed.
            guard round < stand.arguments.kills else {
                larder.process.stop()
                if try isUnclean(larder, directory) { figures.uncleanStarts += 1 }
                break
            }
            earlier += last.safe
            let child = try Load(
                port: larder.port, size: nil, order: .twice(first: round * 1_000_000), count: .max, seconds: 60,
                connections: 8, isTolerant: true
            ).start(on: stand)
            defer { child.stop() }
            try child.wait(for: "its connections") { child.output.hasPrefix(Load.ready) }
            try stand.pauseWhole(milliseconds: 30)
            try stand.pauseWhole(milliseconds: Int(random.next() % 200))
            let killedAt = monotonicNanoseconds()
            larder.process.killOutright()
            let seen = try Load.result(of: child, seconds: 60)
            if try isUnclean(larder, directory) { figures.uncleanStarts += 1 }
            last = seen.acknowledged.split(crash: killedAt, safeAfter: Self.safeAfter)
            figures.kills += 1
            figures.acknowledged += seen.acknowledged.instants.count
            if (round + 1) % 10 == 0 {
                note(
                    "kill \(round + 1)/\(stand.arguments.kills): \(figures.acknowledged) acknowledged, \(figures.lost) lost"
                )
            }
        }
        return figures
    }

    /// Requests objects again and counts those that are gone.
    /// - Parameter recent: objects that were acknowledged too shortly before the kill to be safe.
    private func look(
        for chosen: [Int], and recent: [Int], _ sizes: ObjectSizes, on port: UInt16, _ round: Int,
        _ figures: inout KillFigures
    ) throws(Failure) {
        let client = try ProbeClient(port: port)
        for (place, number) in (chosen + recent).enumerated() {
            let object = sizes.object(number)
            let reply = try client.get(object.path, port: port)
            guard reply.status == 200, pool.isBody(reply.body, of: object) else {
                throw .failed("kill \(round)", "\(object.path): status \(reply.status) or a wrong body")
            }
            let isThere = ServerKind.larder.isHit(reply.fields)
            if place < chosen.count {
                figures.checked += 1
                if !isThere { figures.lost += 1 }
            } else {
                figures.recent.checked += 1
                if !isThere { figures.recent.gone += 1 }
            }
        }
    }

    /// Whether larder complained on standard error or set a database aside.
    private func isUnclean(_ larder: MeasuredLarder, _ directory: String) throws(Failure) -> Bool {
        let names = Files.names(in: "\(directory)/cache") + Files.names(in: "\(directory)/state")
        let errors = larder.process.errors.split(separator: "\n").filter {
            let line = $0.lowercased()
            return line.contains("warn") || line.contains("error") || line.contains("aside")
        }
        for line in errors { note("kill: larder said: \(line)") }
        return !errors.isEmpty || names.contains { $0.contains("corrupt") }
    }
}

extension [Int] {
    fileprivate func shuffled(_ random: inout SplitMix) -> [Int] {
        var all = self
        for place in all.indices.dropFirst() {
            all.swapAt(place, Int(random.next() % UInt64(place + 1)))
        }
        return all
    }
}
