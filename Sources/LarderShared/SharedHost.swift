// What a host of a fleet is called, what it keeps over a restart, and what it shows of itself to the others.
import LarderCache
import LarderCore

/// This host, as the others see it.
public struct SharedHost: Sendable, Hashable {
    /// By chance, and the same over restarts.
    public var id: String
    /// The machine's name.
    public var name: String
    public var version: String
    public var startedAt: WallTime

    public init(id: String, name: String, version: String, startedAt: WallTime) {
        self.id = id
        self.name = name
        self.version = version
        self.startedAt = startedAt
    }
}

/// Where the tier keeps what must outlive a restart. A failure to keep is no failure of the tier: what is lost is told again, or
/// dropped.
public protocol SharedKeeping: Sendable {
    /// The bytes under a name; nil where there are none or they cannot be read.
    func kept(_ name: String) async -> Bytes?
    /// Keeps bytes under a name, or with nil removes them.
    func keep(_ name: String, _ bytes: Bytes?) async
}

/// What another host tells this one.
public enum SharedNews: Sendable {
    /// Remove what is encoded here.
    case order(Bytes)
    /// The API suspended a caller (`SharedTier.isNamed`); nil: a person ended that.
    case suspension(SharedSuspension?, of: Bytes)
    /// Something may have been missed: drop everything that came from the shared tier.
    case gap
}

/// A host that shares the prefix, by its last sign of life.
public struct SharedMember: Sendable {
    public var id: String
    public var name: String
    public var version: String
    public var startedAt: String
    /// Seconds since its last sign of life, by the engine's clock.
    public var silence: Int64
    /// How far it has carried out the removals of the others.
    public var place: SharedStreamID?
    /// Calls that it may make without asking, by provider.
    public var calls: [(provider: String, calls: Int64)]
    public var isSelf = false

    /// Hosts that were silent for longer count as gone.
    public static let patience: Int64 = 10
    public var isAlive: Bool { silence <= Self.patience }

    /// From a field of the engine's table: when it was seen, in seconds of the engine's clock, and what the host says of itself.
    init?(id: Bytes, value: Bytes, now: Int64) {
        guard let space = value.firstIndex(of: 0x20), value.count <= Self.longest,
            let seen = Int64(String(decoding: value[..<space], as: UTF8.self)),
            let said = try? JSON.parse(Bytes(value[(space + 1)...]))
        else { return nil }
        self.id = String(decoding: id.prefix(64), as: UTF8.self)
        name = said["name"]?.string ?? ""
        version = said["version"]?.string ?? ""
        startedAt = said["startedAt"]?.string ?? ""
        silence = max(0, now &- seen)
        place = said["place"]?.string.flatMap(SharedStreamID.init(text:))
        calls = []
        for member in said["calls"].map({ Array($0.members) }) ?? [] {
            if let count = member.value.integer { calls.append((member.name, Int64(count))) }
        }
    }

    /// Bytes that a host may say of itself.
    private static let longest = 8 << 10
}

extension SharedHost {
    /// The sign of life.
    func sign(place: SharedStreamID?, calls: [(provider: String, calls: Int)]) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.member("version", version)
            writer.member("startedAt", startedAt.rfc3339)
            writer.member(ifPresent: "place", place?.text)
            writer.name("calls")
            writer.object { writer in
                for (provider, calls) in calls.prefix(100) { writer.member(provider, calls) }
            }
        }
        return writer.bytes
    }
}
