// The line of waiting full-text searches. One search runs at a time: it may take a hundred times as long as a look-up,
// and look-ups must always find a reader that is not searching.
import LarderCore

/// One search, waiting for its turn.
struct SearchJob: Sendable {
    var question: FullTextQuestion
    var reply: Reply<Result<FullTextAnswer, StoreError>>
}

final class SearchLine: Sendable {
    /// The most searches that may wait.
    static let capacity = 64

    private struct Line {
        var jobs: [SearchJob] = []
        var isSearching = false
    }
    private let line = Lock(Line())

    /// Adds a search at the end. Returns false if the line is full.
    func join(_ job: SearchJob) -> Bool {
        line.withLock { line in
            guard line.jobs.count < Self.capacity else { return false }
            line.jobs.append(job)
            return true
        }
    }

    /// Takes the first search of the line, unless another reader is searching.
    func take() -> SearchJob? {
        line.withLock { line in
            guard !line.isSearching, !line.jobs.isEmpty else { return nil }
            line.isSearching = true
            return line.jobs.removeFirst()
        }
    }

    /// Ends the search that was taken. Returns whether another one waits.
    func ended() -> Bool {
        line.withLock { line in
            line.isSearching = false
            return !line.jobs.isEmpty
        }
    }

    /// Empties the line, because nobody will be served any more. Returns the searches that waited.
    func dismiss() -> [SearchJob] {
        line.withLock { line in
            defer { line.jobs = [] }
            return line.jobs
        }
    }
}
