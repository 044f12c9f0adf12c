// Counts look-ups of names that no server answers for. Benchmarks/stalls.c keeps the counts in a file. A look-up lasts
// longer than its fetch, so it may last into the next round.
import Glibc

struct StallLookups: Equatable {
    /// The size of the file: two counts of eight bytes.
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
