// A gzip body for a client that does not take gzip, undone as it passes.
import LarderCore
import LarderHTTP

final class InflatingReader: BodyReader {
    private struct State {
        var inflater: ContentInflater
        var ready: [Bytes] = []
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
            let (piece, hasEnded) = state.withLock { state -> (Bytes?, Bool) in
                (state.ready.isEmpty ? nil : state.ready.removeFirst(), state.hasEnded)
            }
            if let piece { return piece }
            if hasEnded { return nil }
            let coded = try await base.next()
            let failure = state.withLock { state -> BodyFailure? in
                guard let coded else {
                    state.hasEnded = true
                    return state.inflater.isWhole ? nil : BodyFailure("The coded body was cut off.")
                }
                var made: [Bytes] = []
                do throws(ContentCodingError) {
                    try state.inflater.inflate(coded) { made.append($0) }
                } catch {
                    return BodyFailure("The content coding could not be undone.")
                }
                state.ready = made
                return nil
            }
            if let failure {
                base.abandon()
                throw failure
            }
        }
    }

    func abandon() { base.abandon() }
}
