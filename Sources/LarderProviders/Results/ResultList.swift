// The results of one answer. Each is written as it is added; their order is decided once, at the end.
import LarderCore

/// The results of one answer while they are made.
struct ResultList {
    private let provider: String
    private let signer: ArtworkSigner?
    /// The JSON array of results in the order in which they were added, without the closing bracket.
    private var bytes: Bytes = [0x5B]
    private var places: [Range<Int>] = []
    private var keys: [ResultKey] = []
    private var sources: [JSONValue?] = []
    private var leftOut = 0
    private var dropped: [String: Int] = [:]
    private var seen: Set<String> = []

    /// The most results of one answer. An answer of some hundred kilobytes may inflate to millions of records.
    static let most = 10_000

    /// - Parameter signer: makes artwork handles; nil for a list without them.
    init(provider: String, signer: ArtworkSigner?, capacity: Int = 0) {
        self.provider = provider
        self.signer = signer
        bytes.reserveCapacity(capacity)
    }

    /// Counts an upstream record that gave no result.
    mutating func drop(_ reason: DropReason) {
        dropped[reason.rawValue, default: 0] += 1
    }

    /// Counts a valid record that the question's own filter excludes.
    mutating func leaveOut() { leftOut += 1 }

    /// Whether this is the first record with the name. Some lists contain a thing twice.
    mutating func isFirst(_ name: String) -> Bool { seen.insert(name).inserted }

    var count: Int { places.count }

    /// - Parameter source: the API's record from which the result was made.
    mutating func add(_ result: ResultItem, from source: JSONValue? = nil) {
        let before = bytes.count
        if !places.isEmpty { bytes.append(0x2C) }
        let start = bytes.count
        bytes.append(0x7B)
        member("id", result.id, first: true)
        member("provider", provider)
        member("kind", result.kind)
        member("title", result.title)
        member("creator", result.creator)
        member("collection", result.collection)
        member("summary", result.summary)
        member("url", result.url)
        if let price = result.price {
            name("price")
            price.append(to: &bytes)
        }
        if !result.genres.isEmpty {
            name("genres")
            JSONText.append(result.genres, to: &bytes)
        }
        member("publishedAt", result.publishedAtText)
        if let artwork = result.artwork { add(artwork) }
        if !result.attributes.isEmpty || result.furtherAttributes != nil {
            add(result.attributes.members, result.furtherAttributes)
        }
        bytes.append(0x7D)
        guard bytes.count - start <= ResultItem.mostBytes else {
            bytes.removeSubrange(before...)
            return drop(.size)
        }
        sources.append(source)
        places.append(start..<bytes.count)
        let amount = result.price.flatMap { Double($0.amount) }
        keys.append(
            ResultKey(
                name: result.title, price: amount, currency: result.price?.currency,
                date: result.publishedAt ?? result.year.flatMap(DateText.start(ofYear:))))
    }

    /// Returns the results in the requested order. The list gives up its bytes and is empty afterwards.
    mutating func answer(
        sort: SortOrder, language: String?, total: Int? = nil, limit: Int? = nil
    ) -> NormalisedAnswer {
        let order = ResultOrder.order(keys, by: sort, language: language).prefix(max(0, limit ?? .max))
        var answer = NormalisedAnswer(
            results: handedOver(in: order), count: order.count, dropped: dropped.values.reduce(0, +),
            droppedReasons: dropped, totalUpstream: total)
        answer.leftOut = leftOut
        answer.sources = order.map { sources[$0] }
        self = ResultList(provider: provider, signer: signer)
        return answer
    }

    /// The array in the given order. If the results were added in that order, as in most answers, nothing is copied.
    private mutating func handedOver(in order: ArraySlice<Int>) -> Bytes {
        var out: Bytes = []
        if order.elementsEqual(places.indices) {
            swap(&out, &bytes)
        } else {
            out.reserveCapacity(bytes.count + 1)
            out.append(0x5B)
            for (rank, position) in order.enumerated() {
                if rank > 0 { out.append(0x2C) }
                out.append(contentsOf: bytes[places[position]])
            }
        }
        out.append(0x5D)
        return out
    }

    private mutating func add(_ artwork: ResultItem.Artwork) {
        name("artwork")
        bytes.append(0x7B)
        if let signer {
            let small = member("small", of: artwork.small, signer, first: true)
            if artwork.large == artwork.small {
                name("large")
                bytes.append(contentsOf: Bytes(bytes[small]))
            } else {
                _ = member("large", of: artwork.large, signer)
            }
        }
        member("original", artwork.original, first: signer == nil)
        bytes.append(0x7D)
    }

    /// Writes a member with the artwork path of a picture. Returns the position of the path in `bytes`.
    private mutating func member(
        _ name: StaticString, of url: String, _ signer: ArtworkSigner, first: Bool = false
    ) -> Range<Int> {
        self.name(name, first: first)
        let start = bytes.count
        bytes.append(0x22)
        signer.appendPath(provider: provider, url: url, to: &bytes)
        bytes.append(0x22)
        return start..<bytes.count
    }

    private mutating func add(_ attributes: Bytes, _ further: Bytes?) {
        name("attributes")
        bytes.append(0x7B)
        bytes.append(contentsOf: attributes)
        if let further {
            if !attributes.isEmpty { bytes.append(0x2C) }
            bytes.append(contentsOf: further)
        }
        bytes.append(0x7D)
    }

    private mutating func member(_ name: StaticString, _ value: String?, first: Bool = false) {
        guard let value else { return }
        self.name(name, first: first)
        JSONText.append(value, to: &bytes)
    }

    private mutating func name(_ name: StaticString, first: Bool = false) {
        JSONText.append(name: name, first: first, to: &bytes)
    }
}
