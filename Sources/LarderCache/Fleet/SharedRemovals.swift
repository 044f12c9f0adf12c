// Removals that the shared tier has not confirmed. There are no more generations than there are providers, and one for all of them
// stands for the rest. URLs are a list with a bound, and beyond it their whole provider is removed; what the other hosts are to remove
// is a list with a bound, and beyond it they drop all that they have shared.
import LarderCore

/// What is still to be removed. Pure.
public struct SharedRemovals: Sendable, Hashable {
    /// What the other hosts are to remove from their own stores.
    public struct Order: Sendable, Hashable {
        public var bytes: Bytes
        fileprivate var number: Int
    }

    /// More orders are not kept, nor more URLs.
    public static let mostOrders = 256
    /// Bytes that an order may have; a longer one counts as too many.
    public static let longestOrder = 4 << 10

    /// Everything is.
    public private(set) var isGlobal = false
    public private(set) var providers: Set<String> = []
    /// Ends of the names of URLs in the engine.
    public private(set) var urls: Set<Bytes> = []
    /// The oldest first.
    public private(set) var orders: [Order] = []
    /// Counts each, so that one that comes while another of the same name is told is told again.
    private var numbers: [String: Int] = [:]
    private var urlNumbers: [Bytes: Int] = [:]
    private var globalNumber = 0
    /// When orders were last given up for being too many; 0 where none were.
    private var overflowNumber = 0
    private var count = 0

    /// Nothing.
    public init() {}

    public var isEmpty: Bool {
        !isGlobal && providers.isEmpty && urls.isEmpty && orders.isEmpty && overflowNumber == 0
    }

    /// Orders were given up: the other hosts are to drop what came from the shared tier.
    public var isOverflown: Bool { overflowNumber > 0 }

    /// - Parameters:
    ///   - provider: nil for all.
    ///   - order: for the other hosts' stores; nil where those have nothing to do.
    public mutating func add(_ provider: String?, order: Bytes? = nil) {
        count += 1
        if let order { add(order) }
        guard let provider else {
            isGlobal = true
            globalNumber = count
            providers = []
            numbers = [:]
            return
        }
        // What is for all is for this one; but it may be told already, and then this comes after it.
        providers.insert(provider)
        numbers[provider] = count
    }

    /// Removes what lies under a URL.
    /// - Parameters:
    ///   - url: the end of its name in the engine.
    ///   - provider: which is removed in its place where there are too many.
    public mutating func add(url: Bytes, of provider: String, order: Bytes? = nil) {
        guard urls.count < Self.mostOrders || urls.contains(url) else { return add(provider, order: order) }
        count += 1
        if let order { add(order) }
        urls.insert(url)
        urlNumbers[url] = count
    }

    private mutating func add(_ order: Bytes) {
        guard orders.count < Self.mostOrders, order.count <= Self.longestOrder else {
            overflowNumber = count
            return
        }
        orders.append(Order(bytes: order, number: count))
    }

    /// These were confirmed as they stood then. What was added since stays.
    public mutating func subtract(_ told: SharedRemovals) {
        orders.removeAll { $0.number <= told.count }
        if overflowNumber <= told.count { overflowNumber = 0 }
        for (url, number) in urlNumbers where number <= told.count {
            urls.remove(url)
            urlNumbers[url] = nil
        }
        if told.isGlobal {
            if globalNumber <= told.count { isGlobal = false }
            for (provider, number) in numbers where number <= told.count { forget(provider) }
        } else {
            for provider in told.providers where (numbers[provider] ?? 0) <= told.count { forget(provider) }
        }
    }

    private mutating func forget(_ provider: String) {
        providers.remove(provider)
        numbers[provider] = nil
    }

    // MARK: Over a restart

    /// As it is kept: whether all is removed and orders were given up, then names of providers, URLs and orders, each with its length.
    public var encoded: Bytes {
        var out: Bytes = [(isGlobal ? 1 : 0) | Self.hasURLs, isOverflown ? 1 : 0]
        func put(_ part: Bytes) {
            out += withUnsafeBytes(of: UInt32(part.count).littleEndian) { Bytes($0) }
            out += part
        }
        out += withUnsafeBytes(of: UInt32(providers.count).littleEndian) { Bytes($0) }
        for provider in providers.sorted() { put(Bytes(text: provider)) }
        out += withUnsafeBytes(of: UInt32(urls.count).littleEndian) { Bytes($0) }
        for url in urls.sorted(by: { $0.lexicographicallyPrecedes($1) }) { put(url) }
        for order in orders { put(order.bytes) }
        return out
    }

    private static let hasURLs: UInt8 = 2

    /// Adds what another could not tell.
    public mutating func merge(_ other: SharedRemovals) {
        if other.isGlobal { add(nil) }
        for provider in other.providers.sorted() { add(provider) }
        for url in other.urls { addOfSomebody(url) }
        for order in other.orders {
            count += 1
            add(order.bytes)
        }
        if other.isOverflown { overflowNumber = count }
    }

    /// Where there is no room for a URL and nobody knows whose it is, all is removed.
    private mutating func addOfSomebody(_ url: Bytes) {
        if urls.count < Self.mostOrders { add(url: url, of: "") } else { add(nil) }
    }

    /// Adds what an earlier run could not tell. What cannot be read counts as all of it.
    public mutating func recall(_ bytes: Bytes) {
        var rest = bytes[...]
        func word() -> Int? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func part() -> Bytes? {
            guard let length = word(), length <= rest.count else { return nil }
            defer { rest = rest.dropFirst(length) }
            return Bytes(rest.prefix(length))
        }
        guard rest.count >= 6 else { return recallAll() }
        let (isGlobal, isOverflown, hasURLs) = (rest[0] & 1 == 1, rest[1] == 1, rest[0] & Self.hasURLs != 0)
        rest = rest.dropFirst(2)
        guard let names = word(), names <= rest.count else { return recallAll() }
        if isGlobal { add(nil) }
        for _ in 0..<names {
            guard let name = part() else { return recallAll() }
            add(String(decoding: name, as: UTF8.self))
        }
        if hasURLs {
            guard let names = word(), names <= Self.mostOrders else { return recallAll() }
            for _ in 0..<names {
                guard let name = part() else { return recallAll() }
                addOfSomebody(name)
            }
        }
        while !rest.isEmpty {
            guard let order = part() else { return recallAll() }
            count += 1
            add(order)
        }
        if isOverflown { overflowNumber = count }
    }

    /// All is removed, and the other hosts drop what came from the tier: what it was is not known.
    public mutating func recallAll() {
        add(nil)
        overflowNumber = count
    }
}
