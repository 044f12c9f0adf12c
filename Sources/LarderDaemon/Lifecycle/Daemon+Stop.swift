// How a daemon stops. First it waits for the responses in hand, up to `server.drainTimeout`. The work after that has
// its own limits: the databases wait briefly for locks and close within a stated time. A disk that never responds holds
// a thread that nobody can end. The stop gives up waiting only for such a disk.
import LarderCore
import LarderEngine
import LarderFetch
import LarderIO
import LarderServer
import LarderSettings
import LarderStore

extension Daemon {
    /// Stops the daemon. Finishes responses in hand within the deadline, or until `hurry`. Then cancels fetches,
    /// flushes touches and closes the databases.
    public func stop() async {
        parts.readiness.set(false)
        engine.log.notice("stopping")
        await server.stopAccepting()
        // Event streams would never end. Their clients reconnect to the next daemon.
        parts.searches.shutDown()
        parts.eventStreams.close()
        // Releases the calls that sessions hold back for a newer question. Otherwise the drain would wait for them.
        engine.sessions.letGo()
        let deadline = engine.snapshot.settings.server.drainTimeout
        Task {
            await server.drain(deadline: deadline)
            drained.fulfil()
        }
        await drained.wait()
        await endWork()
        for loop in loops + [homeLoop] { loop.stop() }
        for loop in loops + [homeLoop] where !loop.isCurrent { loop.join() }
        engine.log.notice("stopped")
    }

    /// Ends the wait for responses in hand. The rest of the stop is still carried out.
    public func hurry() {
        engine.log.notice("stopping without waiting for answers")
        server.endDrain()
        drained.fulfil()
    }

    /// Ends the work and closes the databases, or gives up waiting for that.
    private func endWork() async {
        let ended = Promise<Void>()
        let undone = Lock<Set<EndingPart>>(Set(EndingPart.allCases))
        let done: @Sendable (EndingPart) -> Void = { part in undone.withLock { _ = $0.remove(part) } }
        Task {
            await endCalls(done)
            async let cache: Void = closeCache(done)
            await closeState(done)
            await cache
            ended.fulfil()
        }
        let patience = surroundings.stopPatience
        homeLoop.post { [homeLoop] in
            _ = homeLoop.schedule(at: homeLoop.monotonic + patience) { ended.fulfil() }
        }
        await ended.wait()
        let left = undone.withLock { $0 }
        guard !left.isEmpty else { return }
        engine.log.error(
            "the stop waits no longer: what was not written is lost",
            ["undone": left.map(\.rawValue).sorted().joined(separator: ", ")])
    }

    private func endCalls(_ done: @Sendable (EndingPart) -> Void) async {
        // Flights end at once, even if their call is still being written to `state.db`. `closeState` waits for that
        // write, and for the call to be taken back. From now on, waits for locks of other processes are short.
        parts.state.expectClose()
        engine.sessions.close()
        await engine.refreshes.close()
        await engine.accounts.shutDown()
        await engine.flights.shutDown()
        await base.leaveFleet(engine)
        await base.fetcher.shutdown()
        done(.calls)
    }

    private func closeCache(_ done: @Sendable (EndingPart) -> Void) async {
        touchUsed()
        await engine.cache.store.close()
        done(.cache)
    }

    private func closeState(_ done: @Sendable (EndingPart) -> Void) async {
        await saveTotals()
        // A look that is still running lasts a moment and does not have the last figures.
        while !parts.history.look() { await Task.yield() }
        await parts.history.save(isLast: true)
        await engine.upstream.finish()
        await parts.state.close()
        done(.state)
    }
}

/// What a stop waits for, as the log names it.
private enum EndingPart: String, CaseIterable, Sendable {
    case calls = "calls under way"
    case cache = "the cache database"
    case state = "the state database"
}
