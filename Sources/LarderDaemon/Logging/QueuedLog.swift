// Where log lines go. The caller only adds a line to a bounded queue. The log's own thread renders and writes the
// lines, so a slow terminal or a full pipe never blocks a loop. Lines that do not fit are counted and dropped.
import Glibc
import LarderCore
import LarderIO
import LarderSettings

/// A log sink that writes lines to a descriptor on its own thread.
public final class QueuedLog: LogSink {
    public static let droppedLines = MetricFamily(
        "larder_log_dropped_total", help: "Log lines that were not written because the log's reader was too slow.")

    private let queue: LogQueue
    private let thread: SystemThread

    /// Starts the writer thread.
    /// - Parameters:
    ///   - format: `auto` counts as `text`; see `LogFormat.decided`.
    ///   - descriptor: where to write; standard error by default. The caller keeps ownership.
    ///   - capacity: the most lines that may wait.
    ///   - dropped: counts the lines that did not fit or could not be written.
    /// - Throws: if the thread cannot be created.
    public init(
        format: LogFormat, descriptor: Int32 = STDERR_FILENO, capacity: Int = 8192, dropped: CounterCell = CounterCell()
    ) throws(SystemError) {
        let queue = LogQueue(format: format, descriptor: descriptor, capacity: capacity, dropped: dropped)
        do throws(SystemThread.Failure) {
            thread = try SystemThread.start { queue.run() }
        } catch {
            throw SystemError(error)
        }
        self.queue = queue
    }

    deinit { close() }

    public func write(_ line: LogLine) { queue.put(line) }

    /// The number of lines dropped so far.
    public var dropped: Int { queue.dropped.current }

    /// Writes the queued lines and ends the thread. Later lines are dropped. Further calls do nothing.
    public func close() {
        if queue.close() { thread.join() }
    }
}

/// The queue between callers and the writer thread.
///
/// Unchecked `Sendable`: the semaphore is made for use by several threads. Everything else is immutable or locked.
private final class LogQueue: @unchecked Sendable {
    private struct State {
        var lines: [LogLine] = []
        var isClosed = false
    }

    let dropped: CounterCell
    private let format: LogFormat
    private let descriptor: Int32
    private let capacity: Int
    private let hasColour: Bool
    private let state = Lock(State())
    private let wake: UnsafeMutablePointer<sem_t>

    init(format: LogFormat, descriptor: Int32, capacity: Int, dropped: CounterCell) {
        self.format = format
        self.descriptor = descriptor
        self.capacity = capacity
        self.dropped = dropped
        hasColour = isatty(descriptor) == 1 && getenv("NO_COLOR") == nil
        wake = .allocate(capacity: 1)
        wake.initialize(to: sem_t())
        sem_init(wake, 0, 0)
    }

    deinit {
        sem_destroy(wake)
        wake.deallocate()
    }

    func put(_ line: LogLine) {
        let outcome: (isTaken: Bool, wasEmpty: Bool) = state.withLock { state in
            guard !state.isClosed, state.lines.count < capacity else { return (false, false) }
            state.lines.append(line)
            return (true, state.lines.count == 1)
        }
        if !outcome.isTaken { dropped.add() }
        if outcome.wasEmpty { sem_post(wake) }
    }

    /// Closes the queue. Returns false if it was closed before.
    func close() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { sem_post(wake) }
        return isFirst
    }

    func run() {
        var reported = 0
        while true {
            sem_wait(wake)
            let (lines, isClosed) = state.withLock { state in
                let taken = (state.lines, state.isClosed)
                state.lines = []
                return taken
            }
            var bytes = Bytes()
            for line in lines { bytes += render(line) }
            let lost = dropped.current
            if lost > reported, !isClosed {
                bytes += render(
                    LogLine(
                        time: lines.last?.time ?? SystemTime().wall(), level: .warning, label: "log",
                        message: "lines were dropped", values: [(name: "count", value: "\(lost - reported)")]))
                reported = lost
            }
            if !writeAll(bytes) { dropped.add(lines.count) }
            if isClosed { return }
        }
    }

    private func render(_ line: LogLine) -> Bytes {
        switch format {
        case .auto, .text: LogRendering.text(line, colour: hasColour)
        case .journal: LogRendering.journal(line)
        case .json: LogRendering.json(line)
        }
    }

    /// Returns false if the reader is gone, or took nothing for five seconds after the log was closed.
    private func writeAll(_ bytes: Bytes) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ Syscall.write(descriptor, $0) }) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let isReady = poll(&wanted, 1, 5000) > 0
                if !isReady, state.withLock({ $0.isClosed }) { return false }
            case .end, .failed: return false
            }
        }
        return true
    }
}

/// The identity of a descriptor's file.
struct LogFileIdentity: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
