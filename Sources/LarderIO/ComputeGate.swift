// The gate for work that would hold a loop for long (parsing, normalising, sorting, compressing). Such work must leave
// the loop here: under `executorPreference: loop` even `@concurrent` functions would run on the loop. The number of
// concurrent jobs is limited, in the daemon to one for each loop, so a burst of misses cannot crowd out the loops.
// Waiting jobs run in order; the server limits the requests in hand, and so their number. A small job runs in place,
// because two changes of thread cost more than the job.
import LarderCore

/// Runs pure work on the global concurrent executor, with a limited number of concurrent jobs.
public struct ComputeGate: Sendable {
    private struct Waiting {
        var free: Int
        var queue: [TaskContinuation<Void, Never>] = []
        /// The continuations before this index have been resumed.
        var head = 0
    }

    private let state: Lock<Waiting>

    /// Jobs that read at most this many bytes run in place. At about 30 ns for each byte of JSON parsed and rendered
    /// they take at most half a millisecond. A loop may be held for one millisecond.
    public static let inPlace = 16 * 1024

    /// - Parameter width: the limit of concurrent jobs; at least 1.
    public init(width: Int) {
        state = Lock(Waiting(free: max(1, width)))
    }

    /// Runs the body away from the caller's executor, and returns to it with the result.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        defer { leave() }
        // A new task does not inherit the caller's preference for a loop.
        let result = await Task(executorPreference: globalConcurrentExecutor) { () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }.value
        return try result.get()
    }

    /// Runs the body in place if it is a small job, otherwise like `run(_:)`.
    /// - Parameter bytes: the bytes that the body reads, as far as the caller knows; `Int.max` if that is unknown.
    public func run<Value: Sendable, Failure: Error>(
        reading bytes: Int, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if bytes <= Self.inPlace { return try body() }
        return try await run(body)
    }

    /// The length of the queue, including jobs that were already resumed.
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
        let next = state.withLock { state -> TaskContinuation<Void, Never>? in
            guard state.head < state.queue.count else {
                state.queue.removeAll(keepingCapacity: true)
                state.head = 0
                state.free += 1
                return nil
            }
            let next = state.queue[state.head]
            state.head += 1
            // On a machine that is always busy the queue never becomes empty. Remove the resumed continuations, or they
            // would be kept forever.
            if state.head >= 64, state.head * 2 >= state.queue.count {
                state.queue.removeFirst(state.head)
                state.head = 0
            }
            return next
        }
        next?.resume()
    }
}
