// A gzip body for a client that does not take gzip, undone as it passes.
import LarderCore
import LarderHTTP

final class InflatingReader: BodyReader {
    private struct State {
        var inflater: ContentInflater
        var ready: [Bytes] = []
        /// Coded bytes that are not undone yet: a few at a time, since each may become a thousand.
        var rest = Bytes()[...]
        var hasEnded = false
    }
    private let base: any BodyReader
    // The inflater is confined to one caller at a time; the lock makes that so for the compiler too.
    private let state: Lock<State>

    /// Nil for a coding that cannot be undone in passing.
    init?(_ base: any BodyReader, coding: String) {
        guard let inflater = ContentInflater(coding: coding) else { return nil }
        self.base = base
        state = Lock(State(inflater: inflater))
    }

    func next() async throws(BodyFailure) -> Bytes? {
        while true {
            let (piece, isDry, hasEnded) = state.withLock { state -> (Bytes?, Bool, Bool) in
                (state.ready.isEmpty ? nil : state.ready.removeFirst(), state.rest.isEmpty, state.hasEnded)
            }
            if let piece { return piece }
            if hasEnded { return nil }
            let coded = isDry ? try await base.next() : nil
            if let failure = state.withLock({ Self.undo(&$0, coded, hasMore: !isDry) }) {
                base.abandon()
                throw failure
            }
        }
    }

    private static func undo(_ state: inout State, _ coded: Bytes?, hasMore: Bool) -> BodyFailure? {
        if let coded { state.rest = coded[...] }
        guard coded != nil || hasMore else {
            state.hasEnded = true
            return state.inflater.isWhole ? nil : BodyFailure("The coded body was cut off.")
        }
        let slice = Bytes(state.rest.prefix(1024))
        state.rest = state.rest.dropFirst(1024)
        var made: [Bytes] = []
        do throws(ContentCodingError) {
            try state.inflater.inflate(slice) { made.append($0) }
        } catch {
            return BodyFailure("The content coding could not be undone.")
        }
        state.ready = made
        return nil
    }

    func abandon() { base.abandon() }
}
