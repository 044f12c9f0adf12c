// Where log lines go. The caller only puts a line into a bounded queue; rendering and writing happen on a thread of the
// log's own, so that a slow terminal or a full pipe never holds up a loop. What does not fit is counted, not waited for.
import Glibc
import LarderCore
import LarderIO
import LarderSettings

/// A sink that writes lines to a descriptor, on its own thread.
public final class QueuedLog: LogSink {
    public static let droppedLines = MetricFamily(
        "larder_log_dropped_total", help: "Log lines that were not written since the log's reader was too slow.")

    private let queue: LogQueue
    private let thread: SystemThread

    /// Starts the writer thread.
    /// - Parameters:
    ///   - format: `auto` is taken for `text`; see `LogFormat.decided`.
    ///   - descriptor: stays the caller's; standard error unless told.
    ///   - capacity: lines that may wait.
    ///   - dropped: counts the lines that found no room.
    /// - Throws: where no thread can be made.
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

    /// Lines that found no room so far.
    public var dropped: Int { queue.dropped.current }

    /// Writes what is queued and ends the thread. Lines that come later are dropped. Calling it again does nothing.
    public func close() {
        if queue.close() { thread.join() }
    }
}

/// The queue between callers and the writer.
///
/// Unchecked `Sendable`: the semaphore is the system's own and made for many threads; all else is immutable or locked.
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

    /// False where it was closed before.
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

    /// False where the reader is gone, or took nothing for five seconds after the log was closed.
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

/// Which file a descriptor is.
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
