// The steps of the clients of a soak: a sequence determined by the seed and the client's number.

/// The next step of a client.
enum SoakStep: Equatable {
    /// How an answer is requested and received.
    enum Manner: Equatable {
        case whole
        /// A stored answer must be validated first.
        case validated
        case head
        /// This range of the body.
        case range(first: Int, last: Int)
        /// Only if the answer differs from the one that this client received last.
        case changed
        /// The client closes the connection after this many bytes.
        case leave(after: Int)
        /// The client reads this many bytes a second for three seconds, and then the rest.
        case slow(bytesPerSecond: Int)
    }

    case get(SoakResource, language: String, Manner)
    /// Changes a resource through larder.
    case write(method: String, SoakResource, upload: Int)
    /// The origin changes. Then its old answers are purged.
    case purgeURL(SoakResource, isSoft: Bool)
    case purgeGroup(SoakProvider, Int)
    case purgeProvider(SoakProvider)
    /// Requests one of larder's own pages.
    case look(String)
}

struct SoakSteps {
    private var random: SplitMix
    private let client: Int
    private var onceMade = 0

    init(seed: UInt64, client: Int) {
        random = SplitMix(state: seed &+ UInt64(client) &* 0x1234_5678_9ABC_DEF1)
        self.client = client
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    mutating func next() -> SoakStep {
        let provider: SoakProvider = below(4) == 0 ? .shaky : .steady
        switch below(1000) {
        case ..<10: return .look(["/v1/status", "/metrics", "/healthz", "/readyz"][below(4)])
        case ..<40:
            return .write(method: ["PUT", "POST", "DELETE", "PATCH"][below(4)], resource(provider), upload: upload())
        case ..<55: return .purgeURL(resource(provider), isSoft: below(3) == 0)
        case ..<57: return .purgeGroup(provider, below(SoakResource.groups))
        // Rare, because it leaves nothing to hit.
        case 57 where below(2) == 0: return .purgeProvider(provider)
        case ..<150:
            onceMade += 1
            return .get(SoakResource(provider, .once, client * 10_000_000 + onceMade), language: "en", .whole)
        default:
            let resource = resource(provider)
            return .get(resource, language: SoakResource.languages[below(3)], manner(resource))
        }
    }

    /// Low numbers are requested more often than high ones.
    private mutating func resource(_ provider: SoakProvider) -> SoakResource {
        let kind: SoakKind =
            switch below(20) {
            case ..<9: .hour
            case ..<12: .brief
            case ..<14: .vary
            case ..<16: .large
            case ..<19: .coming
            default: .unstored
            }
        return SoakResource(provider, kind, min(below(kind.count), below(kind.count)))
    }

    private mutating func upload() -> Int { below(5) == 0 ? 60_000 + below(300_000) : below(4000) }

    private mutating func manner(_ resource: SoakResource) -> SoakStep.Manner {
        let size = resource.size
        switch below(100) {
        case ..<70: return .whole
        case ..<75: return .validated
        case ..<79: return .head
        case ..<86:
            let first = below(size)
            return .range(first: first, last: first + below(size - first))
        case ..<93: return .changed
        case ..<97: return .leave(after: below(size))
        default: return .slow(bytesPerSecond: 20_000 + below(80_000))
        }
    }
}
