// Decodes a coded body while it is sent to a client that does not accept its coding. A piece is decoded only when it is
// requested, so each client costs one piece of memory even if a small body becomes a large one. A body that exceeds its
// `InflationLimit` is cut.
import LarderCore
import LarderHTTP

final class InflatingReader: BodyReader {
    private struct State {
        var inflater: ContentInflater
        /// Coded bytes not yet given to the inflater.
        var rest = Bytes()[...]
        /// Bytes processed since the loop's other work last had its turn.
        var codedSinceTurn = 0
        var plainSinceTurn = 0
        var hasEnded = false
    }
    private enum Step {
        case piece(Bytes)
        /// The inflater has received more input.
        case fed
        /// More coded bytes are needed.
        case dry
        case end
        case failed(BodyFailure)
    }
    private let base: any BodyReader
    // The inflater is confined to one caller at a time. The lock proves that to the compiler.
    private let state: Lock<State>

    /// The number of coded bytes given to the inflater at once. Decoding them until a piece is full takes well below a
    /// millisecond, whatever they contain.
    private static let portion = 16 * 1024
    /// Bytes after which the reader yields to the loop's other work. A range near the end skips everything before it
    /// without waiting for its client.
    private static let turn = (coded: 64 * 1024, plain: 1 << 20)

    /// Nil if the coding cannot be decoded while streaming.
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
            return .failed(BodyFailure("The decoded body is too large for its coded length."))
        } catch {
            return .failed(BodyFailure("The content coding could not be decoded."))
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
