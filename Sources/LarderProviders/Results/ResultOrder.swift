// The order of results. It is decided once, when an answer is made, and stored with the answer. Names follow the rules
// of the language (`NameOrder`). Results without the sort criterion come last; equal results keep their order.
import LarderCore

/// The values by which one result can be sorted.
public struct ResultKey: Sendable, Hashable {
    public var name: String?
    public var price: Double?
    public var currency: String?
    public var date: WallTime?

    public init(name: String? = nil, price: Double? = nil, currency: String? = nil, date: WallTime? = nil) {
        self.name = name
        self.price = price
        self.currency = currency
        self.date = date
    }
}

/// Sorting and merging results.
public enum ResultOrder {
    /// The deepest nesting of arrays and objects that is read. Upstream data has at most 64; results add a few.
    static let deepest = 128

    /// The positions of the keys in the requested order.
    ///
    /// - Parameter language: the language whose rules names follow: "en", "de", "en_us"; nil for English.
    public static func order(_ keys: [ResultKey], by sort: SortOrder, language: String? = nil) -> [Int] {
        let positions = Array(keys.indices)
        switch sort {
        case .relevance: return positions
        case .name: return sortedByName(keys, language: language)
        case .date:
            // The newest first: the greatest number of milliseconds.
            return sorted(positions) { keys[$0].date.map { -Double($0.milliseconds) } }
        case .price: return sortedByPrice(keys)
        }
    }

    /// Merges the result arrays of several sources into one.
    ///
    /// Relevance interleaves them by rank (the first of each, then the second of each); other orders sort the whole.
    public static func merge(_ arrays: [Bytes], by sort: SortOrder, language: String? = nil) throws(JSONError) -> Bytes
    {
        if arrays.count == 1, sort == .relevance { return arrays[0] }
        var pieces: [[JSONValue]] = []
        for array in arrays {
            let root = try JSON.parse(array, maxDepth: deepest)
            guard root.kind == .array else { throw JSONError(.notAnArray, at: 0) }
            pieces.append(Array(root.elements))
        }
        var flat: [JSONValue] = []
        if sort == .relevance {
            for rank in 0..<(pieces.map(\.count).max() ?? 0) {
                for piece in pieces where rank < piece.count { flat.append(piece[rank]) }
            }
        } else {
            let all = pieces.flatMap { $0 }
            flat = order(all.map(key), by: sort, language: language).map { all[$0] }
        }
        var out: Bytes = [0x5B]
        out.reserveCapacity(arrays.reduce(2) { $0 + $1.count })
        for (position, value) in flat.enumerated() {
            if position > 0 { out.append(0x2C) }
            out.append(contentsOf: value.raw)
        }
        out.append(0x5D)
        return out
    }

    /// The sort key of a result object in the common form.
    public static func key(_ result: JSONValue) -> ResultKey {
        let price = result["price"]
        return ResultKey(
            name: result["title"]?.string, price: price?["amount"]?.double, currency: price?["currency"]?.string,
            date: result["publishedAt"]?.string.flatMap(DateText.parse)
                ?? result["attributes"]?["year"]?.integer.flatMap(DateText.start(ofYear:)))
    }

    private static func sortedByName(_ keys: [ResultKey], language: String?) -> [Int] {
        let order = NameOrder(language: language)
        let named = keys.indices.compactMap { position in
            keys[position].name.map { (position: position, key: order.key($0)) }
        }
        let sorted = named.sorted { left, right in
            left.key == right.key ? left.position < right.position : left.key.lexicographicallyPrecedes(right.key)
        }.map(\.position)
        return sorted + keys.indices.filter { keys[$0].name == nil }
    }

    /// Prices in different currencies cannot be compared. Each currency is sorted separately; the currencies follow in
    /// the order of their first results.
    private static func sortedByPrice(_ keys: [ResultKey]) -> [Int] {
        var currencies: [String] = []
        for key in keys where key.price != nil {
            let currency = key.currency ?? ""
            if !currencies.contains(currency) { currencies.append(currency) }
        }
        var order: [Int] = []
        for currency in currencies {
            let same = keys.indices.filter { keys[$0].price != nil && (keys[$0].currency ?? "") == currency }
            order += sorted(same) { keys[$0].price }
        }
        return order + keys.indices.filter { keys[$0].price == nil }
    }

    private static func sorted(_ positions: [Int], by figure: (Int) -> Double?) -> [Int] {
        let figures: [(position: Int, figure: Double)] = positions.map { ($0, figure($0) ?? .infinity) }
        let sorted = figures.sorted { left, right in
            left.figure == right.figure ? left.position < right.position : left.figure < right.figure
        }
        return sorted.map(\.position)
    }
}
