// The command line as the program has it: `larder serve` is the real daemon.
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderSettings

extension CommandLineTool {
    /// What must happen on the main thread before the first task: the daemon's signals are blocked here, so that every
    /// thread made later leaves them to the descriptor that reads them (signal(7)), and their common heap is set up.
    public static func prepareProcess(_ arguments: [String]) {
        switch arguments.first {
        case "serve":
            Signals.block(Daemon.signals)
            Signals.ignoreWriteSignals()
            ProcessMemory.shapeHeap()
        case _ where ProviderCommands.isUpload(arguments): Signals.block(Interruption.signals)
        case "demo":
            Signals.block(Interruption.signals)
            // A reader that has seen enough must not end it before its daemon and its directory are cleared away.
            Signals.ignoreWriteSignals()
        case "search", "top": Signals.block(Interruption.signals)
        default: break
        }
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
        let surroundings = Daemon.Surroundings(
            log: log, counters: counters, inherited: InheritedSocket.take(environment: order.environment),
            reload: order.reload)
        do {
            let daemon = try await Daemon.start(settings, surroundings)
            await daemon.run(environment: order.environment) { line in
                print(line)
                // Whoever started us through a pipe waits for these lines.
                fflush(nil)
            }
        } catch {
            throw CommandFailure(.failed, "the daemon cannot start: \(error)")
        }
    }
}
