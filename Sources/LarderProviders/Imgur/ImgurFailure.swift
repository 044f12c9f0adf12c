// Classifies the responses of Imgur. Its servers, which differ in age, report failures in five shapes, and the status
// in the body may differ from the HTTP status. The content is therefore examined in a fixed order.
import LarderCore
import LarderHTTP

/// A failure in any of Imgur's shapes.
struct ImgurFailure: Sendable, Hashable {
    static let overCapacity = "temporarily over capacity"
    static let bannedCountry = "Banned Country Attempt"
    private static let statuses = StatusTable("Imgur")

    static let classification = ClassificationSpec(
        failures: FailureFunction("imgur.failures") { response, question, root, form in
            root.map { classify($0, response, question) } ?? unreadable(response, question, form ?? "")
        }, others: .json)

    private static func classify(
        _ root: JSONValue, _ response: UpstreamResponse, _ question: QuestionSpec?
    ) -> Classification? {
        if let failure = ImgurFailure(root, status: response.status) {
            guard failure.hasOwnForm || !Absence.statuses.contains(failure.status) else {
                return Absence.judge(response, of: "Imgur", isOwn: false)
            }
            let found = failure.classification(response)
            // A picture, an album, a tag and a subreddit may be missing. The other lists always exist.
            let isOfList = found == .notFound && question?.captured.isEmpty == true
            return isOfList ? Absence.ofList(response, of: "Imgur") : found
        }
        guard response.status == 200 || question == nil && (200..<300).contains(response.status) else {
            return ImgurFailure(status: response.status).classification(response)
        }
        return question == nil ? .data : nil
    }

    /// Classifies a body that is not JSON, such as a page of a server in front of the API, or a truncated text.
    private static func unreadable(
        _ response: UpstreamResponse, _ question: QuestionSpec?, _ why: String
    ) -> Classification {
        let start = response.body.prefix(4096).map { $0 < 0x80 ? $0 : 0x20 }
        let text = Bytes(start).lossyText
        switch response.status {
        // A response without a body cannot be read: the response to HEAD, or to a request whose body is passed on.
        case 200..<300 where question == nil && response.body.isEmpty: return .data
        case 200..<300: return .broken(why)
        // Nothing shows that this 404 came from the API itself.
        case 404, 410: return .broken(why)
        default:
            var failure = ImgurFailure(status: response.status)
            failure.message = [overCapacity, bannedCountry].first { text.lowercased().contains($0.lowercased()) }
            return failure.classification(response)
        }
    }

    /// The HTTP status, or the body's status if that is more specific.
    var status: Int
    /// The message as received.
    var message: String?
    /// The number of seconds to wait, if the failure gives one.
    var wait: Int?
    /// Whether the failure has one of the API's own shapes, not that of a server in front of the API.
    private(set) var hasOwnForm = false

    init(status: Int) {
        self.status = status
    }

    /// Nil if the response is not a failure.
    init?(_ root: JSONValue, status: Int) {
        self.status = status
        if let first = root["errors"]?.elements.first(where: { _ in true }), root["data"] == nil {
            hasOwnForm = first.kind == .object
            // {errors: [{id, code: "429", status: "Too Many Requests", detail}]}
            message = first["detail"]?.string ?? first["status"]?.string ?? first["title"]?.string
            let told = [first["code"], first["status"]].compactMap { $0 }
                .compactMap { $0.integer ?? $0.string.flatMap { Int($0) } }.first
            take(told)
            return
        }
        let error = root["data"]?["error"]
        let isFailure = root["success"]?.bool == false || status >= 400 || (root["status"]?.integer ?? 0) >= 400
        if let error, error.kind == .object {
            message = error["message"]?.string ?? error["type"]?.string
            wait = error["exception"]?["wait"]?.integer
            hasOwnForm = true
        } else if let text = error?.string {
            message = text
            hasOwnForm = true
        } else if isFailure, let text = root["data"]?.string ?? root["error"]?.string {
            message = text
        } else if !isFailure {
            return nil
        }
        // `data` is a text or false.
        if root["data"] != nil, root["success"]?.bool == false { hasOwnForm = true }
        take(root["status"]?.integer)
    }

    /// Applies the status in the body. Under HTTP status 200 only the body's status counts. A 429 is accepted from
    /// either.
    private mutating func take(_ told: Int?) {
        let isKnown = told.map { (400..<600).contains($0) } ?? false
        if status != 429, isKnown, let told { status = told }
        if status < 400 { status = 500 }
    }

    func classification(_ response: UpstreamResponse) -> Classification {
        let text = message ?? ""
        let shown = Impostor.shown(message ?? "Imgur answered \(status).")
        if text.contains(Self.bannedCountry) {
            return .refused("Imgur does not serve this country or network (\(Self.bannedCountry)).")
        }
        if status == 429 || text.lowercased().contains("too fast") {
            return .limited(until: ImgurCredits.limitedUntil(response, wait: wait ?? Self.wait(in: text)))
        }
        // A limit on the client's address, which ends within an hour. Under 500 and 503 the words are about the
        // servers.
        if status == 403, text.lowercased().contains("over capacity") {
            return .limited(until: RetryAfter.instant(response) ?? response.responseTime + .seconds(3600))
        }
        if Absence.statuses.contains(status) { return .notFound }
        let isRefusal = status == 401 || status == 403
        // Classifies by the effective status, which may be the body's.
        var told = response
        told.status = status
        return Self.statuses.classify(told, isRefusal ? Self.refusal(text, shown) : message.map(Impostor.shown))
            .heedingRetryAfter(of: told)
    }

    /// Says which credential is refused, if the failure tells, because each needs another remedy.
    private static func refusal(_ text: String, _ shown: String) -> String {
        let words = text.lowercased()
        // "The access token provided is invalid.", "The access token has expired."
        if words.contains("token") { return "Imgur refuses the account's token (\(shown)). Sign in again." }
        if words.contains("client") {
            return "Imgur refuses the client id (\(shown)). "
                + "Imgur often blocks the ids of programs, and gives out no new ones."
        }
        return
            "Imgur refuses the request (\(shown)). The client id may be blocked, as ids of programs often are."
    }

    /// The waiting time in "Please wait 59 more minutes" or "Try again in 27 seconds", in seconds.
    static func wait(in text: String) -> Int? {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        for (place, word) in words.enumerated() where word.utf8.count <= 6 {
            guard let number = Int(word) else { continue }
            for unit in words[(place + 1)...].prefix(2) {
                for (name, seconds) in [("second", 1), ("minute", 60), ("hour", 3600)] where unit.hasPrefix(name) {
                    return number * seconds
                }
            }
        }
        return nil
    }
}
