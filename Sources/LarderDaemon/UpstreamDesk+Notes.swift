// The lanes' notes on their way to the state database: one task writes them in order, while there are any. A database that
// is locked or slow delays the notes, and no answer.
import LarderCore
import LarderStore

extension UpstreamDesk {
    /// Has a note written; returns at once.
    func write(_ note: LaneNotes.Note) {
        guard notes.add(note) else {
            return log.warning("too many notes wait for the state database", ["note": note.subject])
        }
        guard !isWriting else { return }
        isWriting = true
        Task { await self.writeNotes() }
    }

    /// Returns when what was given to `write` until now has been written, or could not be.
    func flush() async {
        let due = notes.added
        await handover { waiter in
            // The last of them may have been written on the way here.
            if notes.written >= due { waiter.resume() } else { flushes.append((due, waiter)) }
        }
    }

    private func writeNotes() async {
        while let note = notes.next() {
            do {
                switch note {
                case .value(let name, let bytes): try await state.setValue(name, bytes)
                case .unsent(let provider, let at): try await state.releaseCall(provider, at: at)
                case .redirected(let provider, let at): try await state.reserveCall(provider, at: at)
                }
            } catch {
                log.warning(
                    "a note of a provider could not be written", ["note": note.subject, "error": "\(error)"])
            }
            notes.wrote()
            let written = notes.written
            for flush in flushes where flush.due <= written { flush.waiter.resume() }
            flushes.removeAll { $0.due <= written }
        }
        isWriting = false
    }
}

extension LaneNotes.Note {
    /// What it is of, for the log.
    fileprivate var subject: String {
        switch self {
        case .value(let name, _): name
        case .unsent(let provider, _): "a call to \(provider) that was not sent"
        case .redirected(let provider, _): "a redirect of \(provider)"
        }
    }
}
