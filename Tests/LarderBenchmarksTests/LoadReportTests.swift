// wrk counts error pages as requests. A report of wrk is accepted only if it shows the bodies that were requested.
import Testing

@testable import LarderBenchmarks

@Suite struct LoadReportTests {
    private func report(_ read: String, _ complaint: String = "") -> String {
        """
        Running 1s test @ http://127.0.0.1:40001/1k
          1 threads and 64 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency   640.32us  202.15us   5.16ms   92.33%
            Req/Sec   101.83k     6.58k  110.73k    80.00%
          101327 requests in 1.00s, \(read) read
        \(complaint)Requests/sec: 101234.56
        Transfer/sec:    126.32MB

        """
    }

    @Test func aRoundOfRightAnswersGivesItsRate() throws {
        #expect(try Saturation.rate(in: report("126.40MB"), .one, stage: "test") == 101_234.56)
    }

    @Test func answersShorterThanTheBodyAreAFailure() {
        #expect(throws: Failure.self) { try Saturation.rate(in: report("24.40MB"), .one, stage: "test") }
    }

    @Test(arguments: [
        "  Socket errors: connect 0, read 3, write 0, timeout 0\n", "  Non-2xx or 3xx responses: 12\n",
    ])
    func complaintsOfTheLoadAreAFailure(_ complaint: String) {
        #expect(throws: Failure.self) {
            try Saturation.rate(in: report("126.40MB", complaint), .one, stage: "test")
        }
    }

    @Test func aReportWithoutARateIsAFailure() {
        #expect(throws: Failure.self) { try Saturation.rate(in: "unable to connect\n", .one, stage: "test") }
    }

    @Test(arguments: BodySize.allCases)
    func bodiesAreExactAndTheSameEachTime(_ size: BodySize) {
        #expect(size.body.count == size.bytes)
        #expect(size.body == size.body)
        #expect(Set(size.body).count > 200)
    }

    @Test(arguments: [["--rounds", "0"], ["--rounds"], ["--sizes", "2"], ["--servers", "apache"], ["--fast"]])
    func wrongArgumentsAreRefused(_ words: [String]) {
        #expect(throws: Failure.self) { try Arguments(words) }
    }

    @Test func choicesKeepTheOrderOfTheTables() throws {
        let arguments = try Arguments(["--servers", "larder,nginx", "--quick"])
        #expect(arguments.servers == [.nginx, .larder])
        #expect(arguments.rounds == 3)
        #expect(arguments.seconds == 1)
    }
}
