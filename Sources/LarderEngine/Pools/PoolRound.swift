// Dealing from a pool: nothing twice while there is something that was not dealt, and what was dealt last comes last
// again. A pure value: ids and random numbers in, places out.

/// What was dealt from one pool.
struct PoolRound: Sendable {
    /// In the order they were dealt, the last one at the end; never more than the pool holds.
    private(set) var dealt: [String] = []

    /// Deals from a pool: at most `count` places of `ids`, all different.
    ///
    /// - Parameters:
    ///   - ids: all of the pool, each once.
    ///   - fits: whether the thing at a place may be dealt to this asker.
    ///   - random: any number.
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
                // All of them were dealt: the half that was dealt longest ago is free again, so that the end of one
                // round and the beginning of the next are not the same.
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

    /// Whether half of a pool of that size was dealt: time to fill it up.
    func isLow(of count: Int) -> Bool { dealt.count * 2 >= count }
}
