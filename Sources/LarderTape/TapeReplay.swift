// Replay: which recording answers a request. The recordings of equal requests answer in the order of their series; then
// the last one repeats, unless the rules say otherwise. What was played is a small value of the caller's, so one tape
// may serve several runs at a time.
import LarderCore
import LarderHTTP

/// The recordings of a tape, ready to be searched.
public struct TapeReplay: Sendable {
    private struct Entry: Sendable {
        var recording: TapeRecording
        var facts: TapeFacts
        /// The fields that selected the answer.
        var selecting: [String]
    }

    private var entries: [Entry] = []
    private var places: [Digest: [Int]] = [:]
    private var omissions: TapeOmissions

    /// What a run has played so far.
    public struct State: Sendable, Hashable {
        /// The recordings that answered at least once; `TapeReport.unused` takes them.
        public internal(set) var played: Set<TapeName> = []

        public init() {}

        /// Notes a recording that was made in this run: its answer has been given.
        public mutating func note(_ name: TapeName) { played.insert(name) }
    }

    /// How the tape answers.
    public enum Outcome: Sendable {
        case recording(TapeRecording)
        case miss(TapeMiss)
    }

    /// - Parameter recordings: in any order.
    public init(_ recordings: [TapeRecording], rules: TapeRules, secrets: TapeSecrets) {
        omissions = TapeOmissions(rules: rules, secrets: secrets)
        for recording in recordings { omissions.noteCutParameters(recording.exchange.request.url) }
        for recording in recordings.sorted(by: { ($0.name.series, $0.name) < ($1.name.series, $1.name) }) {
            add(recording)
        }
    }

    /// Adds what was recorded while the tape is played.
    public mutating func add(_ recording: TapeRecording) {
        // A tape may be older than a rule, or edited: what is a secret now is cut here too.
        let exchange = omissions.secrets.cut(recording.exchange)
        let selecting = exchange.selectingFields.filter { name in
            exchange.request.fields.combined(name)?.contains(TapeSecrets.word) != true
        }
        let entry = Entry(
            recording: TapeRecording(name: recording.name, exchange: exchange),
            facts: TapeFacts(exchange.request, omissions), selecting: selecting)
        places[entry.facts.digest, default: []].append(entries.count)
        entries.append(entry)
    }

    /// The next recording for a request, or what comes nearest.
    public func answer(_ request: TapeRequest, _ state: inout State) -> Outcome {
        let asked = omissions.secrets.cut((try? request.plain(limit: TapeLimits().body)) ?? request)
        let facts = TapeFacts(asked, omissions)
        let matching = (places[facts.digest] ?? []).map { entries[$0] }.filter { differences($0, asked).isEmpty }
        let next = matching.first { !state.played.contains($0.recording.name) }
        if let found = next ?? (omissions.rules.repeats ? matching.last : nil) {
            state.played.insert(found.recording.name)
            return .recording(found.recording)
        }
        guard matching.isEmpty else { return .miss(TapeMiss(asked: asked, isOver: true)) }
        return .miss(miss(asked, facts))
    }

    /// What differs in the fields that selected the recorded answer.
    private func differences(_ entry: Entry, _ asked: TapeRequest) -> [TapeDifference] {
        let sides = [entry.recording.exchange.request.fields, asked.fields].map { fields in
            var facts = TapeFacts()
            facts.add(fields, named: entry.selecting, omissions)
            return facts
        }
        return TapeDifference.between(sides[0], sides[1])
    }

    /// How many recordings are compared in full for the nearest one.
    private static let candidates = 64

    private func miss(_ asked: TapeRequest, _ facts: TapeFacts) -> TapeMiss {
        let first = [TapePlace(.method), TapePlace(.host), TapePlace(.path)]
        let ranked = entries.indices.map { index in
            let found = first.map {
                TapeDifference($0, recorded: entries[index].facts.values[$0], now: facts.values[$0])
            }
            return (found.reduce(0) { $0 + $1.weight }, index)
        }.sorted { $0 < $1 }
        var miss = TapeMiss(asked: asked)
        var best = Int.max
        for (_, index) in ranked.prefix(Self.candidates) {
            let found = TapeDifference.between(entries[index].facts, facts) + differences(entries[index], asked)
            // Another host and another path have nothing in common with the request.
            let isForeign = Set(found.map(\.place.kind)).isSuperset(of: [.host, .path])
            let weight = found.reduce(0) { $0 + $1.weight }
            guard weight < best, !isForeign else { continue }
            best = weight
            (miss.nearest, miss.differences) = (entries[index].recording.name, found)
        }
        return miss
    }
}

/// Why a tape has no answer.
public struct TapeMiss: Error, Sendable, Hashable {
    /// Method and URL, without secrets.
    public let asked: String
    /// The recording that differs least.
    public var nearest: TapeName?
    public var differences: [TapeDifference] = []
    /// The request is recorded, but its series is over and `repeat: no` stands in the rules.
    public let isOver: Bool

    /// How many differences are shown.
    private static let shown = 8

    init(asked: TapeRequest, isOver: Bool = false) {
        self.asked = "\(asked.method) \(asked.url.text)"
        self.isOver = isOver
    }

    private var reason: String {
        let asked = TapeDifference.shown(asked)
        guard !isOver else { return "All recordings of \(asked) have been played, and the tape says \"repeat: no\"." }
        return "No recording answers \(asked)." + (nearest.map { " Nearest is \($0):" } ?? "")
    }

    private var rest: String {
        differences.count > Self.shown ? "and \(differences.count - Self.shown) more differences" : ""
    }

    /// A short diff for a terminal.
    public var text: String {
        "\(reason)\n" + differences.prefix(Self.shown).map(\.lines).joined() + (rest.isEmpty ? "" : "  \(rest)\n")
    }

    /// One line, for the detail of a problem (RFC 9457 §3.1.4).
    public var detail: String {
        let phrases = differences.prefix(Self.shown).map(\.phrase) + (rest.isEmpty ? [] : [rest])
        return phrases.isEmpty ? reason : "\(reason) \(phrases.joined(separator: "; "))."
    }
}
