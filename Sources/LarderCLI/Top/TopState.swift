// The state of `larder top` and its sort orders: a value that samples, requests and keys change. Its size is bounded.
import LarderCore

struct TopState: Sendable {
    /// A target and the requests for it.
    struct Entry: Sendable, Equatable {
        var target: String
        var count = 0
        var hits = 0
        var bytes = 0
        /// The total duration of the requests that were timed.
        var milliseconds = 0.0
        var timed = 0

        var mean: Double? { timed > 0 ? milliseconds / Double(timed) : nil }
    }

    struct SlowRequest: Sendable, Equatable {
        var at: String
        var milliseconds: Double
        var provider: String
        var target: String
    }

    struct Provider: Sendable, Equatable {
        var name: String
        var state: String
        var left: String
        var rate = 0.0
    }

    enum Order: String, Sendable, CaseIterable {
        case count
        case time
        case bytes
        case name
    }

    /// The greatest number of targets. When there are more, the ones with the fewest requests are dropped.
    static let mostEntries = 512
    static let mostSlow = 32
    /// The duration in milliseconds from which a request is listed as slow.
    static let slow = 250.0

    var rates = TopRates()
    var providers: [Provider] = []
    private(set) var entries: [String: Entry] = [:]
    /// The slow requests, the newest first.
    private(set) var slow: [SlowRequest] = []
    /// The number of requests that came too fast for the stream to report.
    var dropped = 0
    /// What the proxy does; nil if there is nothing to tell.
    var proxy: String?
    var version = ""
    var uptime = 0
    var order = Order.count
    var providersByRate = false
    var showsHelp = false
    /// Why the daemon does not answer; nil while it answers.
    var trouble: String?
    private var last: TopSample?

    /// Takes the results of one poll.
    mutating func take(_ sample: TopSample, status: JSONValue) {
        trouble = nil
        if let last { rates = TopRates(last, sample) }
        last = sample
        version = Console.printable(status["version"]?.string ?? "")
        uptime = status["uptimeSeconds"]?.integer ?? 0
        proxy = StatusCommand.proxy(status)
        providers = (status["providers"]?.elements.map { $0 } ?? []).compactMap { provider in
            let name = Console.printable(provider["name"]?.string ?? "")
            let state = Console.printable(provider["state"]?.string ?? "")
            guard state != "off" else { return nil }
            let budget = provider["budget"]
            let left = ["rate", "quota"].map { StatusCommand.limit(budget?[$0], isBrief: true) }.filter { !$0.isEmpty }
            return Provider(
                name: name, state: state, left: left.joined(separator: ", "), rate: rates.answers[name] ?? 0)
        }
    }

    /// Takes an event of the stream.
    mutating func take(event value: JSONValue) {
        dropped = value["dropped"]?.integer ?? dropped
        for request in value["requests"]?.elements.map({ $0 }) ?? [] { take(request) }
        guard entries.count > Self.mostEntries else { return }
        let kept = entries.values.sorted { $0.count > $1.count }.prefix(Self.mostEntries / 2)
        entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.target, $0) })
    }

    private mutating func take(_ request: JSONValue) {
        let target = Console.printable(request["target"]?.string ?? "")
        let milliseconds = request["milliseconds"].flatMap { Double(String(decoding: $0.raw, as: UTF8.self)) }
        var entry = entries[target] ?? Entry(target: target)
        entry.count += 1
        if request["outcome"]?.string == "hit" { entry.hits += 1 }
        entry.bytes += request["bytes"]?.integer ?? 0
        if let milliseconds {
            entry.milliseconds += milliseconds
            entry.timed += 1
        }
        entries[target] = entry
        guard let milliseconds, milliseconds >= Self.slow else { return }
        let at = String((request["at"]?.string ?? "").dropFirst(11).prefix(8))
        let providers = request["providers"]?.elements.compactMap(\.string).joined(separator: ",")
        slow.insert(
            SlowRequest(
                at: Console.printable(at), milliseconds: milliseconds,
                provider: Console.printable(providers ?? request["provider"]?.string ?? ""), target: target), at: 0)
        if slow.count > Self.mostSlow { slow.removeLast() }
    }

    /// Handles a key press.
    /// - Returns: false if the key ends the view.
    mutating func press(_ key: UInt8) -> Bool {
        switch key {
        // q, Q, and Ctrl-C, which arrives as a byte because the terminal is raw.
        case 0x71, 0x51, 0x03: return false
        case 0x3F, 0x68: showsHelp.toggle()
        case 0x63: order = .count
        case 0x74: order = .time
        case 0x62: order = .bytes
        case 0x6E: order = .name
        case 0x70: providersByRate.toggle()
        default: showsHelp = false
        }
        return true
    }

    /// The entries in the current sort order.
    var hottest: [Entry] {
        entries.values.sorted { left, right in
            switch order {
            case .count where left.count != right.count: left.count > right.count
            case .time where left.mean != right.mean: left.mean ?? -1 > right.mean ?? -1
            case .bytes where left.bytes != right.bytes: left.bytes > right.bytes
            default: left.target < right.target
            }
        }
    }

    /// The providers in the current sort order.
    var sortedProviders: [Provider] {
        providersByRate ? providers.sorted { ($1.rate, $0.name) < ($0.rate, $1.name) } : providers
    }
}
