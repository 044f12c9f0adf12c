// Structured log: a constant message and named values. A value whose name speaks of a secret is never written.
import Synchronization

/// How much a line matters; the raw value is the syslog and journald priority (sd-daemon(3)).
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

/// Where lines go. Must not block the caller.
public protocol LogSink: Sendable {
    func write(_ line: LogLine)
}

/// A sink that forgets, for tests and tools.
public struct NoLog: LogSink {
    public init() {}
    public func write(_ line: LogLine) {}
}

/// Passed in to whoever logs; never global.
public struct Logger: Sendable {
    public var label: String
    /// One for all labels of a log, so that it can be changed while others hold them.
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

    /// The least important lines that are written, under whatever label.
    public var threshold: LogLevel {
        get { LogLevel(rawValue: leastLevel.value.load(ordering: .relaxed)) ?? .info }
        nonmutating set { leastLevel.value.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// A logger that forgets.
    public static let silent = Logger(label: "", threshold: .error, sink: NoLog())

    /// The same log under another label, such as "store".
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
    public func info(_ message: String, _ values: KeyValuePairs<String, String> = [:]) { log(.info, message, values) }
    public func debug(_ message: String, _ values: KeyValuePairs<String, String> = [:]) { log(.debug, message, values) }

    private func log(_ level: LogLevel, _ message: String, _ values: KeyValuePairs<String, String>) {
        guard level >= threshold else { return }
        let shown = values.map { (name: $0.key, value: Self.isSecret($0.key) ? "(hidden)" : $0.value) }
        sink.write(LogLine(time: time.wall(), level: level, label: label, message: message, values: shown))
    }

    private static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["key", "token", "secret", "authorization", "cookie", "password"].contains { name.hasSuffix($0) }
    }
}
