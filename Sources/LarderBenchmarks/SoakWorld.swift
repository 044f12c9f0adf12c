// The content of the origins of a soak: which resources exist, and the bytes of each version. All of it follows from
// names and numbers, so every reader can check any byte of any answer.
import Glibc
import LarderCore

/// An API of the origin. The raw value is the provider's name in larder.
enum SoakProvider: String, CaseIterable {
    /// Never fails. Every error of larder for this API is a finding.
    case steady
    /// Fails as the schedule says. This explains its errors, but never wrong bytes.
    case shaky
}

/// The kind of a resource's answers.
enum SoakKind: String, CaseIterable {
    /// Fresh for an hour.
    case hour
    /// Fresh for two seconds, with a validator.
    case brief
    /// One answer for each language.
    case vary
    /// Hundreds of kilobytes, so the bodies stream and lie on disk.
    case large
    /// Exists in two of three versions, otherwise missing. Its absence is stored too.
    case coming
    /// Not stored.
    case unstored
    /// Requested once and never again.
    case once

    var cacheControl: String {
        switch self {
        case .hour, .large: "max-age=3600"
        case .brief: "max-age=2"
        case .vary: "max-age=600"
        case .coming: "max-age=900"
        case .unstored: "no-store"
        case .once: "max-age=86400"
        }
    }

    /// The number of resources of this kind for each provider. Resources that are requested once are unlimited.
    var count: Int {
        switch self {
        case .hour: 60
        case .brief: 20
        case .vary: 12
        case .large: 8
        case .coming: 20
        case .unstored: 10
        case .once: 0
        }
    }

    fileprivate var sizes: ClosedRange<Int> {
        switch self {
        case .hour: 200...60_000
        case .brief: 100...4000
        case .vary: 500...8000
        case .large: 200_000...1_500_000
        case .coming: 100...2000
        case .unstored: 100...20_000
        case .once: 100...30_000
        }
    }
}

/// One URL of the origin.
struct SoakResource: Hashable {
    static let groups = 8
    static let languages = ["en", "de", "fr"]

    var provider: SoakProvider
    var kind: SoakKind
    var number: Int

    /// Resources of a group share a part of their path, so they can be purged together.
    var group: Int { number % Self.groups }
    var path: String { "/\(kind.rawValue)/g\(group)/\(number)" }
    /// The path below larder's own address.
    var target: String { "/raw/\(provider.rawValue)\(path)" }

    init(_ provider: SoakProvider, _ kind: SoakKind, _ number: Int) {
        self.provider = provider
        self.kind = kind
        self.number = number
    }

    /// Parses a path of the origin; nil for a path that a soak does not request.
    init?(_ provider: SoakProvider, path: some StringProtocol) {
        let parts = path.split(separator: "/")
        guard parts.count == 3, let kind = SoakKind(rawValue: String(parts[0])), let number = Int(parts[2]) else {
            return nil
        }
        self.init(provider, kind, number)
        guard self.path == path else { return nil }
    }

    /// The size of the body in bytes, the same in all versions.
    var size: Int {
        var mixer = SplitMix(state: SoakBody.hash("size \(path)"))
        return kind.sizes.lowerBound + Int(mixer.next() % UInt64(kind.sizes.count))
    }

    /// 404 in every third version of a `coming` resource.
    func status(version: Int) -> Int { kind == .coming && version % 3 == 2 ? 404 : 200 }

    /// All resources of one provider that are requested repeatedly.
    static func all(of provider: SoakProvider) -> [SoakResource] {
        SoakKind.allCases.flatMap { kind in (0..<kind.count).map { SoakResource(provider, kind, $0) } }
    }
}

/// Bytes that are determined by a name.
struct SoakBody {
    let key: UInt64

    /// - Parameter language: empty if the resource has one answer for all languages.
    init(_ resource: SoakResource, language: String, version: Int) {
        let language = resource.kind == .vary ? language : ""
        key = Self.hash("\(resource.provider.rawValue) \(resource.path) \(language) \(version)")
    }

    /// The body of a client's upload.
    init(upload nonce: UInt64) { key = Self.hash("upload \(nonce)") }

    /// FNV-1a, 64 bits.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private func word(_ index: Int) -> UInt64 {
        var mixer = SplitMix(state: key &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15)
        return mixer.next()
    }

    /// The bytes from this offset on.
    func bytes(from place: Int, count: Int) -> Bytes {
        guard count > 0 else { return [] }
        let first = place / 8
        let words = (first...(place + count - 1) / 8).map { word($0).littleEndian }
        return words.withUnsafeBytes { Bytes($0[(place - first * 8)...].prefix(count)) }
    }

    /// The offset of the first byte that differs from the body; nil if all bytes are right.
    func firstWrong(_ given: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
        let expected = bytes(from: place, count: given.count)
        if let base = given.baseAddress, memcmp(base, expected, given.count) == 0 { return nil }
        return zip(given, expected).enumerated().first { $1.0 != $1.1 }.map { place + $0.offset }
    }
}
