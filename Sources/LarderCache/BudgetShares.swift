// What a budget keeps: a reserve for calls that a person waits for, and a share for each tool that has one. A call may
// take what is left beyond what is kept for others. A tool that has used its share goes on with what nobody has.
//
// Calls are counted by tool in steps of a 64th of the window, and count until the window after their step is over. So a
// share looks used for up to a 64th of the window too long. The calls of an earlier run belong to no tool. Pure.
import LarderCore

/// The reserve and the shares of one budget, and the calls of its tools. A value.
public struct BudgetShares: Sendable {
    /// What is kept, in percent of each limit. All together is less than the limit.
    public struct Rule: Sendable, Hashable {
        /// For calls that a person waits for.
        public var reserve: Int
        /// By tool. What it has not used of it is kept from the other tools.
        public var tools: [String: Int]

        public init(reserve: Int = 0, tools: [String: Int] = [:]) {
            self.reserve = reserve
            self.tools = tools
        }

        var keepsNothing: Bool { reserve == 0 && tools.isEmpty }
    }

    /// The calls that must be left for others, and the percentage of what the API itself says is left.
    public struct Kept: Sendable, Hashable {
        public var rate = 0
        public var quota = 0
        public var percentOfTold = 0

        public static let nothing = Kept()
    }

    private struct Step: Sendable {
        var began: MonotonicTime
        var calls: Int
    }

    public var rule: Rule
    /// By window, then by tool, the oldest step first.
    private var steps: [Duration: [String: [Step]]] = [:]

    private static let stepsOfWindow = 64
    /// The most tools that are counted. The settings name fewer; those of former settings may be among them.
    static let mostTools = 64

    public init(_ rule: Rule = Rule()) { self.rule = rule }

    /// What a call must leave for others.
    /// - Parameter tool: the tool that makes it.
    public func kept(
        from tool: String, _ urgency: Urgency, rate: CallRate?, quota: CallRate?, now: MonotonicTime
    ) -> Kept {
        if rule.keepsNothing { return .nothing }
        let reserve = urgency == .person ? 0 : rule.reserve
        func kept(of limit: CallRate?) -> Int {
            guard let limit else { return 0 }
            let others = rule.tools.filter { $0.key != tool }.map { name, percent in
                max(0, limit.calls * percent / 100 - calls(of: name, in: limit.window, now: now))
            }
            return limit.calls * reserve / 100 + others.reduce(0, +)
        }
        return Kept(rate: kept(of: rate), quota: kept(of: quota), percentOfTold: reserve)
    }

    /// Counts a call of a tool.
    public mutating func count(_ tool: String, windows: [Duration], now: MonotonicTime) {
        for window in windows {
            if steps[window]?[tool] == nil, (steps[window]?.count ?? 0) >= Self.mostTools {
                // Tools that the settings no longer name have no calls in the window for long.
                steps[window] = steps[window]?.filter { name, _ in calls(of: name, in: window, now: now) > 0 }
            }
            guard steps[window]?[tool] != nil || (steps[window]?.count ?? 0) < Self.mostTools else { continue }
            var own = steps[window]?[tool] ?? []
            if let last = own.indices.last, now < own[last].began + Self.step(of: window) {
                own[last].calls += 1
            } else {
                own.removeAll { $0.began + Self.step(of: window) + window <= now }
                own.append(Step(began: now, calls: 1))
            }
            steps[window, default: [:]][tool] = own
        }
    }

    /// Takes back a call of a tool that was counted lately and never sent.
    public mutating func giveBack(_ tool: String) {
        for window in steps.keys {
            guard let last = steps[window]?[tool]?.lastIndex(where: { $0.calls > 0 }) else { continue }
            steps[window]?[tool]?[last].calls -= 1
        }
    }

    /// Forgets the calls in windows that no limit has any more.
    public mutating func keep(windows: [Duration]) { steps = steps.filter { windows.contains($0.key) } }

    /// The tools that have made calls.
    public var tools: Set<String> { Set(steps.values.flatMap(\.keys)) }

    /// The number of calls of a tool in a window.
    public func calls(of tool: String, in window: Duration, now: MonotonicTime) -> Int {
        (steps[window]?[tool] ?? []).reduce(0) {
            $0 + ($1.began + Self.step(of: window) + window > now ? $1.calls : 0)
        }
    }

    private static func step(of window: Duration) -> Duration { max(window / stepsOfWindow, .milliseconds(1)) }
}
