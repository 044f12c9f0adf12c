import LarderCache
import Testing

@Suite struct UploadMachineTests {
    typealias Machine = UploadMachine

    /// A machine after these inputs. No input may be refused.
    private func machine(_ inputs: Machine.Input...) -> Machine {
        var machine = Machine()
        for input in inputs {
            let actions = machine.take(input)
            #expect(actions != [.refuse], "\(input)")
        }
        return machine
    }

    private static let commands: [Machine.Input] = [.contentArrived(total: 1), .pause, .resume, .cancel]

    @Test func aWholeUploadGoesFromWaitingToFinished() {
        var upload = Machine()
        #expect(upload.state == .waiting)
        #expect(upload.take(.contentArrived(total: 5)) == [.begin])
        #expect(upload.state == .running)
        #expect(upload.take(.bytesSent(5)) == [])
        #expect(upload.take(.contentEnded) == [])
        #expect(upload.state == .running)
        #expect(upload.take(.upstreamAnswered) == [.settle])
        #expect(upload.state == .finished)
        #expect(upload.sent == 5)
        #expect(upload.mayHaveArrived == false)
    }

    @Test func aPauseHoldsTheClientBackAndResumingLetsItGoOn() {
        var upload = machine(.contentArrived(total: 9), .bytesSent(3))
        #expect(upload.take(.pause) == [.hold])
        #expect(upload.take(.pause) == [])
        #expect(upload.state == .paused)
        #expect(upload.take(.bytesSent(1)) == [])
        #expect(upload.sent == 4)
        #expect(upload.take(.resume) == [.goOn])
        #expect(upload.take(.resume) == [])
        #expect(upload.state == .running)
    }

    @Test func nothingIsPausedBeforeItsContentOrBehindIt() {
        var waiting = Machine()
        #expect(waiting.take(.pause) == [.refuse])
        #expect(waiting.take(.resume) == [.refuse])
        var sent = machine(.contentArrived(total: nil), .bytesSent(3), .contentEnded)
        #expect(sent.take(.pause) == [.refuse])
        #expect(sent.total == 3)
        var paused = machine(.contentArrived(total: nil), .pause)
        #expect(paused.take(.contentEnded) == [.goOn])
        #expect(paused.state == .running)
    }

    @Test func contentComesOnce() {
        var upload = machine(.contentArrived(total: 9))
        #expect(upload.take(.contentArrived(total: 9)) == [.refuse])
        #expect(upload.state == .running)
    }

    @Test(arguments: [
        [Machine.Input.contentArrived(total: 9)], [.contentArrived(total: 9), .pause],
    ])
    func cancellingEndsBothSides(_ inputs: [Machine.Input]) {
        var upload = Machine()
        for input in inputs { _ = upload.take(input) }
        #expect(upload.take(.cancel) == [.abort, .settle])
        #expect(upload.state == .cancelled)
        #expect(upload.mayHaveArrived == false)
    }

    @Test func cancellingWhatHasNotBegunHasNothingToEnd() {
        var upload = Machine()
        #expect(upload.take(.cancel) == [.settle])
        #expect(upload.state == .cancelled)
    }

    @Test func aLostClientIsAFailureUntilAllIsSentAndThenNoneAtAll() {
        for inputs in [[Machine.Input.contentArrived(total: 9)], [.contentArrived(total: 9), .pause]] {
            var upload = Machine()
            for input in inputs { _ = upload.take(input) }
            #expect(upload.take(.clientLost) == [.abort, .settle])
            #expect(upload.state == .failed)
            #expect(upload.failure == .clientLost)
            #expect(upload.mayHaveArrived == false)
        }
        var sent = machine(.contentArrived(total: 9), .bytesSent(9), .contentEnded)
        #expect(sent.take(.clientLost) == [])
        #expect(sent.take(.upstreamAnswered) == [.settle])
        #expect(sent.state == .finished)
    }

    @Test func whatWasSentWholeAndNotAnsweredMayHaveArrived() {
        var upload = machine(.contentArrived(total: 9), .contentEnded)
        #expect(upload.take(.failed(.upstreamLost)) == [.abort, .settle])
        #expect(upload.mayHaveArrived)
        var cancelled = machine(.contentArrived(total: 9), .contentEnded)
        #expect(cancelled.take(.cancel) == [.abort, .settle])
        #expect(cancelled.mayHaveArrived)
        var refused = machine(.contentArrived(total: 9), .contentEnded)
        _ = refused.take(.failed(.refused))
        #expect(refused.mayHaveArrived == false)
    }

    @Test(arguments: UploadFailure.allCases)
    func everyFailureEndsIt(_ failure: UploadFailure) {
        var upload = machine(.contentArrived(total: 9), .pause)
        #expect(upload.take(.failed(failure)) == [.abort, .settle])
        #expect(upload.state == .failed)
        #expect(upload.failure == failure)
    }

    @Test func noEndLeadsAnywhereElse() {
        let finished = machine(.contentArrived(total: 1), .bytesSent(1), .contentEnded, .upstreamAnswered)
        let failed = machine(.contentArrived(total: 1), .failed(.upstreamLost))
        let cancelled = machine(.contentArrived(total: 1), .cancel)
        for end in [finished, failed, cancelled] {
            for command in Self.commands {
                var upload = end
                #expect(upload.take(command) == [.refuse], "\(end.state) \(command)")
                #expect(upload == end)
            }
            let events: [Machine.Input] = [
                .bytesSent(1), .contentEnded, .clientLost, .upstreamAnswered, .failed(.tooLarge),
            ]
            for event in events {
                var upload = end
                #expect(upload.take(event) == [], "\(end.state) \(event)")
                #expect(upload == end)
            }
        }
    }
}
