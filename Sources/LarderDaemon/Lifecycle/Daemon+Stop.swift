// How a daemon stops. First the answers in hand, for `server.drainTimeout`. What follows is bounded by its own work: the
// databases wait briefly for locks and close within a stated time. A disk that never answers holds a thread that nobody can
// end; for its sake alone the stop gives up waiting.
import LarderCore
import LarderEngine
import LarderFetch
import LarderIO
import LarderServer
import LarderSettings
import LarderStore

extension Daemon {
    /// Stops: answers in hand are finished within the deadline, or until `hurry`, then fetches are cancelled, touches
    /// flushed, databases closed.
    public func stop() async {
        parts.readiness.set(false)
        engine.log.notice("stopping")
        await server.stopAccepting()
        // They would go on for ever; whoever listens connects again to the next daemon.
        parts.searches.shutDown()
        parts.eventStreams.close()
        // What is held back for a newer question would be waited for.
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

    /// A stop waits no longer for answers in hand; all else of it is still done.
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
        // Nothing here waits for a call that is being written down: its flight ends at once. `closeState` waits for it, and
        // for its being taken back. Locks of other processes on the state database are waited for briefly from now on.
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
        parts.history.look()
        await parts.history.save(isLast: true)
        await engine.upstream.finish()
        await parts.state.close()
        done(.state)
    }
}

/// What a stop waits for, as its log names it.
private enum EndingPart: String, CaseIterable, Sendable {
    case calls = "calls under way"
    case cache = "the cache database"
    case state = "the state database"
}
