// A coded body for a client that does not take its coding, undone as the client takes it: a piece is made when it is asked
// for, so a small body that becomes a large one costs each client a piece of memory and no more. One that grows past its
// `InflationLimit` is cut.
import LarderCore
import LarderHTTP

final class InflatingReader: BodyReader {
    private struct State {
        var inflater: ContentInflater
        /// Coded bytes that the inflater has not been given yet.
        var rest = Bytes()[...]
        /// Bytes since the loop's other work had its turn.
        var codedSinceTurn = 0
        var plainSinceTurn = 0
        var hasEnded = false
    }
    private enum Step {
        case piece(Bytes)
        /// The inflater was given more.
        case fed
        /// More coded bytes are needed.
        case dry
        case end
        case failed(BodyFailure)
    }
    private let base: any BodyReader
    // The inflater is confined to one caller at a time; the lock makes that so for the compiler too.
    private let state: Lock<State>

    /// Coded bytes that the inflater gets at a time: what is made of them before a piece is full takes well below a
    /// millisecond, whatever they hold.
    private static let portion = 16 * 1024
    /// Bytes after which the loop's other work has its turn. A range near the end passes over all that comes before it
    /// without waiting for its client.
    private static let turn = (coded: 64 * 1024, plain: 1 << 20)

    /// Nil for a coding that cannot be undone in passing.
    init?(_ base: any BodyReader, coding: String, limit: InflationLimit = .standard) {
        guard let inflater = ContentInflater(coding: coding, limit: limit) else { return nil }
        self.base = base
        state = Lock(State(inflater: inflater))
    }

    func next() async throws(BodyFailure) -> Bytes? {
        while true {
            if state.withLock({ Self.isTurnOver(&$0) }) { await Task.yield() }
            switch state.withLock({ Self.step(&$0) }) {
            case .piece(let piece): return piece
            case .fed: continue
            case .end: return nil
            case .dry:
                let coded = try await base.next()
                if let failure = state.withLock({ Self.take(coded, &$0) }) { throw failure }
            case .failed(let failure):
                base.abandon()
                throw failure
            }
        }
    }

    private static func isTurnOver(_ state: inout State) -> Bool {
        guard state.codedSinceTurn >= turn.coded || state.plainSinceTurn >= turn.plain else { return false }
        (state.codedSinceTurn, state.plainSinceTurn) = (0, 0)
        return true
    }

    private static func step(_ state: inout State) -> Step {
        if state.hasEnded { return .end }
        do throws(ContentCodingError) {
            if let piece = try state.inflater.next() {
                state.plainSinceTurn += piece.count
                return .piece(piece)
            }
        } catch .tooLarge {
            return .failed(BodyFailure("The plain body is larger than a body of its coded length may become."))
        } catch {
            return .failed(BodyFailure("The content coding could not be undone."))
        }
        guard !state.rest.isEmpty else { return .dry }
        let portion = Bytes(state.rest.prefix(portion))
        state.rest = state.rest.dropFirst(portion.count)
        state.codedSinceTurn += portion.count
        state.inflater.feed(portion)
        return .fed
    }

    private static func take(_ coded: Bytes?, _ state: inout State) -> BodyFailure? {
        if let coded {
            state.rest = coded[...]
            return nil
        }
        state.hasEnded = true
        return state.inflater.isWhole ? nil : BodyFailure("The coded body was cut off.")
    }

    func abandon() { base.abandon() }
}
