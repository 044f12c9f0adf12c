// The thin line itself: request, overlay, database, fetch, answer, and the commit behind it. One loop; the writer has a
// thread of its own and is told of many entries at once.
import CLinux
import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderStore

final class TrialServer: EventHandler {
    let loop: EventLoop
    let parser = RequestParser()
    private let settings: TrialSettings
    private let reader: TrialReader
    private let fetcher: TrialFetcher
    private let writer: EventLoop
    private let listener: Int32
    private let rows: LoopBound<TrialRows?>
    /// Accepted, and perhaps not committed.
    private let overlay: LoopBound<Overlay>
    private var batch: [TrialEntry] = []
    private var files: [Int64: Int32] = [:]
    private let scratch = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 64)
    private var tail = Bytes(repeating: 0, count: 256)
    private var number: UInt64 = 0
    /// Look-ups that would have waited.
    private var waited = 0

    private final class Overlay {
        var entries: [Digest: TrialEntry] = [:]
    }

    static func run(_ settings: TrialSettings, _ loop: EventLoop, _ writer: EventLoop) {
        do {
            let server = try TrialServer(settings, loop, writer)
            // Its handler keeps it for as long as the loop runs.
            _ = try loop.register(server.listener, .readable, handler: server)
            print("listening 127.0.0.1:\(Socket.localAddress(server.listener)?.port ?? 0)")
            // Whoever started it reads from a pipe.
            fflush(nil)
        } catch {
            print("\(error)")
            fflush(nil)
            loop.stop()
        }
    }

    private init(_ settings: TrialSettings, _ loop: EventLoop, _ writer: EventLoop) throws {
        self.settings = settings
        self.loop = loop
        self.writer = writer
        rows = LoopBound(nil, on: writer)
        overlay = LoopBound(Overlay(), on: loop)
        reader = try TrialReader(settings.directory, settings)
        fetcher = try TrialFetcher(settings, loop)
        listener = try Socket.listen(on: .ipv4([127, 0, 0, 1], port: 0))
        writer.post { [rows, settings] in rows.value = try? TrialRows(settings.directory, settings.bodies) }
    }

    func ready(_ events: ReadyEvents) {
        while case .connection(let descriptor) = Syscall.accept(listener) { _ = TrialConnection(descriptor, self) }
    }

    /// True where the answer comes later.
    func answer(_ target: UnsafeRawBufferPointer, on connection: TrialConnection) -> Bool {
        let digest = Digest(of: Bytes(target))
        let overlay = overlay.value
        if !overlay.entries.isEmpty, let entry = overlay.entries[digest] {
            entry.head.withUnsafeBytes { head in
                entry.body.withUnsafeBytes { body in send(head, body, "hit", on: connection) }
            }
            return false
        }
        // Behind the look at the overlay: an entry leaves that only after its commit, so one of the two has it. A snapshot
        // of this turn may be older than such a commit only if the overlay changed within the turn, which posted work
        // does, and that runs behind `soon`.
        if settings.transactions == .turn, !reader.isInTransaction {
            reader.beginTurn()
            loop.soon { [self] in reader.endTurn() }
        }
        let isAnswered = withRawDigest(digest) { raw in
            switch look(raw, target) {
            case .row(let row):
                send(row, on: connection)
                reader.release()
                return true
            default:
                reader.release()
                return false
            }
        }
        if isAnswered { return false }
        let key = Bytes(target)
        fetcher.fetch(target) { [self] head, body in
            send(head, body, "fwd=uri-miss; stored", on: connection)
            accept(TrialEntry(digest: digest, key: key, head: Bytes(head), body: Bytes(body)))
            connection.goOn()
        }
        return true
    }

    /// What would wait is read all the same, and counted: the daemon would give it to a reader thread.
    private func look(_ digest: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) -> TrialFound {
        let found = reader.look(digest, key: key)
        guard case .wouldWait = found, let reads = reader.reads else { return found }
        reader.release()
        waited += 1
        reads.waits = true
        defer { reads.waits = false }
        return reader.look(digest, key: key)
    }

    // MARK: Answering

    private func send(_ row: TrialRow, on connection: TrialConnection) {
        if !row.body.isEmpty || row.size == 0 { return send(row.head, row.body, "hit", on: connection) }
        guard settings.bodies == .rows else { return sendFile(row, on: connection) }
        var isFirst = true
        _ = reader.eachPiece(of: row) { piece in
            if isFirst {
                send(row.head, piece, "hit", on: connection)
            } else {
                withUnsafePointer(to: piece) { connection.send(UnsafeBufferPointer(start: $0, count: 1)) }
            }
            isFirst = false
        }
    }

    private func sendFile(_ row: TrialRow, on connection: TrialConnection) {
        let descriptor: Int32
        if let known = files[row.id] {
            descriptor = known
        } else {
            descriptor = open("\(settings.directory)/bodies/\(row.id)", O_RDONLY | O_CLOEXEC)
            files[row.id] = descriptor
        }
        if settings.bodies == .sendfile {
            send(row.head, UnsafeRawBufferPointer(start: nil, count: 0), "hit", on: connection)
            connection.send(file: descriptor, count: row.size)
            return
        }
        var got = larder_pread_nowait(descriptor, scratch, row.size, 0)
        if got < row.size { got = pread(descriptor, scratch, row.size, 0) }
        let body = UnsafeRawBufferPointer(start: scratch, count: got)
        if settings.checksBodies, TrialSum.of(body) != row.bodySum { return }
        send(row.head, body, "hit", on: connection)
    }

    /// Head, tail and body in one call.
    private func send(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ outcome: StaticString,
        on connection: TrialConnection
    ) {
        number &+= 1
        let count = makeTail(outcome)
        tail.withUnsafeBytes { tail in
            withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 3) { pieces in
                pieces.initializeElement(at: 0, to: head)
                pieces.initializeElement(at: 1, to: UnsafeRawBufferPointer(rebasing: tail[..<count]))
                pieces.initializeElement(at: 2, to: body)
                connection.send(UnsafeBufferPointer(start: pieces.baseAddress, count: body.isEmpty ? 2 : 3))
            }
        }
    }

    private func makeTail(_ outcome: StaticString) -> Int {
        let number = number
        return tail.withUnsafeMutableBufferPointer { out in
            var count = 0
            func put(_ text: StaticString) {
                for index in 0..<text.utf8CodeUnitCount {
                    out[count] = text.utf8Start[index]
                    count += 1
                }
            }
            put("Age: 0\r\nCache-Status: larder; ")
            put(outcome)
            put("\r\nX-Request-Id: 0-")
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
                out[count] = digit < 10 ? digit + 48 : digit + 87
                count += 1
            }
            put("\r\n\r\n")
            return count
        }
    }

    // MARK: The commit behind

    private func accept(_ entry: TrialEntry) {
        overlay.value.entries[entry.digest] = entry
        guard settings.commits else { return }
        batch.append(entry)
        guard batch.count == 1 else { return }
        _ = loop.schedule(at: loop.monotonic + settings.commitWithin) { [self] in handOver() }
    }

    private func handOver() {
        let entries = batch
        batch = []
        let now = loop.now.milliseconds
        writer.post { [rows, loop, overlay] in
            let isCommitted = rows.value?.write(entries, now: now) ?? false
            loop.post {
                guard isCommitted else { return }
                for entry in entries { overlay.value.entries[entry.digest] = nil }
            }
        }
    }
}
