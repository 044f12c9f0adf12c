// The bounded queue between callers and the threads that own a connection.
//
// A full queue refuses at once; nobody waits to put a job in. A thread is woken only if none is awake, or if jobs pile
// up: a thread that is awake takes all jobs that came meanwhile in one go, so a busy store pays for few wake-ups.
// `offer` and `insist` wake a thread after they release the mutex, since it would only wait for that. Patient jobs,
// which nobody waits for, are collected: they are due a while after the first of them, when many have come, or with the
// first job that is not patient.
import Glibc

/// Unchecked `Sendable`: every stored variable is touched inside of `locked` only.
final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    /// What `take` returns to a thread.
    enum Taken {
        case jobs([Job])
        /// No job came in time, or somebody asked the thread to look around.
        case nothing
        case ended
    }

    private let monitor = Monitor()
    private var jobs: [Job] = []
    /// How many of the jobs are patient, and when the first of them came, in nanoseconds of CLOCK_MONOTONIC.
    private var patient = 0
    private var patientSince: Int64 = 0
    private var collectingTime: Int64 = 0
    private var weight = 0
    private let capacity: Int
    private let crowd: Int
    private var asleep = 0
    private var awake: Int
    /// How many jobs were taken so far.
    private var taken = 0
    /// Wake-ups that were sent and not yet received. The sender has already counted the sleeper as awake.
    private var wakes = 0
    /// Raised to let every thread look around once.
    private var epoch = 0
    private var hasEnded = false

    /// - Parameters:
    ///   - capacity: the greatest sum of weights held.
    ///   - crowd: with this many jobs waiting, one more thread is woken although some are awake.
    ///   - threads: how many threads will take from the queue; all count as awake at first.
    init(capacity: Int, crowd: Int, threads: Int) {
        self.capacity = capacity
        self.crowd = crowd
        self.awake = threads
    }

    private func locked<Result>(_ body: () -> Result) -> Result { monitor.locked(body) }

    /// The weight held; 0 if no job waits and none is being done.
    var heldWeight: Int { locked { weight } }

    /// Sets how long patient jobs are collected.
    func collect(for time: Duration) {
        locked { collectingTime = time.nanoseconds }
    }

    /// Puts a job in; false if the queue is full or has ended. A single job heavier than the capacity fits an empty
    /// queue.
    /// - Parameter isPatient: whether nobody waits for the job, so that it may be collected with others.
    func offer(_ job: Job, weight added: Int = 1, isPatient: Bool = false) -> Bool {
        let (isIn, wakes) = locked { () -> (Bool, Bool) in
            guard !hasEnded, weight == 0 || weight + added <= capacity else { return (false, false) }
            let calls = append(job, weight: added, isPatient)
            return (true, calls && (awake == 0 || jobs.count >= crowd) && choosesOne())
        }
        if wakes { monitor.wakeOne() }
        return isIn
    }

    /// Puts a job in whatever the weight; false after the end. For the store's few messages to itself, and for jobs
    /// whose number is bounded elsewhere.
    func insist(_ job: Job, weight added: Int = 0) -> Bool {
        let (isIn, wakes) = locked { () -> (Bool, Bool) in
            guard !hasEnded else { return (false, false) }
            _ = append(job, weight: added, false)
            return (true, awake == 0 && choosesOne())
        }
        if wakes { monitor.wakeOne() }
        return isIn
    }

    /// Appends a job. Returns whether a thread should be awake for it.
    private func append(_ job: Job, weight added: Int, _ isPatient: Bool) -> Bool {
        weight += added
        jobs.append(job)
        guard isPatient else { return true }
        if patient == 0 { patientSince = Self.now }
        patient += 1
        // A sleeping thread is told of the first patient job, so that it looks at the clock in time.
        return jobs.count == 1 || isDue(patientSince)
    }

    /// Whether there is a job that must not be collected any longer.
    private func isDue(_ now: Int64) -> Bool {
        jobs.count > patient || !jobs.isEmpty && (now - patientSince >= collectingTime || weight >= capacity / 16)
    }

    private static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Counts a sleeper as awake, if there is one. The caller must then wake it.
    private func choosesOne() -> Bool {
        guard asleep > 0 else { return false }
        asleep -= 1
        awake += 1
        wakes += 1
        return true
    }

    private func wakeOne() {
        if choosesOne() { monitor.wakeOne() }
    }

    /// Releases the weight of jobs that are done.
    func release(_ done: Int) {
        locked { weight -= done }
    }

    /// Takes up to `limit` jobs. Sleeps until some are due; without a timeout it waits for ever.
    /// - Parameter seen: the thread's own count of nudges. If it lags behind, the call returns at once.
    func take(upTo limit: Int, releasing done: Int = 0, timeout: Duration? = nil, seen: inout Int) -> Taken {
        locked {
            weight -= done
            var isLate = false
            let deadline = timeout.map { timespec.deadline(after: $0) }
            while epoch == seen && !hasEnded && !isLate {
                let now = patient > 0 ? Self.now : 0
                if isDue(now) { break }
                asleep += 1
                awake -= 1
                if !jobs.isEmpty {
                    // Sleeps until the patient jobs are due, or until the thread's own timeout.
                    let end = timespec(monotonic: patientSince + collectingTime)
                    let isOwn = deadline.map { ($0.tv_sec, $0.tv_nsec) < (end.tv_sec, end.tv_nsec) } ?? false
                    isLate = !monitor.wait(until: isOwn ? deadline : end) && isOwn
                } else {
                    isLate = !monitor.wait(until: deadline)
                }
                if wakes > 0 {
                    wakes -= 1
                } else {
                    asleep -= 1
                    awake += 1
                }
            }
            seen = epoch
            if jobs.isEmpty { return hasEnded ? .ended : .nothing }
            guard hasEnded || isDue(patient > 0 ? Self.now : 0) else { return .nothing }
            // The jobs that stay in the queue have been collected for long enough.
            patient = 0
            self.taken &+= min(limit, jobs.count)
            if jobs.count <= limit {
                var taken: [Job] = []
                swap(&taken, &jobs)
                return .jobs(taken)
            }
            let taken = Array(jobs.prefix(limit))
            jobs.removeFirst(limit)
            return .jobs(taken)
        }
    }

    /// Lets every thread return from `take`, to look around.
    func nudge() {
        locked {
            epoch += 1
            while asleep > 0 { wakeOne() }
        }
    }

    /// Says that the calling thread begins something long. Another thread may be woken for the jobs that wait.
    func stepAside() {
        locked {
            awake -= 1
            if awake == 0 && !jobs.isEmpty { wakeOne() }
        }
    }

    /// Says that the calling thread is back.
    func stepBack() {
        locked { awake += 1 }
    }

    /// Takes no more jobs. Those in the queue are still given out.
    func end() {
        locked {
            hasEnded = true
            while asleep > 0 { wakeOne() }
        }
    }

    /// How many jobs were taken so far.
    var given: Int { locked { taken } }

    /// Number of waiting jobs, for the gauge.
    var count: Int { locked { jobs.count } }

    /// Whether a job waits that is not being collected.
    var hasDue: Bool { locked { isDue(patient > 0 ? Self.now : 0) } }
}
