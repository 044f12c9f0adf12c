// The fetches that wait for the places of one holder, and their order. Clients take turns (round robin), and each
// client's fetches keep their order. A client with a hundred fetches delays a client with one by one turn only. Pure:
// no I/O.

struct TurnQueue: Sendable {
    private var lines: [String: [UInt64]] = [:]
    /// The clients that wait, in the order of their turns.
    private var turns: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ id: UInt64, client: String) {
        if lines[client] == nil { turns.append(client) }
        lines[client, default: []].append(id)
        count += 1
    }

    /// Removes and returns the next fetch. Its client moves to the end of the turns.
    mutating func removeNext() -> UInt64? {
        guard !turns.isEmpty else { return nil }
        let client = turns.removeFirst()
        guard var line = lines.removeValue(forKey: client) else { return nil }
        let id = line.removeFirst()
        count -= 1
        if !line.isEmpty {
            lines[client] = line
            turns.append(client)
        }
        return id
    }

    mutating func remove(_ id: UInt64, client: String) {
        guard var line = lines[client], let place = line.firstIndex(of: id) else { return }
        line.remove(at: place)
        count -= 1
        if line.isEmpty {
            lines[client] = nil
            turns.removeAll { $0 == client }
        } else {
            lines[client] = line
        }
    }

    /// The fetch to drop from a full queue so that a fetch of `client` can enter it. This is the last fetch of the
    /// client with the most waiting, if that client keeps at least as many as `client` then has; otherwise nil. A full
    /// queue thus drops fetches of the client that filled it.
    func displaced(by client: String) -> UInt64? {
        let own = lines[client]?.count ?? 0
        guard let longest, longest.count > own + 1 else { return nil }
        return longest.last
    }

    /// The last fetch of the client that has the most waiting.
    var lastOfLongest: UInt64? { longest?.last }

    private var longest: [UInt64]? { lines.values.max { $0.count < $1.count } }
}
