import LarderCore
import Testing

@testable import LarderFetch

@Suite struct TransferStagesTests {
    private func took(_ stages: TransferStages) -> [String: Int64] {
        Dictionary(uniqueKeysWithValues: stages.took.map { ($0.stage.rawValue, $0.microseconds) })
    }

    @Test func eachStageIsTheTimeBetweenTwoOfLibcurlsInstants() {
        let stages = TransferStages(
            name: 10, connect: 30, tls: 80, request: 90, answer: 290, total: 1290, isFresh: true)
        #expect(took(stages) == ["name": 10, "connect": 20, "tls": 50, "answer": 200, "body": 1000])
    }

    @Test func aKeptConnectionHasNoStagesBeforeTheRequest() {
        let stages = TransferStages(name: 0, connect: 0, tls: 0, request: 5, answer: 25, total: 30, isFresh: false)
        #expect(took(stages) == ["answer": 20, "body": 5])
    }

    @Test func plainHTTPHasNoHandshake() {
        let stages = TransferStages(name: 1, connect: 2, tls: 0, request: 3, answer: 4, total: 5, isFresh: true)
        #expect(took(stages)["tls"] == nil)
    }

    @Test func aTransferThatWasCutCountsInTheStageThatItWasIn() {
        let waiting = TransferStages(name: 1, connect: 2, tls: 0, request: 3, answer: 0, total: 5003, isFresh: true)
        #expect(took(waiting) == ["name": 1, "connect": 1, "answer": 5000])
        let shaking = TransferStages(name: 1, connect: 2, tls: 0, request: 0, answer: 0, total: 902, isFresh: true)
        #expect(took(shaking) == ["name": 1, "connect": 1, "tls": 900])
        let looking = TransferStages(name: 0, connect: 0, tls: 0, request: 0, answer: 0, total: 700, isFresh: false)
        #expect(took(looking) == ["name": 700])
        let kept = TransferStages(name: 0, connect: 0, tls: 0, request: 5, answer: 0, total: 805, isFresh: false)
        #expect(took(kept) == ["answer": 800])
    }
}
