// Decides the answer to a request: which API the request is for, which sample or recording answers it, and which fields
// the live API would add. This type does no I/O.
import LarderCore
import LarderIO
import LarderProviders

/// The answers of one stand-in.
final class OriginResponder: Sendable {
    let faults = FaultScript()
    let signIn = SignInStandIn()
    let uploads = SeenUploads()
    let tape: OriginTape?
    private let folder: RecordingFolder?
    private let custom: (@Sendable (OriginRequest) -> OriginAnswer?)?
    private let rewrites: Bool
    /// The recording that answers every request at present; nil if none was chosen.
    private let chosen = Lock<String?>(nil)
    /// The number of requests to all APIs so far.
    private let turns = Lock(0)
    private let bound = Lock<(origin: String, host: OriginHostBox?)>(("", nil))

    init(
        tape: OriginTape?, folder: RecordingFolder?, custom: (@Sendable (OriginRequest) -> OriginAnswer?)?,
        rewrites: Bool
    ) {
        self.tape = tape
        self.folder = folder
        self.custom = custom
        self.rewrites = rewrites
    }

    /// Sets the stand-in's own origin, which is known only after it listens.
    func setOrigin(_ origin: String) {
        bound.withLock { $0.origin = origin }
    }

    var recordings: [RecordedRequest] { folder?.requests ?? [] }

    func choose(_ file: String?) {
        chosen.withLock { $0 = file }
    }

    func attach(_ host: OriginHostBox) {
        bound.withLock { $0.host = host }
    }

    /// Ends the reference cycle between the host and the responder.
    func detach() {
        bound.withLock { $0.host = nil }
    }

    /// Called only on the loop.
    func host() -> OriginHost? { bound.withLock { $0.host }?.value }

    /// The answer without a fault.
    func answer(_ request: OriginRequest) -> OriginAnswer {
        if let tape { return tape.answer(request) }
        if let answer = custom?(request) { return answer }
        if let answer = signIn.answer(request) { return answer }
        if let hash = request.deletes { return uploads.delete(hash) }
        var answer = route(request)
        if rewrites, answer.status == 200 {
            answer.body = ImageHostRewriting.rewritten(answer.body, origin: bound.withLock { $0.origin })
        }
        // The D&D API and image stores answer conditional requests.
        if answer.status == 200, let tag = answer.fields.first(.etag), request.fields.first(.ifNoneMatch) == tag {
            return OriginAnswer(status: 304, fields: answer.fields)
        }
        return answer
    }

    private func route(_ request: OriginRequest) -> OriginAnswer {
        guard request.method == .get || request.method == .head else {
            return OriginAnswer(status: 405, fields: ["Allow": "GET, HEAD"])
        }
        if let folder, let answer = folder.only(request) { return answer }
        if let picture = Pictures.path(in: request.path) { return image(picture) }
        if let folder, let file = chosen.withLock({ $0 }) {
            return folder.only(OriginRequest(path: "/only/\(file)\(request.path)")) ?? .text(404, "Not Found")
        }
        // A path selects an API by its name as a prefix. Without such a prefix, the first API that has the path answers.
        for api in SampleAPIs.all where request.path.hasPrefix("/\(api.name)/") {
            return answer(api, path: String(request.path.dropFirst(api.name.utf8.count + 1)), request)
        }
        if let api = SampleAPIs.owner(of: request.path) { return answer(api, path: request.path, request) }
        return .text(404, "Not Found")
    }

    private func image(_ path: String) -> OriginAnswer {
        for api in SampleAPIs.all {
            if let answer = api.picture(at: path) { return OriginAnswer(answer) }
        }
        if let folder { return folder.image(path) ?? Pictures.answer(path) }
        return Pictures.answer(path)
    }

    private func answer(_ api: SampleAPI, path: String, _ request: OriginRequest) -> OriginAnswer {
        let turn = turns.withLock { turn in
            turn += 1
            return turn
        }
        let asked = SampleRequest(path: path, parameters: request.parameters, fields: request.fields, turn: turn)
        if let refusal = api.refusal(of: asked) { return OriginAnswer(refusal) }
        var answer = folder?.answer(api, asked) ?? OriginAnswer(api.answer(asked))
        for line in api.credits(after: faults.count("/\(api.name)/")) { answer.fields.set(line.name, line.value) }
        return answer
    }
}
