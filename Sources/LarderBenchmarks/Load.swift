// Runs the closed loop as a child of the harness, on the core of the load.
import Glibc
import LarderCore

/// One run of load against one server.
struct Load {
    var port: UInt16
    /// The object size in bytes if all objects have one size; nil for the sizes of the mixed workload.
    var size: Int?
    var order: Order
    var count: Int
    var seconds: Int
    var connections: Int
    var isTolerant = false

    private var words: [String] {
        ["load", "\(port)", size.map { "\($0)" } ?? "mixed"] + order.words
            + ["\(count)", "\(seconds)", "\(connections)", isTolerant ? "tolerant" : "strict"]
    }

    /// Runs the load and waits for its end.
    func run(on stand: Stand) throws(Failure) -> LoadRound {
        let child = try start(on: stand)
        defer { child.stop() }
        return try Self.result(of: child, seconds: seconds + 60)
    }

    /// Starts the load. The caller can do something else meanwhile.
    func start(on stand: Stand) throws(Failure) -> ChildProcess {
        try stand.startPinned(words + [stand.arguments.templates])
    }

    static func result(of child: ChildProcess, seconds: Int) throws(Failure) -> LoadRound {
        guard let round = LoadRound(lines: try child.finish(seconds: seconds).replacing(ready, with: "")) else {
            throw .failed("load", "no result")
        }
        return round
    }

    /// The line that a tolerant child prints when all its connections are open. From then on the server may end.
    static let ready = "ready\n"

    /// The work of the child with these words.
    static func part(_ words: [String]) throws(Failure) {
        guard words.count == 12, let port = UInt16(words[1]), let order = Order(Array(words[3..<7])),
            let count = Int(words[7]), let seconds = Int(words[8]), let connections = Int(words[9])
        else { throw .usage("--part load is for the harness itself") }
        let sizes: ObjectSizes
        if let size = Int(words[2]) {
            sizes = ObjectSizes(size: size)
        } else {
            sizes = try ObjectSizes(Files.text(of: "\(words[11])/object-sizes.txt"))
        }
        var loop = try ClosedLoop(
            port: port, sizes: sizes, order: order, connections: connections, isTolerant: words[10] == "tolerant")
        if words[10] == "tolerant" { _ = write(STDOUT_FILENO, ready, ready.utf8.count) }
        print(try loop.run(count: count, seconds: seconds).lines)
    }
}
