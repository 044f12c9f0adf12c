// Keeps the removals that the shared tier has not confirmed. Each list is bounded. There are at most as many provider
// removals as providers, and one removal of everything replaces them all. When there are too many URLs, their whole
// provider is removed. When there are too many orders, the other hosts drop everything that they have shared.
import LarderCore

/// The removals that are still to be sent to the shared tier. Pure.
public struct SharedRemovals: Sendable, Hashable {
    /// An instruction to the other hosts to remove something from their own stores.
    public struct Order: Sendable, Hashable {
        public var bytes: Bytes
        fileprivate var number: Int
    }

    /// The most orders that are kept, and the most URLs.
    public static let mostOrders = 256
    /// The longest order in bytes. A longer order is handled like one order too many.
    public static let longestOrder = 4 << 10

    /// Whether everything is to be removed.
    public private(set) var isGlobal = false
    public private(set) var providers: Set<String> = []
    /// The ends of the names under which the engine keeps the URLs.
    public private(set) var urls: Set<Bytes> = []
    /// The oldest first.
    public private(set) var orders: [Order] = []
    /// The number of each provider's removal. A removal that is added while an earlier one of the same name is being
    /// sent is sent again.
    private var numbers: [String: Int] = [:]
    private var urlNumbers: [Bytes: Int] = [:]
    private var globalNumber = 0
    /// The number at which orders were last dropped because there were too many; 0 if none were dropped.
    private var overflowNumber = 0
    private var count = 0

    /// Creates an empty list.
    public init() {}

    public var isEmpty: Bool {
        !isGlobal && providers.isEmpty && urls.isEmpty && orders.isEmpty && overflowNumber == 0
    }

    /// Whether orders were dropped. The other hosts must then drop everything that came from the shared tier.
    public var isOverflown: Bool { overflowNumber > 0 }

    /// Adds the removal of a provider, or of everything.
    /// - Parameters:
    ///   - provider: nil for everything.
    ///   - order: the order for the other hosts' stores; nil if they have nothing to remove.
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
        // A pending removal of everything covers this provider, unless it is being sent already. Then this removal
        // follows it.
        providers.insert(provider)
        numbers[provider] = count
    }

    /// Adds the removal of what is stored under a URL.
    /// - Parameters:
    ///   - url: the end of the URL's name in the engine.
    ///   - provider: removed as a whole if there are too many URLs.
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

    /// Takes out the removals that were confirmed as they stood in `told`. Removals that were added since stay.
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

    // MARK: Persistence across restarts

    /// The stored form: flags for the removal of everything and for dropped orders, then the names of providers, the
    /// URLs and the orders, each with its length.
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

    /// Adds the removals that another list could not send.
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

    /// If there is no room for a URL, everything is removed, because the provider of the URL is not known.
    private mutating func addOfSomebody(_ url: Bytes) {
        if urls.count < Self.mostOrders { add(url: url, of: "") } else { add(nil) }
    }

    /// Adds the removals that an earlier run could not send. If the bytes cannot be read, everything is removed.
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

    /// Removes everything, and has the other hosts drop everything that came from the tier, because the pending
    /// removals are unknown.
    public mutating func recallAll() {
        add(nil)
        overflowNumber = count
    }
}
