// The results of one answer, written as they are made; the order is settled once, at the end.
import LarderCore

/// The results of one answer as they are made.
struct ResultList {
    private let provider: String
    private let signer: ArtworkSigner?
    private var bytes: Bytes = []
    private var places: [Range<Int>] = []
    private var keys: [ResultKey] = []
    private var sources: [JSONValue?] = []
    private var leftOut = 0
    private var dropped: [String: Int] = [:]

    /// - Parameter signer: makes artwork handles; nil for lists that have none.
    init(provider: String, signer: ArtworkSigner?, capacity: Int = 0) {
        self.provider = provider
        self.signer = signer
        bytes.reserveCapacity(capacity)
    }

    /// Counts an upstream record that gives no result.
    mutating func drop(_ reason: DropReason) {
        dropped[reason.rawValue, default: 0] += 1
    }

    /// Counts a record that is whole and that the question's own filter leaves out.
    mutating func leaveOut() { leftOut += 1 }

    var count: Int { places.count }

    /// - Parameter source: the API's record that it was made from.
    mutating func add(_ result: ResultItem, from source: JSONValue? = nil) {
        sources.append(source)
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
            append("{\"amount\":")
            bytes.append(contentsOf: price.amount.utf8)
            append(",\"currency\":")
            text(price.currency)
            bytes.append(0x7D)
        }
        if !result.genres.isEmpty {
            name("genres")
            texts(result.genres)
        }
        member("publishedAt", result.publishedAtText)
        if let artwork = result.artwork { add(artwork) }
        if !result.attributes.isEmpty || result.furtherAttributes != nil {
            add(result.attributes, result.furtherAttributes)
        }
        bytes.append(0x7D)
        places.append(start..<bytes.count)
        let amount = result.price.flatMap { Double($0.amount) }
        keys.append(
            ResultKey(name: result.title, price: amount, currency: result.price?.currency, date: result.publishedAt))
    }

    /// The array in the wanted order.
    func answer(
        sort: SortOrder, language: String?, total: Int? = nil, limit: Int? = nil
    ) -> NormalisedAnswer {
        let order = ResultOrder.order(keys, by: sort, language: language).prefix(limit ?? .max)
        var out = Bytes()
        out.reserveCapacity(bytes.count + places.count + 2)
        out.append(0x5B)
        for (rank, position) in order.enumerated() {
            if rank > 0 { out.append(0x2C) }
            out.append(contentsOf: bytes[places[position]])
        }
        out.append(0x5D)
        var answer = NormalisedAnswer(
            results: out, count: order.count, dropped: dropped.values.reduce(0, +), droppedReasons: dropped,
            totalUpstream: total)
        answer.leftOut = leftOut
        answer.sources = order.map { sources[$0] }
        return answer
    }

    private mutating func add(_ artwork: ResultItem.Artwork) {
        name("artwork")
        bytes.append(0x7B)
        if let signer {
            let small = signer.path(provider: provider, url: artwork.small)
            member("small", small, first: true)
            member(
                "large", artwork.large == artwork.small ? small : signer.path(provider: provider, url: artwork.large))
        }
        member("original", artwork.original, first: signer == nil)
        bytes.append(0x7D)
    }

    private mutating func add(_ attributes: [(name: StaticString, value: ResultItem.Attribute)], _ further: Bytes?) {
        name("attributes")
        bytes.append(0x7B)
        for (position, attribute) in attributes.enumerated() {
            name(attribute.name, first: position == 0)
            switch attribute.value {
            case .text(let value): text(value)
            case .number(let value): bytes.append(contentsOf: value.utf8)
            case .flag(let value): append(value ? "true" : "false")
            case .texts(let values): texts(values)
            case .json(let value): bytes.append(contentsOf: value)
            }
        }
        if let further {
            if !attributes.isEmpty { bytes.append(0x2C) }
            bytes.append(contentsOf: further)
        }
        bytes.append(0x7D)
    }

    private mutating func member(_ name: StaticString, _ value: String?, first: Bool = false) {
        guard let value else { return }
        self.name(name, first: first)
        text(value)
    }

    private mutating func name(_ name: StaticString, first: Bool = false) {
        append(first ? "\"" : ",\"")
        append(name)
        append("\":")
    }

    private mutating func texts(_ values: [String]) {
        bytes.append(0x5B)
        for (position, value) in values.enumerated() {
            if position > 0 { bytes.append(0x2C) }
            text(value)
        }
        bytes.append(0x5D)
    }

    private mutating func text(_ value: String) {
        JSONText.append(value, to: &bytes)
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
