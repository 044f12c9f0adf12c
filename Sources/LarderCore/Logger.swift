// The structured log: a constant message and named values. A value whose name suggests a secret is never written.
import Synchronization

/// The importance of a line. The raw value is the syslog and journald priority (sd-daemon(3)).
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue > right.rawValue }

    public var word: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }
}

/// One line before it is rendered.
public struct LogLine: Sendable {
    public var time: WallTime
    public var level: LogLevel
    public var label: String
    public var message: String
    public var values: [(name: String, value: String)]

    public init(
        time: WallTime, level: LogLevel, label: String, message: String, values: [(name: String, value: String)]
    ) {
        self.time = time
        self.level = level
        self.label = label
        self.message = message
        self.values = values
    }
}

/// The destination of lines. `write` must not block the caller.
public protocol LogSink: Sendable {
    func write(_ line: LogLine)
}

/// A sink that discards every line, for tests and tools.
public struct NoLog: LogSink {
    public init() {}
    public func write(_ line: LogLine) {}
}

/// Writes lines to a sink under a label. A logger is passed in to the code that logs; there is no global one.
public struct Logger: Sendable {
    public var label: String
    /// Shared by all labels of a log, so that the threshold can be changed while others hold their loggers.
    private let leastLevel: LeastLevel
    private let sink: any LogSink
    private let time: any TimeSource

    public init(label: String, threshold: LogLevel = .info, sink: any LogSink, time: any TimeSource = SystemTime()) {
        self.label = label
        leastLevel = LeastLevel(threshold)
        self.sink = sink
        self.time = time
    }

    private final class LeastLevel: Sendable {
        let value: Atomic<Int>

        init(_ level: LogLevel) { value = Atomic(level.rawValue) }
    }

    /// The least important level that is written. It applies to all labels of the log.
    public var threshold: LogLevel {
        get { LogLevel(rawValue: leastLevel.value.load(ordering: .relaxed)) ?? .info }
        nonmutating set { leastLevel.value.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// A logger that discards every line.
    public static let silent = Logger(label: "", threshold: .error, sink: NoLog())

    /// Returns a logger for the same log under another label, such as "store".
    public func labelled(_ label: String) -> Logger {
        var copy = self
        copy.label = label
        return copy
    }

    public func error(_ message: String, _ values: KeyValuePairs<String, String> = [:]) { log(.error, message, values) }
    public func warning(_ message: String, _ values: KeyValuePairs<String, String> = [:]) {
        log(.warning, message, values)
    }
    public func notice(_ message: String, _ values: KeyValuePairs<String, String> = [:]) {
        log(.notice, message, values)
    }
    /// Whether lines of this level are written. Asked where the values of a line cost something.
    public func writes(_ level: LogLevel) -> Bool { level >= threshold }

    public func info(_ message: String, _ values: KeyValuePairs<String, String> = [:]) { log(.info, message, values) }
    public func debug(_ message: String, _ values: KeyValuePairs<String, String> = [:]) { log(.debug, message, values) }

    private func log(_ level: LogLevel, _ message: String, _ values: KeyValuePairs<String, String>) {
        guard level >= threshold else { return }
        let shown = values.map { (name: $0.key, value: RequestCredentials.isSecret($0.key) ? "(hidden)" : $0.value) }
        sink.write(LogLine(time: time.wall(), level: level, label: label, message: message, values: shown))
    }
}
