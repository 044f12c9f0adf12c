import CCurl
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct RetryPolicyTests {
    private func answer(
        _ status: Int, retryAfter: String? = nil, method: Method = .get, mayRetry: Bool = true, tries: Int = 1,
        rest: Duration = .seconds(10), chance: Double = 0
    ) -> Duration? {
        let instant = WallTime(milliseconds: 0)
        var response = UpstreamResponse(status: status, requestTime: instant, responseTime: instant)
        if let retryAfter { response.fields.add("Retry-After", retryAfter) }
        return RetryPolicy.afterAnswer(
            response, RetryPolicy.Attempt(method: method, mayRetry: mayRetry, tries: tries, rest: rest), chance: chance)
    }

    private func failure(_ code: CURLcode, sawAnswer: Bool = false, method: Method = .get) -> Duration? {
        RetryPolicy.afterFailure(
            CurlError.error(code, origin: ""), sawAnswer: sawAnswer,
            RetryPolicy.Attempt(method: method, mayRetry: true, tries: 1, rest: .seconds(10)), chance: 0)
    }

    @Test(arguments: [502, 503, 504, 408])
    func passingTroubleIsTriedAgain(status: Int) {
        #expect(answer(status) == RetryPolicy.pause)
    }

    @Test(arguments: [200, 204, 301, 304, 400, 401, 403, 404, 410, 425, 426, 429, 451, 500, 501, 505, 507])
    func anythingElseIsNot(status: Int) {
        #expect(answer(status) == nil)
    }

    @Test func aShortRetryAfterIsWaitedForAndALongOneLeft() {
        #expect(answer(503, retryAfter: "0") == RetryPolicy.pause)
        #expect(answer(503, retryAfter: "2") == .seconds(2) + RetryPolicy.pause)
        for text in ["3", "-1", "x", "", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            #expect(answer(503, retryAfter: text) == nil)
        }
    }

    @Test func thePauseIsSpreadByChance() {
        #expect(answer(503, chance: 0.5) == RetryPolicy.pause * 1.5)
    }

    @Test func onceOnlyAndOnlyWhereThereIsTime() {
        #expect(answer(503, tries: 2) == nil)
        #expect(answer(503, mayRetry: false) == nil)
        #expect(answer(503, rest: RetryPolicy.pause + RetryPolicy.leastRest) == RetryPolicy.pause)
        #expect(answer(503, rest: RetryPolicy.leastRest) == nil)
    }

    @Test func onlyWhatReadsIsRepeated() {
        #expect(answer(503, method: .head) == RetryPolicy.pause)
        for method in [Method.post, .put, .patch, .delete, .options, Method("get")] {
            #expect(answer(503, method: method) == nil)
            #expect(failure(CURLE_RECV_ERROR, method: method) == nil)
        }
    }

    @Test func aBrokenConnectionIsReplacedOnlyBeforeTheAnswer() {
        for code in [CURLE_RECV_ERROR, CURLE_SEND_ERROR] {
            #expect(failure(code) == RetryPolicy.pause)
            #expect(failure(code, sawAnswer: true) == nil)
        }
        for code in [
            CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
            CURLE_SSL_CONNECT_ERROR, CURLE_WRITE_ERROR, CURLE_OUT_OF_MEMORY,
        ] {
            #expect(failure(code) == nil)
        }
    }

    @Test func ourOwnFindingsAreNotTriedAgain() {
        for stage in FetchError.Stage.allCases {
            let decision = RetryPolicy.afterFailure(
                FetchError(stage: stage, origin: "", message: ""), sawAnswer: false,
                RetryPolicy.Attempt(method: .get, mayRetry: true, tries: 1, rest: .seconds(10)), chance: 0)
            #expect(decision == nil)
        }
    }

    @Test func eachRuleHasItsReasonAndStandsOnce() {
        #expect(Set(RetryPolicy.codes.map(\.code.rawValue)).count == RetryPolicy.codes.count)
        #expect(Set(RetryPolicy.statuses.map(\.status)).count == RetryPolicy.statuses.count)
        #expect(RetryPolicy.codes.allSatisfy { !$0.reason.isEmpty })
        #expect(RetryPolicy.statuses.allSatisfy { !$0.reason.isEmpty })
    }
}
