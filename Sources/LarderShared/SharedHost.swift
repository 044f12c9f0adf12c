// A host of a fleet: its name, what it keeps over a restart, and what it tells the other hosts about itself.
import LarderCache
import LarderCore

/// This host as the other hosts see it.
public struct SharedHost: Sendable, Hashable {
    /// A random id that stays the same over restarts.
    public var id: String
    /// The name of the machine.
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

/// Stores what the tier must keep over a restart. A failed write is not a failure of the tier: what is lost is told
/// again, or dropped.
public protocol SharedKeeping: Sendable {
    /// Returns the bytes kept under a name; nil if there are none or they cannot be read.
    func kept(_ name: String) async -> Bytes?
    /// Keeps bytes under a name. With nil, removes them.
    func keep(_ name: String, _ bytes: Bytes?) async
}

/// News from another host.
public enum SharedNews: Sendable {
    /// Remove what these bytes name.
    case order(Bytes)
    /// The API suspended a caller (identified by `SharedTier.isNamed`). Nil: a person ended the suspension.
    case suspension(SharedSuspension?, of: Bytes)
    /// News may have been missed. Nothing that was received before is used without a validation.
    case gap
}

/// A host that shares the prefix, as of its last sign of life.
public struct SharedMember: Sendable {
    public var id: String
    public var name: String
    public var version: String
    public var startedAt: String
    /// Seconds since the last sign of life, by the engine's clock.
    public var silence: Int64
    /// The place in the stream up to which the host has carried out the removals of the others.
    public var place: SharedStreamID?
    /// The calls that the host may make without asking, by provider.
    public var calls: [(provider: String, calls: Int64)]
    public var isSelf = false

    /// The silence in seconds after which a host counts as gone.
    public static let patience: Int64 = 10
    public var isAlive: Bool { silence <= Self.patience }

    /// Reads a row of the engine's table: when the host was last seen, in seconds of the engine's clock, the code of the
    /// rest, and the host's own description. Nil if the code is not this fleet's.
    init?(id: Bytes, value: Bytes, now: Int64, code: (Bytes, Bytes) -> String) {
        let parts = value.split(separator: 0x20, maxSplits: 2)
        guard parts.count == 3, value.count <= Self.longest,
            let seen = Int64(String(decoding: parts[0], as: UTF8.self)),
            Secrets.equal(Bytes(text: code(id, Bytes(parts[2]))), Bytes(parts[1])),
            let said = try? JSON.parse(Bytes(parts[2]))
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

    /// The maximum size of a row in bytes.
    static let longest = 8 << 10
}

extension SharedHost {
    /// The host's description for its sign of life.
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
