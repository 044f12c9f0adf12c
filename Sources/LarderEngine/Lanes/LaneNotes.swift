// The queue of notes about lanes for `state.db`: suspensions, credits, redirects and calls taken back. No answer waits
// for them. They are written in order. A waiting value is replaced by the next value of its name, so the number of
// providers bounds the values; `most` bounds all notes. Pure.
import LarderCore

struct LaneNotes: Sendable {
    enum Note: Sendable, Hashable {
        /// A value under a name of the state database.
        case value(String, Bytes)
        /// Reserved calls that were never sent.
        case unsent(provider: String, at: [WallTime])
        /// A redirect. It was a call that could not be reserved before it came.
        case redirected(provider: String, at: WallTime)
    }

    /// The limit of waiting notes. If a call taken back is lost, it stays on record and less seems to be left. If a
    /// redirect is lost, it is missing from the record after a restart.
    static let most = 4096

    private var notes: [Note] = []
    /// Values that could not be written, by name. They are tried again.
    private var failed: [String: Bytes] = [:]
    /// The number of notes taken in so far. A replacement does not count again.
    private(set) var added = 0
    /// The number of notes taken out and written, or given up, so far.
    private(set) var written = 0

    /// Adds a note. Returns false if there is no room.
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

    /// Takes out the next note to write.
    mutating func next() -> Note? { notes.isEmpty ? nil : notes.removeFirst() }

    /// Records that the note taken out last could not be written. A value is tried again unless a newer one of its name
    /// waits. Notes of calls are not tried again: too much time would have passed.
    /// - Returns: whether the caller must plan a retry, because none is planned yet.
    mutating func failed(_ note: Note) -> Bool {
        guard case .value(let name, let bytes) = note, !notes.contains(where: { $0.name == name }) else { return false }
        let isFirst = failed.isEmpty
        failed[name] = bytes
        return isFirst
    }

    /// Queues the values that could not be written once more.
    mutating func tryAgain() {
        for (name, bytes) in failed.sorted(by: { $0.key < $1.key }) { _ = add(.value(name, bytes)) }
    }

    /// Records that the note taken out last was written, or could not be.
    mutating func wrote() { written += 1 }
}

extension LaneNotes.Note {
    fileprivate var name: String? {
        guard case .value(let name, _) = self else { return nil }
        return name
    }
}
