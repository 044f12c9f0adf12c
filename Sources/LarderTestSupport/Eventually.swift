// Waits for work in the background. Tests do not sleep: these functions check a condition again and again, and let
// other threads and tasks run in between. After five minutes they fail. That is far longer than any background work of
// a test takes, even on the slowest disk, and longer than any pause of a loaded machine.
import Glibc
import LarderCore

/// Returns when the condition holds.
/// - Parameter what: what the test waits for, if the condition does not make it clear.
public func eventually(
    _ what: String = "", fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let patience = Patience()
    while try await !condition() {
        try patience.check(what, fileID, line)
        // Leaves the processor to the work that is waited for. No test depends on the length of this pause.
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The same for a test that runs on its own thread, which blocks.
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
    private let end = SystemTime().monotonic() + .seconds(300)

    func check(_ what: String, _ fileID: String, _ line: Int) throws {
        guard SystemTime().monotonic() < end else {
            throw WireError("\(fileID):\(line): never came true\(what.isEmpty ? "" : ": \(what)")")
        }
    }
}
