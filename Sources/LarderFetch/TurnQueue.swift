// The fetches that wait for the places of one holder, and their order. The most urgent go first, as often as
// `Precedence` allows. Among fetches of one urgency, tools take turns (round robin), the clients of a tool take turns,
// and each client's fetches keep their order. So a tool with a hundred fetches, from one client or from many, delays
// another tool by one turn only. A full queue drops what it would serve last, but nothing that is more urgent than the
// newcomer, and it leaves a quarter of its length to what is less urgent. Pure: no I/O.
import LarderCore

struct TurnQueue: Sendable {
    private typealias Clients = Rounds<[UInt64]>
    private typealias Tools = Rounds<Clients>

    /// By urgency, the most urgent first.
    private var tools = Urgency.allCases.map { _ in Tools() }
    private var precedence = Precedence()

    var count: Int { tools.reduce(0) { $0 + $1.count } }
    var isEmpty: Bool { tools.allSatisfy(\.isEmpty) }

    /// The urgency of the next fetch.
    var urgency: Urgency? { precedence.next { !tools[$0.rawValue].isEmpty } }

    /// The urgency of the most urgent fetch. The next fetch is less urgent if the queue owes it a turn.
    var mostUrgent: Urgency? { Urgency.allCases.first { !tools[$0.rawValue].isEmpty } }

    /// The number of fetches of that urgency.
    func count(of urgency: Urgency) -> Int { tools[urgency.rawValue].count }

    /// The number of fetches that are less urgent than that.
    func count(below urgency: Urgency) -> Int { tools[(urgency.rawValue + 1)...].reduce(0) { $0 + $1.count } }

    mutating func append(_ id: UInt64, _ turn: CallTurn) {
        tools[turn.urgency.rawValue].change(turn.tool) { $0.change(turn.client) { $0.append(id) } }
    }

    /// Removes and returns the next fetch. Its client and its tool move to the end of their turns.
    mutating func removeNext() -> UInt64? {
        guard let urgency else { return nil }
        precedence.note(urgency) { !tools[$0.rawValue].isEmpty }
        defer { settle() }
        return tools[urgency.rawValue].changeNext { $0.changeNext { $0.removeFirst() } } ?? nil
    }

    mutating func remove(_ id: UInt64, _ turn: CallTurn) {
        tools[turn.urgency.rawValue].change(turn.tool) { $0.change(turn.client) { $0.removeAll { $0 == id } } }
        settle()
    }

    private mutating func settle() { precedence.settle { !tools[$0.rawValue].isEmpty } }

    /// The fetch to drop from a full queue so that a fetch of that turn can enter it: the last of those that are less
    /// urgent, if they are more than a quarter of the queue; otherwise one of those that are as urgent.
    func displaced(by turn: CallTurn) -> UInt64? {
        Self.isCrowded(count(below: turn.urgency), of: count)
            ? last(below: turn.urgency) : displaced(amongEqual: turn)
    }

    /// The fetch to drop among those that are as urgent as that turn. The tool with the most waiting loses its last
    /// fetch, and of its clients the one with the most, if each keeps at least as many as the newcomer's then has;
    /// otherwise nil. A full queue thus drops fetches of whoever filled it.
    func displaced(amongEqual turn: CallTurn) -> UInt64? {
        let tools = tools[turn.urgency.rawValue]
        guard let (longest, clients) = tools.longest else { return nil }
        if longest != turn.tool, clients.count > tools.count(of: turn.tool) + 1 { return clients.longest?.queue.last }
        guard let own = tools[turn.tool], let (_, line) = own.longest, line.count > own.count(of: turn.client) + 1
        else { return nil }
        return line.last
    }

    /// Whether less urgent fetches are so many of those that wait that a more urgent one may take a place of theirs.
    static func isCrowded(_ less: Int, of all: Int) -> Bool { less * (Precedence.mostInRow + 1) > all }

    /// The last fetch of the client that has the most waiting, among the least urgent ones that are less urgent than that.
    func last(below urgency: Urgency) -> UInt64? {
        tools[(urgency.rawValue + 1)...].last { !$0.isEmpty }?.longest?.queue.longest?.queue.last
    }

    /// The last fetch of the client that has the most waiting, among those of that urgency.
    func last(of urgency: Urgency) -> UInt64? { tools[urgency.rawValue].longest?.queue.longest?.queue.last }
}

/// A queue whose length is known.
private protocol Counted {
    init()
    var count: Int { get }
}

extension [UInt64]: Counted {}

/// Queues that take turns, each under a name. Only those that are not empty are kept.
private struct Rounds<Queue: Counted & Sendable>: Counted, Sendable {
    private var queues: [String: Queue] = [:]
    /// The names in the order of their turns.
    private var turns: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(name: String) -> Queue? { queues[name] }

    func count(of name: String) -> Int { queues[name]?.count ?? 0 }

    /// The queue that has the most waiting.
    var longest: (name: String, queue: Queue)? {
        queues.max { $0.value.count < $1.value.count }.map { ($0.key, $0.value) }
    }

    mutating func change<Result>(_ name: String, _ body: (inout Queue) -> Result) -> Result {
        var queue = queues.removeValue(forKey: name) ?? Queue()
        let before = queue.count
        let result = body(&queue)
        count += queue.count - before
        if queue.count == 0 {
            if before > 0 { turns.removeAll { $0 == name } }
        } else {
            if before == 0 { turns.append(name) }
            queues[name] = queue
        }
        return result
    }

    /// Changes the queue whose turn it is. It moves to the end of the turns.
    mutating func changeNext<Result>(_ body: (inout Queue) -> Result) -> Result? {
        guard let name = turns.first else { return nil }
        turns.removeFirst()
        turns.append(name)
        return change(name, body)
    }
}
