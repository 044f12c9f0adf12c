// The rounds of all pools. A pool's contents are a row of the store. This value only remembers what was dealt, for a
// bounded number of pools in use.
import LarderCore

/// What was dealt from each pool, and when each may next be filled up. Bounded.
struct PoolRounds: Sendable {
    /// The number of pools that are remembered. A forgotten pool begins a new round.
    static let limit = 64

    private struct Page: Sendable {
        var round = PoolRound()
        var nextRefill: MonotonicTime = .distantPast
        var lastUsed: UInt64 = 0
    }

    private var pages: [Digest: Page] = [:]
    private var uses: UInt64 = 0

    var count: Int { pages.count }

    /// Deals from the pool with this key.
    ///
    /// - Parameter pause: the least time between two refills.
    /// - Returns: the places, and whether to fill the pool up now; true at most once in each `pause`.
    // More than six parameters: what is wanted, and time and chance, which come in from outside.
    mutating func deal(
        _ count: Int, from pool: Digest, ids: [String], where fits: (Int) -> Bool, now: MonotonicTime, pause: Duration,
        random: () -> UInt64
    ) -> (places: [Int], wantsRefill: Bool) {
        uses += 1
        if pages[pool] == nil, pages.count >= Self.limit,
            let oldest = pages.min(by: { $0.value.lastUsed < $1.value.lastUsed })?.key
        {
            pages[oldest] = nil
        }
        var page = pages[pool] ?? Page()
        page.lastUsed = uses
        let places = page.round.deal(count, of: ids, where: fits, random: random)
        let wantsRefill = now >= page.nextRefill && page.round.isLow(of: ids.count)
        if wantsRefill { page.nextRefill = now + pause }
        pages[pool] = page
        return (places, wantsRefill)
    }

    /// Records that a pool was just filled. The next refill is a pause away.
    mutating func filled(_ pool: Digest, now: MonotonicTime, pause: Duration) {
        pages[pool]?.nextRefill = now + pause
    }
}
