// The daemon as a process: what it writes to standard output and the service manager, and how it handles signals.
import Glibc
import LarderCore
import LarderEngine
import LarderIO

extension Daemon {
    /// The signals that the process waits for. They must be blocked before the first thread is created.
    public static let signals: [Int32] = [SIGHUP, SIGTERM, SIGINT]

    /// Runs until SIGTERM or SIGINT; a second one ends the wait for responses in hand. SIGHUP reads the configuration
    /// again. Returns when everything is closed.
    ///
    /// - Parameter announce: receives one line per address, "listening ADDRESS", before anything else is printed.
    public func run(environment: [String: String], announce: @Sendable (String) -> Void) async {
        for address in addresses { announce("listening \(address)") }
        let notifier = ServiceNotifier(environment: environment)
        notifier?.ready(status: "Answering on \(addresses.joined(separator: ", "))")
        let watch = watchdog(notifier, environment)
        keepUp()
        keepHistory(HistoryRecorder.looksPerSave)
        forgetStart()
        keepHeap(HeapKeeper(time: SystemTime(), log: engine.log.labelled("heap"), counters: engine.counters))
        let (signals, heard) = AsyncStream<Int32>.makeStream()
        receive(into: heard)
        var isStopping = false
        for await signal in signals {
            if isStopping {
                if signal != SIGHUP { hurry() }
            } else if signal == SIGHUP {
                // systemd 252 has no Type=notify-reload, so a reload is shown by a status line only.
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

    /// Passes received signals on. They are read on the home loop.
    private func receive(into heard: AsyncStream<Int32>.Continuation) {
        let loop = homeLoop
        loop.post {
            do {
                // The registration keeps the source alive as long as the loop runs.
                _ = try SignalSource(Self.signals, on: loop) { heard.yield($0) }
            } catch {
                // Without signals nobody could stop the process in an orderly way, so it stops now.
                heard.finish()
            }
        }
    }

    /// Reports the entries that memory answered from to the store every 30 seconds. The timer ends with its loop.
    private func keepUp() {
        let loop = homeLoop
        loop.post { [weak self] in
            _ = loop.schedule(at: loop.monotonic + .seconds(30)) {
                Task { await self?.noteUses() }
                self?.keepUp()
            }
        }
    }

    /// Samples the counters at the end of each slot of the history, and saves the history once a minute.
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

    /// Lets go of what only the start has used, a second after it.
    private func forgetStart() {
        let loop = homeLoop
        loop.post { _ = loop.schedule(at: loop.monotonic + .seconds(1)) { ProcessMemory.forgetCode() } }
    }

    /// Returns memory that a burst has left free in the heap to the system.
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

    /// Notifies the service manager's watchdog at half its interval, each time only after a successful probe. A stuck
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
