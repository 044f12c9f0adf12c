// Chooses which object is requested next. A seed determines the sequence, which is the same for every server.
// Popularity follows Zipf's law, as that of web objects does (Breslau et al., "Web Caching and Zipf-like
// Distributions", 1999).
import Glibc
import LarderCore

/// The sizes of objects, from Benchmarks/object-sizes.txt.
struct ObjectSizes {
    private let rows: [(kind: BodyKind, size: Int)]

    init(_ text: String) throws(Failure) {
        var rows: [(BodyKind, Int)] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, let kind = BodyKind(rawValue: String(words[0])), let size = Int(words[1]), size > 0
            else { throw .failed("object sizes", "not understood: \(line)") }
            rows.append((kind, size))
        }
        guard !rows.isEmpty else { throw .failed("object sizes", "there are none") }
        self.rows = rows
    }

    /// All objects have this size in bytes.
    init(size: Int) {
        rows = [(.image, size)]
    }

    /// The object with this number. Its size does not depend on its popularity.
    func object(_ number: Int) -> OriginObject {
        var mixer = SplitMix(state: UInt64(truncatingIfNeeded: number))
        let row = rows[Int(mixer.next() % UInt64(rows.count))]
        return OriginObject(kind: row.kind, size: row.size, id: number)
    }

    /// The size of the largest object, in bytes.
    var greatest: Int { rows.map(\.size).max() ?? 0 }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seedable, and good enough for choosing objects.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A uniformly distributed number from 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}

/// The order in which objects are requested. The harness passes its words to the child.
enum Order {
    /// Each object once, beginning with this number.
    case fill(first: Int)
    /// Each object twice in a row, beginning with this number.
    case twice(first: Int)
    /// By popularity among this many objects. Every twentieth request is for an object that was never requested before,
    /// beginning with the number `new`.
    case zipf(objects: Int, seed: Int, new: Int)
    /// All objects with the same probability: this many objects, whose numbers are this far apart.
    case uniform(objects: Int, stride: Int, seed: Int)

    var words: [String] {
        switch self {
        case .fill(let first): ["fill", "\(first)", "0", "0"]
        case .twice(let first): ["twice", "\(first)", "0", "0"]
        case .zipf(let objects, let seed, let new): ["zipf", "\(objects)", "\(seed)", "\(new)"]
        case .uniform(let objects, let stride, let seed): ["uniform", "\(objects)", "\(stride)", "\(seed)"]
        }
    }

    init?(_ words: [String]) {
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        switch words[0] {
        case "fill": self = .fill(first: numbers[0])
        case "twice": self = .twice(first: numbers[0])
        case "zipf" where numbers[0] > 0: self = .zipf(objects: numbers[0], seed: numbers[1], new: numbers[2])
        case "uniform" where numbers[0] > 0:
            self = .uniform(objects: numbers[0], stride: numbers[1], seed: numbers[2])
        default: return nil
        }
    }
}

/// An endless sequence of object numbers.
struct ObjectSequence {
    /// The exponent of Zipf's law: the object of rank r is requested r^-0.9 times as often as the first.
    static let exponent = 0.9
    /// One of this many requests is for an object that was never requested before.
    static let newEvery = 20

    private let order: Order
    private var random: SplitMix
    private var made = 0
    private var newMade = 0
    /// The cumulative sum of the shares up to each rank.
    private var shares: [Double] = []

    init(_ order: Order) {
        self.order = order
        switch order {
        case .fill, .twice: random = SplitMix(state: 0)
        case .uniform(_, _, let seed): random = SplitMix(state: UInt64(truncatingIfNeeded: seed))
        case .zipf(let objects, let seed, _):
            random = SplitMix(state: UInt64(truncatingIfNeeded: seed))
            var sum = 0.0
            shares.reserveCapacity(objects)
            for rank in 1...objects {
                sum += pow(Double(rank), -Self.exponent)
                shares.append(sum)
            }
        }
    }

    mutating func next() -> Int {
        defer { made += 1 }
        switch order {
        case .fill(let first): return first + made
        case .twice(let first): return first + made / 2
        case .uniform(let objects, let stride, _): return Int(random.next() % UInt64(objects)) * stride
        case .zipf(let objects, _, let new):
            if random.next() % UInt64(Self.newEvery) == 0 {
                newMade += 1
                return new + newMade - 1
            }
            let wanted = random.unit() * (shares.last ?? 0)
            // The first rank whose sum exceeds the number.
            var (low, high) = (0, objects - 1)
            while low < high {
                let middle = (low + high) / 2
                if shares[middle] > wanted { high = middle } else { low = middle + 1 }
            }
            // Objects of similar popularity must not be neighbours in the store. A prime step visits all objects.
            return low * 7_368_787 % objects
        }
    }
}
