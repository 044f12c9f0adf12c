// What differs between a recording and a request or a fresh answer: for a terminal as a short diff, for a problem's
// detail as one line. The texts come from facts whose secrets are cut.
import LarderCore

/// One difference.
public struct TapeDifference: Sendable, Hashable {
    public var place: TapePlace
    /// Nil if the recording has nothing there.
    public var recorded: String?
    /// What was asked, or answered now; nil if there is nothing.
    public var now: String?

    public init(_ place: TapePlace, recorded: String?, now: String?) {
        self.place = place
        self.recorded = recorded
        self.now = now
    }

    /// The longest value that is shown, in characters.
    private static let longest = 100

    /// One line for each side that has something: `- parameter q: a` and `+ parameter q: b`.
    public var lines: String {
        [("-", recorded), ("+", now)].compactMap { sign, value in
            value.map { "\(sign) \(Self.shown("\(place)")): \(told($0))\n" }
        }.joined()
    }

    /// `parameter q: recorded a, now b`
    public var phrase: String {
        let recorded = recorded.map { "recorded \(told($0))" } ?? "not recorded"
        return "\(Self.shown("\(place)")): \(recorded), \(now.map { "now \(told($0))" } ?? "now absent")"
    }

    /// A value as it is told. What looks like a credential is compared, and not shown: logs are read by many.
    private func told(_ value: String) -> String {
        RequestCredentials.isParameter(place.name) ? TapeSecrets.word : Self.shown(value)
    }

    /// A text that obeys no terminal and fills no screen.
    static func shown(_ text: String) -> String {
        // Cut first: the text may be long.
        let start = text.prefix(longest)
        let plain = String(start).replacingControls(with: "\u{FFFD}")
        return start.endIndex == text.endIndex ? plain : plain + "…"
    }

    /// The differences of two tables, in the order of their places.
    static func between(_ recorded: TapeFacts, _ now: TapeFacts) -> [TapeDifference] {
        var found: [TapeDifference] = []
        for (place, value) in recorded.values where now.values[place]?.utf8.elementsEqual(value.utf8) != true {
            found.append(TapeDifference(place, recorded: value, now: now.values[place]))
        }
        for (place, value) in now.values where recorded.values[place] == nil {
            found.append(TapeDifference(place, recorded: nil, now: value))
        }
        return found.sorted { $0.place < $1.place }
    }

    /// How far this difference sets two requests apart. A path counts by the segments that differ.
    var weight: Int {
        if recorded == now { return 0 }
        switch place.kind {
        case .host: return 100
        case .method: return 30
        case .path:
            let (one, other) = ((recorded ?? "").split(separator: "/"), (now ?? "").split(separator: "/"))
            let same = zip(one, other).count { $0 == $1 }
            return 10 + 5 * (max(one.count, other.count) - same)
        default: return 2
        }
    }
}

extension TapeDifference {
    /// Fields that differ with each answer and say nothing of its content.
    private static let volatile = FieldNameSet([
        "Date", "Age", "Expires", "Set-Cookie", "Content-Length", "Connection", "Keep-Alive", "Transfer-Encoding",
        "Via",
        "Server-Timing", "X-Runtime", "X-Response-Time", "X-Request-Id", "X-Correlation-Id", "traceparent", "CF-RAY",
        "NEL", "Report-To", "Alt-Svc", "Retry-After", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining",
        "X-RateLimit-Reset", "X-Cache", "X-Cache-Hits", "X-Served-By", "X-Timer", "Cache-Status", "Content-Encoding",
    ])

    /// What differs between a recorded answer and a fresh one: status, fields that last, JSON by path, otherwise size.
    public static func between(
        recorded: TapeAnswer, fresh: TapeAnswer, rules: TapeRules, secrets: TapeSecrets
    ) -> [TapeDifference] {
        between(recorded: recorded, fresh: fresh, TapeOmissions(rules: rules, secrets: secrets))
    }

    static func between(recorded: TapeAnswer, fresh: TapeAnswer, _ omissions: TapeOmissions) -> [TapeDifference] {
        let sides = [omissions.secrets.cut(recorded), omissions.secrets.cut(fresh)]
        var facts = sides.map { answer in
            var facts = TapeFacts()
            facts.add(.status, "", "\(answer.status)")
            for line in answer.fields where !volatile.contains(line) {
                let name = line.name.lowercased()
                let isLeftOut = omissions.rules.ignoredFields.contains(name)
                if !isLeftOut, line.value != TapeSecrets.word { facts.add(.field, name, line.value) }
            }
            return facts
        }
        let values = sides.map { answer -> JSONValue? in
            guard case .json = BodyKind(answer.body, type: answer.fields.first(.contentType)),
                answer.body.count <= TapeFacts.longestJSON
            else { return nil }
            return try? JSON.parse(answer.body, maxDepth: 512)
        }
        if let one = values[0], let other = values[1] {
            facts[0].add(json: one, omissions)
            facts[1].add(json: other, omissions)
        } else {
            for (index, side) in sides.enumerated() {
                let mark = "\(side.body.count) bytes, sha256 \(TapeText.mark(of: side.body))"
                facts[index].add(.body, "", mark)
            }
        }
        return between(facts[0], facts[1])
    }
}
