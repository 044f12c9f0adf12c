// Work that would hold a loop for long (parsing, normalising, sorting, compressing) leaves it by this one door: under
// `executorPreference: loop` even `@concurrent` functions would run on the loop. No more than one job a core at once,
// so a burst of misses cannot crowd out the loops. Those waiting are answered in order; there are at most as many as
// requests in hand, which the server limits. A small job runs where it is asked for: two changes of thread cost more than
// it does.
import LarderCore

/// Runs pure work on the global concurrent executor, so many jobs at once and no more.
public struct ComputeGate: Sendable {
    private struct Waiting {
        var free: Int
        var queue: [CheckedContinuation<Void, Never>] = []
        /// Continuations before this place have been resumed.
        var head = 0
    }

    private let state: Lock<Waiting>

    /// Jobs that read no more bytes than this run in place: at some 30 ns a byte of parsing and rendering JSON they take half a
    /// millisecond at most, and a loop may be held for one.
    public static let inPlace = 16 * 1024

    /// - Parameter width: jobs at once, at least one.
    public init(width: Int) {
        state = Lock(Waiting(free: max(1, width)))
    }

    /// Runs the body away from the caller's executor and comes back to it with the result.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        defer { leave() }
        // A task of its own: the caller's preference for a loop does not reach into it.
        let result = await Task(executorPreference: globalConcurrentExecutor) { () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }.value
        return try result.get()
    }

    /// Runs the body in place where it is a small job, else as `run` does.
    /// - Parameter bytes: what the body reads, as far as its caller knows; `Int.max` where it cannot be told.
    public func run<Value: Sendable, Failure: Error>(
        reading bytes: Int, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if bytes <= Self.inPlace { return try body() }
        return try await run(body)
    }

    /// Places that the queue holds, those of resumed jobs among them.
    var places: Int { state.withLock { $0.queue.count } }

    private func enter() async {
        await state.wait { state, waiter -> Void? in
            guard state.free == 0 else {
                state.free -= 1
                return ()
            }
            state.queue.append(waiter)
            return nil
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.head < state.queue.count else {
                state.queue.removeAll(keepingCapacity: true)
                state.head = 0
                state.free += 1
                return nil
            }
            let next = state.queue[state.head]
            state.head += 1
            // On a machine that is never idle the queue is never empty: those resumed must not be kept for ever.
            if state.head >= 64, state.head * 2 >= state.queue.count {
                state.queue.removeFirst(state.head)
                state.head = 0
            }
            return next
        }
        next?.resume()
    }
}
