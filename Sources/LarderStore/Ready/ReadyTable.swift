// The table of answers that are kept ready: what a request for one target gets, as the bytes that go out. A row belongs
// to one row of `entry`, whose body it shares. If that is a variant, it was chosen among the variants of its URL. It is
// removed with any of them, and with any change of them or of their times. Every change of a head changes the times too.
import LarderCore

enum ReadyTable {
    /// Part of the schema. `id` is made of the target's hash, so that a row is found without an index of its own (`ReadyPlace`).
    static let sql = """

        CREATE TABLE ready (
          id INTEGER PRIMARY KEY, entry INTEGER NOT NULL, url BLOB, data BLOB NOT NULL, sum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX readyEntry ON ready (entry);
        CREATE INDEX readyURL ON ready (url) WHERE url IS NOT NULL;
        CREATE TRIGGER readyGone AFTER DELETE ON entry BEGIN
          DELETE FROM ready WHERE entry = OLD.id;
          DELETE FROM ready WHERE url = OLD.url;
        END;
        CREATE TRIGGER readyChanged AFTER UPDATE OF freshUntil, staleUntil ON life BEGIN
          DELETE FROM ready WHERE entry = OLD.id;
          DELETE FROM ready WHERE url = (SELECT url FROM entry WHERE id = OLD.id);
        END;
        """
}

/// The clients for which an answer was chosen by its content coding. Part of a row's id.
enum ReadyCoding: Int64, Sendable {
    case any = 0
    case takesGzip = 1
    case takesNoGzip = 2

    init(takesGzip: Bool?) { self = takesGzip.map { $0 ? .takesGzip : .takesNoGzip } ?? .any }

    var takesGzip: Bool? { self == .any ? nil : self == .takesGzip }
}

/// The ids of a target's rows: up to four consecutive ids, one for each coding.
struct ReadyPlace {
    /// The first of the ids. Two targets may share it, so a reader that finds a row compares the target.
    let first: Int64

    init(_ target: UnsafeBufferPointer<UInt8>, scope: UInt64) {
        // The seed is the same in every run, because the rows are. A client that makes targets collide only makes them
        // displace each other here; they are then read the slow way.
        let hash = TargetHash.of(target, scope: scope, seed: 0x2545_F491_4F6C_DD1D)
        first = Int64(bitPattern: hash) & ~3
    }

    /// The place of the row with this id.
    init(id: Int64) { first = id & ~3 }

    var last: Int64 { first | 3 }
    func id(_ coding: ReadyCoding) -> Int64 { first | coding.rawValue }
}
