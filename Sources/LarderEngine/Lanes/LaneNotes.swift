// What waits to be written of the lanes: suspensions, what an API says is left, redirects, calls taken back. No answer waits for it.
// It is written in order, and a value that still waits gives its place to the next of its name: so what waits is bounded
// by the providers, and by a number for the calls. Pure.
import LarderCore

struct LaneNotes: Sendable {
    enum Note: Sendable, Hashable {
        /// Bytes under a name of the state database.
        case value(String, Bytes)
        /// Reserved calls that were never made.
        case unsent(provider: String, at: [WallTime])
        /// A redirect, which was a call that nobody could reserve before it came.
        case redirected(provider: String, at: WallTime)
    }

    /// More are not kept. A call taken back that is forgotten here stays on the record, so that less seems left; a redirect
    /// that is forgotten is missing there after a restart.
    static let most = 4096

    private var notes: [Note] = []
    /// Values that could not be written, by their names: they are tried again.
    private var failed: [String: Bytes] = [:]
    /// Those taken in so far. What replaced another counts with it.
    private(set) var added = 0
    /// Those written so far.
    private(set) var written = 0

    /// False where there is no room.
    mutating func add(_ note: Note) -> Bool {
        if let name = note.name, let place = notes.firstIndex(where: { $0.name == name }) {
            failed[name] = nil
            notes[place] = note
            return true
        }
        guard notes.count < Self.most else { return false }
        if let name = note.name { failed[name] = nil }
        notes.append(note)
        added += 1
        return true
    }

    var isWaiting: Bool { !notes.isEmpty }

    /// The next one to write.
    mutating func next() -> Note? { notes.isEmpty ? nil : notes.removeFirst() }

    /// The one that was taken out last could not be written. A value is to be tried again, unless a newer one of its name waits; of
    /// calls too much time has passed by then.
    /// - Returns: whether a try is to be planned: none is yet.
    mutating func failed(_ note: Note) -> Bool {
        guard case .value(let name, let bytes) = note, !notes.contains(where: { $0.name == name }) else { return false }
        let isFirst = failed.isEmpty
        failed[name] = bytes
        return isFirst
    }

    /// What could not be written waits once more.
    mutating func tryAgain() {
        for (name, bytes) in failed.sorted(by: { $0.key < $1.key }) { _ = add(.value(name, bytes)) }
    }

    /// The one that was taken out last has been written, or could not be.
    mutating func wrote() { written += 1 }
}

extension LaneNotes.Note {
    fileprivate var name: String? {
        guard case .value(let name, _) = self else { return nil }
        return name
    }
}
