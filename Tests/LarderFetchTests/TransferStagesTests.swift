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

    @Test func aTransferThatWasCutBeforeItsAnswerHasNoStageOfIt() {
        let stages = TransferStages(name: 1, connect: 2, tls: 0, request: 3, answer: 0, total: 0, isFresh: true)
        #expect(took(stages) == ["name": 1, "connect": 1])
    }
}
