// The command line of a soak.

struct SoakArguments {
    var seconds = 600
    var seed: UInt64 = 1
    var clients = 6
    /// Requests a second of all clients together.
    var rate = 150
    var larder = ".build/release/larder"
    /// The clock shim of Benchmarks/clock.c, built by scripts/soak.
    var clock = ".build/soak/clock.so"
    /// The directory in which larder's logs are kept after a failure.
    var keep: String?

    static let usage = """
        usage: scripts/soak [options]
          --seconds N     how long requests are sent, from 30 on (600, or $SOAK_SECONDS)
          --seed N        what all choices follow from (the time)
          --clients N     clients, each on a thread (6)
          --rate N        requests a second, of all clients together (150)
          --larder FILE   the daemon (.build/release/larder)
          --clock FILE    the shim that moves its clock (.build/soak/clock.so)
          --keep DIR      where the logs of larder go after a failure
        """

    init(_ words: [String], seed: UInt64) throws(Failure) {
        self.seed = seed
        var rest = words[...]
        while let word = rest.popFirst() {
            let value = rest.popFirst()
            switch word {
            case "--seconds": seconds = try Arguments.number(word, value, 30...86_400)
            case "--seed": self.seed = UInt64(try Arguments.number(word, value, 0...Int.max))
            case "--clients": clients = try Arguments.number(word, value, 1...64)
            case "--rate": rate = try Arguments.number(word, value, 1...5000)
            case "--larder": larder = try Arguments.text(word, value)
            case "--clock": clock = try Arguments.text(word, value)
            case "--keep": keep = try Arguments.text(word, value)
            default: throw .usage("unknown option \(word)\n\(Self.usage)")
            }
        }
    }
}
