// The rounds of all pools. What lies in a pool is a row of the store; only what was dealt is remembered here, for as many
// pools as are in use.
import LarderCore

/// What was dealt from which pool, and when each may be filled up next. Bounded.
struct PoolRounds: Sendable {
    /// Pools that are remembered; of others the round begins anew.
    static let limit = 64

    private struct Page: Sendable {
        var round = PoolRound()
        var nextRefill: MonotonicTime = .distantPast
        var lastUsed: UInt64 = 0
    }

    private var pages: [Digest: Page] = [:]
    private var uses: UInt64 = 0

    var count: Int { pages.count }

    /// Deals from the pool of that key.
    ///
    /// - Parameter pause: between two times of filling up.
    /// - Returns: the places, and whether the pool is now to be filled up; that is said once in each `pause`.
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

    /// A pool was just filled: the next time is a pause away.
    mutating func filled(_ pool: Digest, now: MonotonicTime, pause: Duration) {
        pages[pool]?.nextRefill = now + pause
    }
}
