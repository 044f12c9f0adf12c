// The daemon as a process: what it says on standard output and to the service manager, and what it does on signals.
import Glibc
import LarderCore
import LarderEngine
import LarderIO

extension Daemon {
    /// The signals this process waits for; they must be blocked before the first thread is made.
    public static let signals: [Int32] = [SIGHUP, SIGTERM, SIGINT]

    /// Runs until SIGTERM or SIGINT, of which a second one ends the wait for answers in hand; SIGHUP reads the
    /// configuration again. Returns when everything is closed.
    ///
    /// - Parameter announce: gets one line per address, "listening ADDRESS", before anything else is printed.
    public func run(environment: [String: String], announce: @Sendable (String) -> Void) async {
        for address in addresses { announce("listening \(address)") }
        let notifier = ServiceNotifier(environment: environment)
        notifier?.ready(status: "Answering on \(addresses.joined(separator: ", "))")
        let watch = watchdog(notifier, environment)
        keepUp()
        keepHistory(HistoryRecorder.looksPerSave)
        keepHeap(HeapKeeper(time: SystemTime(), log: engine.log.labelled("heap"), counters: engine.counters))
        let (signals, heard) = AsyncStream<Int32>.makeStream()
        receive(into: heard)
        var isStopping = false
        for await signal in signals {
            if isStopping {
                if signal != SIGHUP { hurry() }
            } else if signal == SIGHUP {
                // systemd 252 has no Type=notify-reload; a status line is what it can show.
                await reload()
                notifier?.status("Answering on \(addresses.joined(separator: ", "))")
            } else {
                notifier?.stopping()
                watch?.cancel()
                isStopping = true
                Task {
                    await stop()
                    heard.finish()
                }
            }
        }
    }

    /// Signals as they come, read on the home loop.
    private func receive(into heard: AsyncStream<Int32>.Continuation) {
        let loop = homeLoop
        loop.post {
            do {
                // The registration keeps the source alive as long as the loop turns.
                _ = try SignalSource(Self.signals, on: loop) { heard.yield($0) }
            } catch {
                // Without signals nobody could stop the process in order.
                heard.finish()
            }
        }
    }

    /// Every half minute the store learns what memory answered. A timer, which ends with its loop.
    private func keepUp() {
        let loop = homeLoop
        loop.post { [weak self] in
            _ = loop.schedule(at: loop.monotonic + .seconds(30)) {
                Task { await self?.noteUses() }
                self?.keepUp()
            }
        }
    }

    /// Looks at the counters at the end of each slot of the figures over time, and has them written once a minute.
    private func keepHistory(_ looksLeft: Int) {
        let loop = homeLoop
        loop.post { [weak self] in
            guard let wait = self?.parts.history.untilNextLook else { return }
            _ = loop.schedule(at: loop.monotonic + wait) {
                guard let self else { return }
                self.noteHistory()
                let isDue = looksLeft <= 1
                if isDue { Task { await self.saveHistory() } }
                self.keepHistory(isDue ? HistoryRecorder.looksPerSave : looksLeft - 1)
            }
        }
    }

    /// What a burst has left in the heap goes back to the system.
    private func keepHeap(_ keeper: HeapKeeper) {
        let loop = homeLoop
        loop.post { [weak self] in
            _ = loop.schedule(at: loop.monotonic + HeapWatch.interval) {
                guard let self else { return }
                Task { await self.engine.compute.run { keeper.look() } }
                self.keepHeap(keeper)
            }
        }
    }

    /// Feeds the service manager's watchdog at half its interval, each time only after a probe has succeeded: a wedged
    /// daemon must not look alive because a timer still runs.
    private func watchdog(_ notifier: ServiceNotifier?, _ environment: [String: String]) -> Task<Void, Never>? {
        guard let notifier, let interval = ServiceNotifier.watchdogInterval(environment: environment) else {
            return nil
        }
        let loop = homeLoop
        return Task(executorPreference: loop) {
            while !Task.isCancelled {
                if await self.probe() { notifier.alive() }
                await loop.pause(for: .milliseconds(interval.milliseconds / 2))
            }
        }
    }
}
