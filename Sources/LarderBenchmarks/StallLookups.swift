// Look-ups of names that no server answers for, as Benchmarks/stalls.c counts them in a file. One lasts longer than the fetch
// that asked for it, so it may last into the next round.
import Glibc

struct StallLookups: Equatable {
    /// Of the file: two counts of eight bytes.
    static let bytes = 16

    var begun: Int
    var ended: Int

    var underWay: Int { begun - ended }

    init(begun: Int, ended: Int) {
        (self.begun, self.ended) = (begun, ended)
    }

    init(file path: String) throws(Failure) {
        guard let file = fopen(path, "re") else { throw .failed(path, systemReason()) }
        defer { fclose(file) }
        var counts: [UInt64] = [0, 0]
        guard fread(&counts, Self.bytes, 1, file) == 1 else { throw .failed(path, "is too short") }
        self.init(begun: Int(counts[0]), ended: Int(counts[1]))
    }
}
