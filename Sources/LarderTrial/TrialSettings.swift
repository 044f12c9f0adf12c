// What a trial is told: by the daemon's own command line and configuration file, so that the measuring harness can start it
// in the daemon's place (`--larder`), and by the name it is started under, since the harness hands on neither further words
// nor the environment: `LarderTrial,vfs=nowait,bodies=read` is a link to the program (scripts/trial makes them).
import Glibc
import LarderCore

struct TrialSettings: Sendable {
    /// Where bodies of more than `inRow` bytes lie.
    enum Bodies: String { case rows, sendfile, read }
    enum Transactions: String { case each, turn }
    enum Handles: String { case fresh, kept }

    /// Bodies up to this size lie in their row; chunk rows have 64 KiB as in the daemon.
    static let inRow = 32 << 10

    var originPort: UInt16 = 0
    var directory = ""
    /// Whether reads ask the kernel not to wait.
    var isNoWait = false
    var bodies = Bodies.rows
    var transactions = Transactions.each
    var handles = Handles.kept
    /// Whether the checksum of the body is looked at with each hit.
    var checksBodies = true
    /// Whether each line of an answer's head is read as the daemon reads it.
    var isStrict = true
    /// The page cache of the read connection; the daemon's readers have 16 MiB each.
    var cacheMebibytes = 16
    /// Of one round of `look`.
    var looks = 100_000
    /// What was accepted in this time is committed together.
    var commitWithin = Duration.milliseconds(50)
    /// False: what is accepted stays in memory, so that a miss is counted without the commit behind it.
    var commits = true

    /// - Parameter name: the path of the program as it was started.
    init(name: String) {
        for word in name.split(separator: ",").dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = String(parts[1])
            switch parts[0] {
            case "vfs": isNoWait = value == "nowait"
            case "bodies": bodies = Bodies(rawValue: value) ?? bodies
            case "transaction": transactions = Transactions(rawValue: value) ?? transactions
            case "handles": handles = Handles(rawValue: value) ?? handles
            case "sums": checksBodies = value != "off"
            case "strict": isStrict = value != "off"
            case "cache": cacheMebibytes = Int(value) ?? cacheMebibytes
            case "looks": looks = Int(value) ?? looks
            case "commit": commits = value != "off"
            default: print("\(parts[0]) is no word of a trial")
            }
        }
    }

    /// The two lines of the daemon's configuration that a trial needs.
    mutating func read(configuration text: String) {
        for line in text.split(separator: "\n") {
            let value = line.split(separator: "\"").dropFirst().first.map(String.init) ?? ""
            if line.contains("baseURL:"), let colon = value.lastIndex(of: ":") {
                originPort = UInt16(value[value.index(after: colon)...]) ?? 0
            } else if line.contains("path:"), value.hasSuffix("/cache") {
                directory = value
            }
        }
    }

    static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = Bytes(repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
