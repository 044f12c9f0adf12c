// The slow operations beside the memory hits, the requests that cause them, and the round of a pinned child that sends
// both.
import LarderCore

/// The slow operation. The raw value is for the child's command line.
enum StallCause: String, CaseIterable {
    /// Entries that are in neither larder's memory nor the system's page cache are read from the disk.
    case cold
    /// Names of hosts that no name server answers for.
    case names
    /// Misses that each need a TLS handshake.
    case handshakes

    var title: String {
        switch self {
        case .cold: "cold entries from the disk"
        case .names: "silent name servers"
        case .handshakes: "TLS handshakes"
        }
    }

    /// Requests a second. At this rate, each request needs to hold a loop for only a millisecond to show in a p99.
    var rate: Int {
        switch self {
        case .cold: 100
        case .names: 16
        case .handshakes: 50
        }
    }

    /// Whether an answer with this head shows that the slow operation took place.
    func isExpected(_ head: String) -> Bool {
        switch self {
        case .cold: head.hasPrefix("HTTP/1.1 200 ") && head.contains("larder; hit")
        case .names: head.hasPrefix("HTTP/1.1 502 ") || head.hasPrefix("HTTP/1.1 504 ")
        case .handshakes: head.hasPrefix("HTTP/1.1 200 ")
        }
    }
}

/// The requests of one cause. `span` is the number of objects, providers or names.
struct StallPlan {
    static let rowSize = 16_000
    static let fileSize = 100_000
    /// The number of concurrent fetches of a provider (`maxConnections`). Further requests wait and look up no name.
    static let fetchesAtATime = 8

    let cause: StallCause
    let span: Int

    func path(_ number: Int) -> String {
        switch cause {
        case .cold:
            // A prime step, so that read-ahead for one object does not read the next one.
            let place = number % span * 7_368_787 % span
            let size = place % 2 == 0 ? Self.rowSize : Self.fileSize
            return OriginObject(kind: .image, size: size, id: place / 2).path
        case .names: return "/raw/\(Self.provider(number / Self.fetchesAtATime % span))/\(number)"
        case .handshakes: return "/raw/tls/\(number % span)"
        }
    }

    static func provider(_ number: Int) -> String { "silent\(number)" }
}

/// One round of hits, with or without slow operations beside it.
struct StallRound {
    var hits: LatencyRound
    var aside: AsideRound
    /// Hits that are not counted, because they waited for the load, which was off its core, and not for larder.
    var discounted: Int
    /// In nanoseconds, including the hits that are not counted.
    var p99OfAll: Int64

    /// The lines in which the pinned child passes this to its parent.
    var lines: String {
        "\(hits.line)\naside \(aside.sent) \(aside.answered) \(aside.p50) \(aside.greatest) \(discounted) \(p99OfAll)"
    }

    init(hits: LatencyRound, aside: AsideRound, discounted: Int, p99OfAll: Int64) {
        (self.hits, self.aside, self.discounted, self.p99OfAll) = (hits, aside, discounted, p99OfAll)
    }

    init?(lines: String) {
        let rows = lines.split(separator: "\n")
        guard rows.count == 2, let hits = LatencyRound(line: String(rows[0])) else { return nil }
        let numbers = rows[1].split(separator: " ").dropFirst().compactMap { Int64($0) }
        guard rows[1].hasPrefix("aside "), numbers.count == 6 else { return nil }
        self.hits = hits
        aside = AsideRound(
            sent: Int(numbers[0]), answered: Int(numbers[1]), p50: numbers[2], greatest: numbers[3])
        (discounted, p99OfAll) = (Int(numbers[4]), numbers[5])
    }

    /// The work of the pinned child.
    static func part(_ words: [String]) throws(Failure) {
        guard words.count == 11, let port = UInt16(words[1]), let rate = Double(words[3]), rate > 0,
            let seconds = Int(words[4]), let connections = Int(words[5]), let cause = StallCause(rawValue: words[6]),
            let asidePort = UInt16(words[7]), let asideRate = Double(words[8]), let first = Int(words[9]),
            let span = Int(words[10]), span > 0
        else { throw .usage("--part stalls is for the harness itself") }
        var loop = try OpenLoop(port: port, path: words[2], connections: connections)
        loop.absence.isLooking = true
        loop.aside = try Aside(
            port: asidePort, plan: StallPlan(cause: cause, span: span), rate: asideRate, first: first)
        let hits = try loop.run(rate: rate, seconds: seconds)
        let aside = loop.aside?.round ?? AsideRound()
        print(StallRound(hits: hits, aside: aside, discounted: loop.discounted, p99OfAll: loop.p99OfAll).lines)
    }
}
