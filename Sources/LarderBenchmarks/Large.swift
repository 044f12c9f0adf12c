// Transfers a body of a gibibyte through `/raw`: stored, not stored, and again from the store. The origin generates the
// body while it sends it, and the client compares every byte and keeps none. So the measured memory is larder's own.
import Glibc
import LarderCore

/// One transfer of the large body.
struct LargeFigures {
    var title: String
    var megabytesPerSecond = 0.0
    /// From the request to the first byte of the body, in milliseconds.
    var firstByte = 0.0
    /// Peak resident memory of the daemon (VmHWM), in KiB.
    var peak = 0
    /// What went wrong; nil if nothing did. After a fault the figures mean nothing.
    var fault: String?
}

struct LargeRun {
    let stand: Stand
    /// The transfer that fills the store.
    static let stored = "stored"
    private var size: Int { stand.arguments.largeMebibytes << 20 }

    func measure() throws(Failure) -> [LargeFigures] {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        var setup = LarderSetup()
        setup.hasOwnListener = true
        setup.isPatient = true
        setup.maxSize = "4 GiB"
        setup.maxObject = "1 GiB"
        var figures: [LargeFigures] = []
        // Peak memory never decreases, so each transfer has its own daemon. The last daemon uses the store of the
        // first.
        let stored = OriginObject(kind: .image, size: size, id: 1)
        let first = try transfer(setup, origin, stored, Self.stored, nil)
        figures.append(first.figures)
        let unstored = OriginObject(kind: .uncacheable, size: size, id: 2)
        figures.append(try transfer(setup, origin, unstored, "not stored (no-store)", nil).figures)
        let before = try origin.requestCount()
        var again = try transfer(setup, origin, stored, "from the store", first.directory).figures
        if try origin.requestCount() > before, again.fault == nil { again.fault = "it was fetched anew" }
        figures.append(again)
        return figures
    }

    private func transfer(
        _ setup: LarderSetup, _ origin: Server, _ object: OriginObject, _ title: String, _ directory: String?
    ) throws(Failure) -> (figures: LargeFigures, directory: String) {
        let larder = try MeasuredLarder.start(setup, on: stand, origin: origin.port, directory: directory)
        defer { larder.process.stop() }
        var figures = LargeFigures(title: title)
        do throws(Failure) {
            let text = try stand.pinned(
                ["large", "\(larder.ownPort)", object.kind.rawValue, "\(object.size)", "\(object.id)"], seconds: 600)
            let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard numbers.count == 2 else { throw .failed("large", "no result") }
            figures.firstByte = numbers[0] / 1e6
            figures.megabytesPerSecond = Double(object.size) / 1e6 / (numbers[1] / 1e9)
            // The store must finish writing before the daemon is stopped.
            try stand.pauseWhole(milliseconds: 500)
        } catch {
            if case .interrupted = error { throw error }
            figures.fault = error.text
        }
        figures.peak = ProcessTree.peak(larder.process.pid)
        note("1 GiB, \(title): peak \(figures.peak / 1024) MiB, \(figures.fault ?? "right to the last byte")")
        return (figures, larder.directory)
    }

    /// The work of the pinned child. It prints the nanoseconds to the first byte and to the last.
    static func part(_ words: [String]) throws(Failure) {
        guard words.count == 5, let port = UInt16(words[1]), let kind = BodyKind(rawValue: words[2]),
            let size = Int(words[3]), let id = Int(words[4])
        else { throw .usage("--part large is for the harness itself") }
        let object = OriginObject(kind: kind, size: size, id: id)
        let pool = Pool()
        let client = try ProbeClient(port: port, patience: 120)
        let path = "/raw/bench" + object.path
        let start = monotonicNanoseconds()
        var firstAt: Int64?
        try client.stream(ProbeClient.request(path, port: port), path, length: size) { bytes, place in
            if firstAt == nil { firstAt = monotonicNanoseconds() }
            return pool.matches(bytes, of: object, at: place)
        }
        let end = monotonicNanoseconds()
        print((firstAt ?? end) - start, end - start)
    }
}
