// Dealing from a pool. Nothing is dealt twice while something has not been dealt, and what was dealt last is dealt
// again last. A pure value: it gets ids and random numbers, and returns places.

/// What was dealt from one pool.
struct PoolRound: Sendable {
    /// The dealt ids in order, the latest at the end. Never more than the pool holds.
    private(set) var dealt: [String] = []

    /// Deals at most `count` different places of `ids`.
    ///
    /// - Parameters:
    ///   - ids: the ids of the whole pool, without duplicates.
    ///   - fits: whether the answer at a place may be dealt to this client.
    ///   - random: returns any number.
    mutating func deal(
        _ count: Int, of ids: [String], where fits: (Int) -> Bool = { _ in true }, random: () -> UInt64
    ) -> [Int] {
        let known = Set(ids)
        dealt.removeAll { !known.contains($0) }
        var left = ids.indices.filter(fits)
        var chosen: [Int] = []
        while chosen.count < count, !left.isEmpty {
            let old = Set(dealt)
            var fresh = left.filter { !old.contains(ids[$0]) }
            if fresh.isEmpty {
                // All of them were dealt. Free the half that was dealt longest ago, so the start of the next round does
                // not repeat the end of this one.
                let candidates = Set(left.map { ids[$0] })
                let ordered = dealt.filter { candidates.contains($0) }
                let freed = Set(ordered.prefix(max(1, ordered.count - ordered.count / 2)))
                dealt.removeAll { freed.contains($0) }
                fresh = left.filter { freed.contains(ids[$0]) }
            }
            let place = fresh[Int(random() % UInt64(fresh.count))]
            chosen.append(place)
            left.removeAll { $0 == place }
            dealt.append(ids[place])
        }
        return chosen
    }

    /// Whether at least half of a pool of that size was dealt, so the pool should be filled up.
    func isLow(of count: Int) -> Bool { dealt.count * 2 >= count }
}
