// The line of those who wait for a full-text search. One is searched at a time: a search may take a hundred times as long
// as a look-up, and look-ups must always find a reader that is not searching.
import LarderCore

/// One search, waiting for its turn.
struct SearchJob: Sendable {
    var question: FullTextQuestion
    var reply: Reply<Result<FullTextAnswer, StoreError>>
}

final class SearchLine: Sendable {
    /// Searches that may wait.
    static let capacity = 64

    private struct Line {
        var jobs: [SearchJob] = []
        var isSearching = false
    }
    private let line = Lock(Line())

    /// False where the line is full.
    func join(_ job: SearchJob) -> Bool {
        line.withLock { line in
            guard line.jobs.count < Self.capacity else { return false }
            line.jobs.append(job)
            return true
        }
    }

    /// The first of the line, unless another reader is searching.
    func take() -> SearchJob? {
        line.withLock { line in
            guard !line.isSearching, !line.jobs.isEmpty else { return nil }
            line.isSearching = true
            return line.jobs.removeFirst()
        }
    }

    /// The search taken has ended; whether somebody still waits.
    func ended() -> Bool {
        line.withLock { line in
            line.isSearching = false
            return !line.jobs.isEmpty
        }
    }

    /// Nobody will be served any more.
    func dismiss() -> [SearchJob] {
        line.withLock { line in
            defer { line.jobs = [] }
            return line.jobs
        }
    }
}
