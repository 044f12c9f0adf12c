// Waiting for what others do meanwhile. No test sleeps: it looks again and again, and gives others their turn. What does not come
// within a minute does not come: far more than any background work of a test takes, on the slowest of disks.
import Glibc
import LarderCore

/// Returns when the condition holds.
/// - Parameter what: what is waited for, where the condition does not say it.
public func eventually(
    _ what: String = "", fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let patience = Patience()
    while try await !condition() {
        try patience.check(what, fileID, line)
        sched_yield()
        await Task.yield()
    }
}

/// The same on a thread of the test's own, which blocks.
public func blockUntil(
    _ what: String = "", fileID: String = #fileID, line: Int = #line, _ condition: () throws -> Bool
) throws {
    let patience = Patience()
    while try !condition() {
        try patience.check(what, fileID, line)
        poll(nil, 0, 2)
    }
}

private struct Patience {
    private let end = SystemTime().monotonic() + .seconds(60)

    func check(_ what: String, _ fileID: String, _ line: Int) throws {
        guard SystemTime().monotonic() < end else {
            throw WireError("\(fileID):\(line): never came true\(what.isEmpty ? "" : ": \(what)")")
        }
    }
}
