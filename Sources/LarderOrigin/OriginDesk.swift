// Decides what a request gets: which API it is for, which sample or recording answers, and what the live API would have
// said about it. No descriptor in sight.
import LarderCore
import LarderIO

/// The answers of one stand-in.
final class OriginDesk: Sendable {
    let book = FaultBook()
    let signIn = SignInStandIn()
    let uploads = UploadBook()
    private let shelf: RecordingShelf?
    private let custom: (@Sendable (OriginRequest) -> OriginAnswer?)?
    private let rewrites: Bool
    /// The recording that answers everything for now.
    private let chosen = Lock<String?>(nil)
    private let bound = Lock<(origin: String, host: OriginHostBox?)>(("", nil))

    init(
        shelf: RecordingShelf?, custom: (@Sendable (OriginRequest) -> OriginAnswer?)?, rewrites: Bool
    ) {
        self.shelf = shelf
        self.custom = custom
        self.rewrites = rewrites
    }

    /// The stand-in's own origin, known once it listens.
    func setOrigin(_ origin: String) {
        bound.withLock { $0.origin = origin }
    }

    var recordings: [RecordedRequest] { shelf?.requests ?? [] }

    func choose(_ file: String?) {
        chosen.withLock { $0 = file }
    }

    func attach(_ host: OriginHostBox) {
        bound.withLock { $0.host = host }
    }

    /// The host knows the desk and the desk the host: this ends it.
    func detach() {
        bound.withLock { $0.host = nil }
    }

    /// On the loop only.
    func host() -> OriginHost? { bound.withLock { $0.host }?.value }

    /// The usual answer.
    func answer(_ request: OriginRequest) -> OriginAnswer {
        if let answer = custom?(request) { return answer }
        if let answer = signIn.answer(request) { return answer }
        if let hash = request.deletes { return uploads.delete(hash) }
        var answer = route(request)
        if rewrites, answer.status == 200 {
            answer.body = ImageHostRewriting.rewritten(answer.body, origin: bound.withLock { $0.origin })
        }
        // The D&D API answers conditional requests; so do stores of images.
        if answer.status == 200, let tag = answer.fields.first("ETag"), request.fields.first("If-None-Match") == tag {
            return OriginAnswer(status: 304, fields: answer.fields)
        }
        return answer
    }

    private func route(_ request: OriginRequest) -> OriginAnswer {
        guard request.method == .get || request.method == .head else {
            return OriginAnswer(status: 405, fields: ["Allow": "GET, HEAD"])
        }
        if let shelf, let answer = shelf.only(request) { return answer }
        if let picture = Pictures.path(in: request.path) { return image(picture) }
        if let shelf, let file = chosen.withLock({ $0 }) {
            return shelf.only(OriginRequest(path: "/only/\(file)\(request.path)")) ?? .text(404, "Not Found")
        }
        // An API may be asked below its prefix or at the root: their paths do not collide.
        for api in OriginAPI.allCases where request.path.hasPrefix("/\(api.rawValue)/") {
            return answer(api, path: String(request.path.dropFirst(api.rawValue.utf8.count + 1)), request)
        }
        if request.path.hasPrefix("/v2/") { return answer(.newsapi, path: request.path, request) }
        if request.path.hasPrefix("/v0/") || request.path.hasPrefix("/api/v1/") {
            return answer(.hackernews, path: request.path, request)
        }
        if request.path.hasPrefix("/api/") { return answer(.dnd5e, path: request.path, request) }
        if SampleImgur.owns(request.path) { return answer(.imgur, path: request.path, request) }
        if request.path.hasPrefix("/3/") { return answer(.tmdb, path: request.path, request) }
        if request.path.hasPrefix("/jokes/") { return answer(.chucknorris, path: request.path, request) }
        if request.path == "/search" || request.path == "/lookup" {
            return answer(.itunes, path: request.path, request)
        }
        return .text(404, "Not Found")
    }

    private func image(_ path: String) -> OriginAnswer {
        if let answer = SampleImgur.removed(path) { return answer }
        if let shelf { return shelf.image(path) ?? Pictures.answer(path) }
        return Pictures.answer(path)
    }

    private func answer(_ api: OriginAPI, path: String, _ request: OriginRequest) -> OriginAnswer {
        if api == .newsapi, let refusal = Self.missingKey(request) { return refusal }
        if api == .tmdb, let refusal = Self.missingTMDbKey(request) { return refusal }
        if api == .imgur, let refusal = SampleImgur.missingKey(request) { return refusal }
        var answer =
            shelf?.answer(api, path: path, request.parameters) ?? Samples.answer(api, path: path, request.parameters)
        if api == .imgur { SampleImgur.addCredits(to: &answer, calls: book.count("/imgur/")) }
        return answer
    }

    /// Neither does TMDb; which of its two secrets it is does not matter here, but each has its own place.
    private static func missingTMDbKey(_ request: OriginRequest) -> OriginAnswer? {
        let key = request.parameters["api_key"]
        let token = request.fields.first("Authorization")
        if let key, !key.isEmpty, !key.contains(".") { return nil }
        if let token, token.hasPrefix("Bearer "), token.contains(".") { return nil }
        return SampleFilms.failure(401, 7, "Invalid API key: You must be granted a valid key.")
    }

    /// NewsAPI answers nobody without a key. Any key will do here.
    private static func missingKey(_ request: OriginRequest) -> OriginAnswer? {
        let given =
            request.fields.contains("X-Api-Key") || request.fields.contains("Authorization")
            || request.parameters["apiKey"] != nil
        guard !given else { return nil }
        let message =
            "Your API key is missing. Append this to the URL with the apiKey param, or use the x-api-key HTTP header."
        return Samples.newsError(401, "apiKeyMissing", message)
    }
}
