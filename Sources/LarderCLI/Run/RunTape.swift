// A tape under a run: what is replayed, what is recorded. It decides; the handler asks the daemon.
import LarderCore
import LarderHTTP
import LarderServer
import LarderTape

final class RunTape: Sendable {
    enum Mode: String, Sendable {
        /// Every request is asked and recorded.
        case record
        /// Nothing is asked.
        case replay
        /// What has no recording is asked and recorded.
        case both
    }

    let mode: Mode
    private let tape: Tape
    private struct Played {
        var replay: TapeReplay
        var state = TapeReplay.State()
    }
    private let played: Lock<Played>
    /// What `record` replaces, when the first exchange is there.
    private let old: Lock<[TapeName]>

    /// Opens a tape. To record a tape anew, what it holds is removed first.
    init(_ mode: Mode, path: String) throws(TapeFault) {
        self.mode = mode
        tape = try Tape(path: path)
        let contents = mode == .replay ? Tape.Contents(recordings: try tape.recordings()) : try tape.load()
        if mode == .both, let torn = contents.torn.first { throw torn }
        old = Lock(mode == .record ? contents.recordings.map(\.name) : [])
        played = Lock(
            Played(
                replay: TapeReplay(
                    mode == .record ? [] : contents.recordings, rules: tape.rules, secrets: tape.secrets)))
    }

    /// The names of the recordings that answered, each on a line.
    var playedNames: String {
        played.withLock { $0.state.played.sorted() }.map { "\($0.file)\n" }.joined()
    }

    /// The request as a tape knows it; nil if its URL is not valid.
    static func request(_ request: ServerRequest) -> TapeRequest? {
        guard let origin = request.proxied?.target.origin,
            let url = HTTPURL(origin + HeaderField.text(request.target))
        else { return nil }
        return TapeRequest(request.method, url, fields: HopByHop.endToEnd(request.fields), content: request.body)
    }

    /// The recorded answer; nil if the request is asked.
    func answer(_ request: TapeRequest) -> TapeReplay.Outcome? {
        guard mode != .record else { return nil }
        let outcome = played.withLock { $0.replay.answer(request, &$0.state) }
        if case .miss = outcome, mode == .both { return nil }
        return outcome
    }

    /// Records an answer.
    /// - Returns: why it was not recorded; nil if it was.
    func record(_ request: TapeRequest, _ answer: TapeAnswer) -> String? {
        do throws(TapeFault) {
            let replaced = old.withLock { old in
                defer { old = [] }
                return old
            }
            if !replaced.isEmpty { try tape.remove(replaced) }
            switch try tape.record(TapeExchange(request, answer)) {
            case .recorded(let recording):
                if mode == .both {
                    played.withLock {
                        $0.replay.add(recording)
                        $0.state.note(recording.name)
                    }
                }
                return nil
            case .error(let status): return "a response \(status) is recorded only if tape.yaml says so (errors: keep)"
            case .tooLong(let limit): return "its body is longer than \(Units.format(size: Int64(limit)))"
            case .coded: return "its body is in a coding that a tape does not know"
            }
        } catch {
            return "\(error)"
        }
    }
}

extension ServerResponse {
    /// Makes it a response to HEAD, with the length that the response to GET has, if that is known.
    mutating func answerHead(_ fields: HeaderFields) {
        contentLength = fields.first(.contentLength).flatMap { Int($0) }
        body = .stream(WholeBodyReader([]), length: nil)
    }

    /// A recorded answer.
    init(_ recording: TapeRecording, toHead: Bool) {
        let answer = recording.exchange.answer
        var fields = HopByHop.endToEnd(answer.fields)
        fields.remove(.contentLength)
        // An imported recording may have its origin's.
        fields.remove(.xRequestID)
        self.init(status: answer.status, fields: fields, body: answer.body.isEmpty ? .empty : .bytes(answer.body))
        if toHead { answerHead(answer.fields) }
    }
}
