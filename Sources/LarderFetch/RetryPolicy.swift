// Decides when a fetch is retried: at most once, only for a request that may be repeated, and only if the failure
// suggests that the same request may well succeed a moment later. A retry is a call to the API like any other. Callers
// that count calls reserve a call for it or set `mayRetry` to false. Our retries multiply with those of our clients, so
// there is never more than one.
import CCurl
import LarderCore
import LarderHTTP

enum RetryPolicy {
    /// The most tries of one fetch, including the first.
    static let tries = 2
    /// The pause before a retry. A random time of up to the same length is added, so that many fetches do not return at
    /// once.
    static let pause = Duration.milliseconds(150)
    /// The longest `Retry-After` that is waited for. A longer one is left to the caller.
    static let longestWait = Duration.seconds(2)
    /// The part of the deadline that must be left after the pause for a retry to have a chance.
    static let leastRest = Duration.milliseconds(500)

    /// When a failure is retried.
    enum Condition: Sendable, Hashable {
        case never
        /// Only if nothing of a response had come.
        case beforeTheAnswer
        case always
    }

    /// The transfer failures. A code that is not listed is never retried.
    static let codes: [(code: CURLcode, retries: Condition, reason: String)] = [
        (CURLE_RECV_ERROR, .beforeTheAnswer, "A reset before the answer is most often a server that restarts."),
        (CURLE_SEND_ERROR, .beforeTheAnswer, "The request did not reach the server whole."),
        (CURLE_GOT_NOTHING, .never, "A kept connection that was closed is resent by libcurl; a fresh one is meant so."),
        (CURLE_PARTIAL_FILE, .never, "A server that cuts off answers does so again, and the call was counted."),
        (CURLE_COULDNT_CONNECT, .never, "A port that is closed is still closed a moment later."),
        (CURLE_COULDNT_RESOLVE_HOST, .never, "The resolver has asked more than once itself."),
        (CURLE_COULDNT_RESOLVE_PROXY, .never, "The resolver has asked more than once itself."),
        (CURLE_OPERATION_TIMEDOUT, .never, "The time that a second try would need is spent."),
        (CURLE_SSL_CONNECT_ERROR, .never, "A handshake fails the same way again."),
        (CURLE_PEER_FAILED_VERIFICATION, .never, "A certificate does not become valid by asking again."),
        (CURLE_UNSUPPORTED_PROTOCOL, .never, "A server that speaks no HTTP will not learn it."),
        (CURLE_WEIRD_SERVER_REPLY, .never, "A broken answer is made by broken software."),
        (CURLE_WRITE_ERROR, .never, "The answer was refused by us: broken or too large."),
        (CURLE_ABORTED_BY_CALLBACK, .never, "The address was refused, or nobody waits."),
    ]

    /// The response statuses. A status that is not listed is never retried.
    static let statuses: [(status: Int, retries: Condition, reason: String)] = [
        (403, .never, "A refusal, or a limit in disguise: asking again makes it longer."),
        (408, .always, "The server tired of waiting on a kept connection (RFC 9110 §15.5.9)."),
        (425, .never, "No early data is ever sent."),
        (429, .never, "A limit: asking again makes it longer."),
        (500, .never, "A fault in the API itself is met again by the same request."),
        (502, .always, "A gateway whose backend was just being replaced."),
        (503, .always, "Said to be temporary; a Retry-After that is short is honoured."),
        (504, .always, "A gateway whose backend was slow once."),
    ]

    /// The try that ended.
    struct Attempt {
        var method: Method
        var mayRetry: Bool
        /// The number of tries made so far, including this one.
        var tries: Int
        /// The rest of the deadline.
        var rest: Duration
    }

    /// Decides after a response.
    /// - Parameter chance: a random number from 0 to 1.
    /// - Returns: the pause before the retry; nil if there is none.
    static func afterAnswer(
        _ response: UpstreamResponse, _ attempt: Attempt, chance: @autoclosure () -> Double
    ) -> Duration? {
        guard statuses.contains(where: { $0.status == response.status && $0.retries == .always }) else {
            return nil
        }
        var wanted = Duration.zero
        if response.fields.contains(.retryAfter) {
            // An unreadable `Retry-After` still asks for a delay, so the fetch is not retried.
            guard let named = RetryAfter.read(response.fields, at: response.responseTime) else { return nil }
            wanted = named.until - response.responseTime
            guard wanted <= longestWait else { return nil }
        }
        return again(attempt, chance: chance, atLeast: wanted)
    }

    /// Decides after a transfer that brought no complete response.
    /// - Parameter sawAnswer: whether a byte of a response had come.
    /// - Returns: the pause before the retry; nil if there is none.
    static func afterFailure(
        _ error: FetchError, sawAnswer: Bool, _ attempt: Attempt, chance: @autoclosure () -> Double
    ) -> Duration? {
        // Errors of other stages may carry a libcurl code too, although one of our own checks caused them.
        guard error.stage == .send || error.stage == .receive else { return nil }
        guard let rule = codes.first(where: { Int($0.code.rawValue) == error.curlCode }) else { return nil }
        guard rule.retries == .always || rule.retries == .beforeTheAnswer && !sawAnswer else { return nil }
        return again(attempt, chance: chance, atLeast: .zero)
    }

    /// Whether a request may be sent twice (RFC 9110 §9.2.2). Of the idempotent methods, only GET and HEAD may.
    static func isRepeatable(_ method: Method) -> Bool {
        method == .get || method == .head
    }

    private static func again(_ attempt: Attempt, chance: () -> Double, atLeast: Duration) -> Duration? {
        guard attempt.mayRetry, attempt.tries < tries, isRepeatable(attempt.method) else { return nil }
        let delay = atLeast + pause + pause * chance()
        return attempt.rest - delay >= leastRest ? delay : nil
    }
}
