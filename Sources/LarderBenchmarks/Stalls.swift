// Measures the latency of memory hits with slow operations on the same loop, and without them. Both kinds of rounds
// alternate in one run of one daemon. A loop that waits for a disk, a name server or a handshake shows in the p99.
import LarderCore

/// The latency of hits over the rounds, in microseconds.
struct StallSamples {
    var p50 = Sample()
    var p99 = Sample()
    var greatest = Sample()
    /// The p99 of all hits, including those not counted.
    var p99OfAll = Sample()
    var unanswered = 0
    var counted = 0
    var discounted = 0

    mutating func add(_ round: StallRound) {
        p50.add(Double(round.hits.p50) / 1000)
        p99.add(Double(round.hits.p99) / 1000)
        greatest.add(Double(round.hits.greatest) / 1000)
        p99OfAll.add(Double(round.p99OfAll) / 1000)
        unanswered += round.hits.unanswered
        counted += round.hits.count
        discounted += round.discounted
    }
}

/// The figures of one cause.
struct StallFigures {
    /// Hits a second.
    var rate = 0.0
    var without = StallSamples()
    var with = StallSamples()
    /// Requests beside the hits in a round, and how many of them were answered within it.
    var asked = Sample()
    var answered = Sample()
    /// The median and the greatest latency of these answers, in milliseconds.
    var p50 = Sample()
    var greatest = Sample()
    /// Slow operations in a round: bytes read from the disk, names looked up, or handshakes.
    var done = Sample()

    /// The ratio of the p99 values, round by round.
    var ratio: Sample { with.p99.ratio(to: without.p99) }
    /// The same ratio for all hits.
    var ratioOfAll: Sample { with.p99OfAll.ratio(to: without.p99OfAll) }

    /// The reason why the ratio means nothing; nil if it is meaningful.
    var emptiness: String? { (done.least ?? 0) > 0 ? nil : "nothing slow was done" }
}

struct StallRun {
    let stand: Stand
    private var arguments: Arguments { stand.arguments }

    func measure() throws(Failure) -> [StallCause: StallFigures] {
        var figures: [StallCause: StallFigures] = [:]
        for cause in StallCause.allCases { figures[cause] = try measure(cause) }
        return figures
    }

    private func measure(_ cause: StallCause) throws(Failure) -> StallFigures {
        let eachRound = cause.rate * arguments.seconds
        let ground = try StallGround(cause, requests: eachRound * (arguments.rounds + 1), stand)
        defer { ground.stop() }
        var figures = StallFigures()
        figures.rate = try saturation(ground) / 4
        // The first round is a warm-up and is not counted.
        for round in 0...arguments.rounds {
            for isWith in round % 2 == 0 ? [false, true] : [true, false] {
                let found = try take(ground, rate: figures.rate, first: isWith ? round * eachRound : nil)
                note(
                    "stalls, \(cause.title), round \(round)/\(arguments.rounds), \(isWith ? "with" : "without"): "
                        + "p99 \(Figures.fixed(Double(found.round.hits.p99) / 1000, 1)) µs")
                guard round > 0 else { continue }
                guard isWith else {
                    figures.without.add(found.round)
                    continue
                }
                figures.with.add(found.round)
                figures.asked.add(Double(found.round.aside.sent))
                figures.answered.add(Double(found.round.aside.answered))
                figures.p50.add(Double(found.round.aside.p50) / 1e6)
                figures.greatest.add(Double(found.round.aside.greatest) / 1e6)
                figures.done.add(Double(cause == .handshakes ? found.round.aside.answered : found.done))
            }
        }
        return figures
    }

    /// - Parameter first: the number of the first slow request; nil for none.
    private func take(
        _ ground: StallGround, rate: Double, first: Int?
    ) throws(Failure) -> (round: StallRound, done: Int) {
        if first != nil { ground.prepare() }
        let before = try ground.done
        let text = try stand.pinned(
            [
                "stalls", "\(ground.larder.port)", StallGround.hit.path, "\(rate)", "\(arguments.seconds)",
                "\(arguments.connections)", ground.plan.cause.rawValue, "\(ground.asidePort)",
                "\(first == nil ? 0 : ground.plan.cause.rate)", "\(first ?? 0)", "\(ground.plan.span)",
            ], seconds: arguments.seconds + 15)
        guard let round = StallRound(lines: text) else { throw .failed("stalls", "no result") }
        let done = try ground.done - before
        if first != nil { try ground.settle() }
        return (round, done)
    }

    /// Hits a second with a closed loop over as many connections.
    private func saturation(_ ground: StallGround) throws(Failure) -> Double {
        try Load(
            port: ground.larder.port, size: StallGround.hit.size, order: .uniform(objects: 1, stride: 1, seed: 1),
            count: .max, seconds: 1, connections: arguments.connections
        ).run(on: stand).perSecond
    }
}
