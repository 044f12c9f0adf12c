// The command line of the program: `larder serve` runs the real daemon.
import CBuild
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderSettings
import LarderTape

extension CommandLineTool {
    /// Prepares the process on the main thread before the first task. The daemon's signals are blocked here, so every
    /// later thread leaves them to the descriptor that reads them (signal(7)). The heap of all threads is set up too.
    public static func prepareProcess(_ arguments: [String]) {
        switch arguments.first {
        case "serve":
            Signals.block(Daemon.signals)
            Signals.ignoreWriteSignals()
            Signals.ignoreUnused()
            ProcessMemory.shapeHeap()
        case _ where ProviderCommands.isUpload(arguments): Signals.block(Interruption.signals)
        case "demo", "origin", "mcp":
            Signals.block(Interruption.signals)
            // A closed standard output must not end the process before its daemon and directory are cleaned up.
            Signals.ignoreWriteSignals()
        case "run":
            Signals.block(RunChild.signals)
            Signals.ignoreWriteSignals()
        case "search", "top": Signals.block(Interruption.signals)
        default: break
        }
    }

    /// The words after the program's name.
    public static var words: [String] {
        let count = larder_argument_count()
        guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
        return (1..<max(1, count)).map { String(cString: larder_argument($0)) }
    }

    /// The environment, to be read before other threads start. Of a variable that stands twice, the first counts, as
    /// for getenv(3).
    public static var environment: [String: String] {
        var variables: [String: String] = [:]
        var index: Int32 = 0
        while let text = larder_variable(index).map({ String(cString: $0) }) {
            index += 1
            guard let mark = text.firstIndex(of: "="), mark > text.startIndex else { continue }
            let name = String(text[..<mark])
            if variables[name] == nil { variables[name] = String(text[text.index(after: mark)...]) }
        }
        return variables
    }

    public static let standard = CommandLineTool { order throws(CommandFailure) in
        let settings = order.settings
        let format = settings.log.format.decided(environment: order.environment, descriptor: STDERR_FILENO)
        let counters = CounterRegistry()
        let sink: QueuedLog
        do {
            sink = try QueuedLog(format: format, dropped: counters.cell(QueuedLog.droppedLines))
        } catch {
            throw CommandFailure(.failed, "the log cannot be started: \(error)")
        }
        defer { sink.close() }
        let log = Logger(label: "larder", threshold: settings.log.level, sink: sink)
        var surroundings = Daemon.Surroundings(
            log: log, counters: counters, inherited: InheritedSocket.take(environment: order.environment),
            reload: order.reload)
        if let replay = order.replay {
            log.notice(
                "a tape is replayed", ["tape": replay.tape.path, "recordings": String(replay.recordings.count)])
            surroundings.replay = { [time = surroundings.time] canonical in
                TapeUpstream(
                    replay.recordings, rules: replay.tape.rules, secrets: replay.tape.secrets, time: time,
                    canonical: canonical)
            }
        }
        do {
            let daemon = try await Daemon.start(settings, surroundings)
            await daemon.run(environment: order.environment) { line in
                print(line)
                // A parent that started this process through a pipe waits for these lines.
                fflush(nil)
            }
        } catch {
            throw CommandFailure(.failed, "the daemon cannot start: \(error)")
        }
    }
}
