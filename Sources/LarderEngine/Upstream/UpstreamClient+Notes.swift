// Writes the lanes' notes to the state database. One task writes them in order while there are any. A locked or slow
// database delays the notes but no answer.
import LarderCore
import LarderIO
import LarderStore

extension UpstreamClient {
    /// Returns when all notes made so far have been written, or could not be.
    func flush() async {
        await handover { waiter in
            let isWritten = step { table in
                let due = table.notes.added
                if table.notes.written >= due { return true }
                table.flushes.append((due, waiter))
                return false
            }
            if isWritten { waiter.resume() }
        }
    }

    /// Writes all waiting notes. Only one task may do so at a time.
    func writeNotes() async {
        while let note = nextNote() {
            do {
                switch note {
                case .value(let name, let bytes): try await state.setValue(name, bytes)
                case .unsent(let provider, let at): try await state.releaseCalls(provider, at: at)
                case .redirected(let provider, let at): try await state.reserveCall(provider, at: at)
                }
            } catch {
                log.warning(
                    "a note of a provider could not be written", ["note": note.subject, "error": "\(error)"])
                if step({ $0.notes.failed(note) }) { tryNotesAgain() }
            }
            let waiters = step { table in
                table.notes.wrote()
                let written = table.notes.written
                defer { table.flushes.removeAll { $0.due <= written } }
                return table.flushes.filter { $0.due <= written }.map(\.waiter)
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Plans a retry. A full disk may have room later, and a suspension by hand must then survive a restart.
    private func tryNotesAgain() {
        home.post { [weak self, home] in
            _ = home.schedule(at: home.monotonic + Self.notePause) { [weak self] in
                self?.step { $0.notes.tryAgain() }
            }
        }
    }

    private static let notePause = Duration.seconds(5)

    private func nextNote() -> LaneNotes.Note? {
        step { table in
            let note = table.notes.next()
            if note == nil { table.isWriting = false }
            return note
        }
    }
}
