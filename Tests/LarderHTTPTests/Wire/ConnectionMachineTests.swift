import LarderCore
import LarderHTTP
import Testing

@Suite struct ConnectionMachineTests {
    static func head(
        persists: Bool = true, framing: BodyFraming = .none, expects: Bool = false
    ) -> RequestHead {
        var head = RequestHead()
        head.framing = framing
        if !persists { head.flags.insert(.close) }
        if expects { head.flags.insert(.expectContinue) }
        return head
    }

    @Test func goesRoundForEveryRequestOfAKeptConnection() {
        var machine = ConnectionMachine()
        for _ in 0..<3 {
            #expect(machine.wait == .nextRequest)
            machine.headBegan()
            #expect(machine.wait == .head)
            #expect(machine.began(Self.head(), maxBody: 10) == .answer)
            #expect(!machine.reads)
            #expect(machine.answered(closing: false) == false)
            #expect(machine.reads && machine.phase == .idle)
        }
    }

    @Test func readsABodyBeforeTheAnswer() {
        var machine = ConnectionMachine()
        #expect(machine.began(Self.head(framing: .length(10)), maxBody: 10) == .readBody(sendsContinue: false))
        #expect(machine.reads && machine.phase == .body)
        machine.bodyEnded()
        #expect(machine.phase == .answering)
    }

    @Test func letsAWaitingClientSendItsBody() {
        var machine = ConnectionMachine()
        #expect(
            machine.began(Self.head(framing: .chunked, expects: true), maxBody: 0) == .readBody(sendsContinue: true))
    }

    @Test func refusesTooLargeABodyUnread() {
        var machine = ConnectionMachine()
        #expect(machine.began(Self.head(framing: .length(11), expects: true), maxBody: 10) == .refuse(.bodyTooLarge))
        machine.refused()
        #expect(machine.phase == .closingUnread)
    }

    @Test func endsWithTheAnswerWhereTheClientAsksForIt() {
        var machine = ConnectionMachine()
        _ = machine.began(Self.head(persists: false), maxBody: 0)
        #expect(machine.answered(closing: false) == true)
        #expect(machine.phase == .closing)
        var other = ConnectionMachine()
        #expect(other.answeredAtOnce(Self.head(persists: false)) == true)
        #expect(other.phase == .closing)
    }

    @Test(arguments: [false, true])
    func theConnectionLingersWhereTheClientMayStillSend(hasUnread: Bool) {
        var ended = ConnectionMachine()
        _ = ended.answeredAtOnce(Self.head(persists: false))
        #expect(ended.isClosing)
        #expect(ended.written(hasUnread: hasUnread) == hasUnread)
        #expect(ended.phase == (hasUnread ? .lingering : .closing))
        var refused = ConnectionMachine()
        refused.refused()
        #expect(refused.isClosing)
        #expect(refused.written(hasUnread: hasUnread) == true)
        #expect(refused.phase == .lingering)
        #expect(!refused.isClosing)
        #expect(refused.reads)
        #expect(refused.wait == .clientEnd)
        #expect(refused.inputEnded(writing: false) == .close)
    }

    @Test func theEndOfInputLeavesACompleteRequestItsAnswerAndThenCloses() {
        var machine = ConnectionMachine()
        _ = machine.began(Self.head(), maxBody: 0)
        #expect(machine.inputEnded(writing: false) == .finish)
        #expect(machine.phase == .answering)
        let closes = machine.answered(closing: false)
        #expect(closes)
        #expect(machine.phase == .closing)
    }

    @Test(arguments: [false, true])
    func theEndOfInputInsideABodyRefusesItsRequest(_ streamsBody: Bool) {
        var machine = ConnectionMachine()
        _ = machine.began(Self.head(framing: .length(5)), maxBody: 5, streamsBody: streamsBody)
        #expect(machine.inputEnded(writing: false) == .refuse)
    }

    @Test func leavingAfterTheAnswerBeganLetsItFinish() {
        var machine = ConnectionMachine()
        _ = machine.began(Self.head(), maxBody: 0)
        _ = machine.answered(closing: false)
        #expect(machine.inputEnded(writing: true) == .finish)
        #expect(machine.phase == .closing)
    }

    @Test(arguments: [false, true])
    func anEndBetweenOrInsideHeadsCloses(partial: Bool) {
        var machine = ConnectionMachine()
        if partial { machine.headBegan() }
        #expect(machine.inputEnded(writing: false) == .close)
    }

    @Test func drainingEndsIdleConnectionsNowAndOthersWithTheirAnswer() {
        var idle = ConnectionMachine()
        #expect(idle.drain(writing: false) == true)
        var busy = ConnectionMachine()
        _ = busy.began(Self.head(), maxBody: 0)
        #expect(busy.drain(writing: false) == false)
        #expect(busy.answered(closing: false) == true)
        var writing = ConnectionMachine()
        #expect(writing.drain(writing: true) == false)
        #expect(writing.answeredAtOnce(Self.head()) == true)
        var partial = ConnectionMachine()
        partial.headBegan()
        #expect(partial.drain(writing: false) == false)
        _ = partial.began(Self.head(), maxBody: 0)
        #expect(partial.closes)
    }
}

/// A request body that is read while its handler works, and a response that is sent in pieces.
@Suite struct StreamingMachineTests {
    typealias Make = ConnectionMachineTests

    @Test func aStreamedAnswerEndsInTheNextRequestsTurn() {
        var machine = ConnectionMachine()
        _ = machine.began(Make.head(), maxBody: 0)
        let closes = machine.answerBegan(closing: false)
        #expect(!closes)
        #expect(machine.phase == .streaming)
        #expect(!machine.reads)
        #expect(machine.wait == .handler)
        machine.answerEnded()
        #expect(machine.phase == .idle)
        #expect(machine.reads)
    }

    @Test func aStreamedAnswerMayBeTheLast() {
        var machine = ConnectionMachine()
        _ = machine.began(Make.head(persists: false), maxBody: 0)
        let closes = machine.answerBegan(closing: false)
        #expect(closes)
        machine.answerEnded()
        #expect(machine.phase == .closing)
    }

    @Test func endingOnesSideDuringAnAnswerLetsItFinishAndThenCloses() {
        var machine = ConnectionMachine()
        _ = machine.began(Make.head(), maxBody: 0)
        _ = machine.answerBegan(closing: false)
        for writing in [false, true] {
            let end = machine.inputEnded(writing: writing)
            #expect(end == .finish)
            #expect(machine.phase == .streaming)
        }
        machine.answerEnded()
        #expect(machine.phase == .closing)
    }

    @Test func drainingDuringAnAnswerClosesAfterIt() {
        var machine = ConnectionMachine()
        _ = machine.began(Make.head(), maxBody: 0)
        _ = machine.answerBegan(closing: false)
        let endsNow = machine.drain(writing: false)
        #expect(!endsNow)
        machine.answerEnded()
        #expect(machine.phase == .closing)
    }

    @Test(arguments: [BodyFraming.length(1 << 40), .chunked])
    func aBodyOfAnyLengthMayBeReadWhileItsHandlerWorks(framing: BodyFraming) {
        var machine = ConnectionMachine()
        let begin = machine.began(Make.head(framing: framing), maxBody: 10, streamsBody: true)
        #expect(begin == .answerWhileReading)
        #expect(machine.phase == .answering)
        #expect(machine.bodyComes)
        machine.bodyEnded()
        let closes = machine.answered(closing: false)
        #expect(!closes)
        #expect(machine.phase == .idle)
    }

    @Test func anAnswerBeforeTheBodysEndIsTheLast() {
        var whole = ConnectionMachine()
        _ = whole.began(Make.head(framing: .chunked), maxBody: 0, streamsBody: true)
        let closes = whole.answered(closing: false)
        #expect(closes)
        #expect(whole.phase == .closingUnread)
        #expect(!whole.bodyComes)
        var streamed = ConnectionMachine()
        _ = streamed.began(Make.head(framing: .chunked), maxBody: 0, streamsBody: true)
        let ends = streamed.answerBegan(closing: false)
        #expect(ends)
        // The body may end while the response is under way. The head has already been sent, so the connection still
        // closes.
        streamed.bodyEnded()
        streamed.answerEnded()
        #expect(streamed.phase == .closing)
    }

    @Test func aBodyThatIsGivenUpDuringItsAnswerIsNotWaitedFor() {
        var machine = ConnectionMachine()
        _ = machine.began(Make.head(framing: .chunked), maxBody: 0, streamsBody: true)
        machine.bodyGivenUp()
        #expect(!machine.bodyComes)
        #expect(machine.answerBegan(closing: false) == true)
        machine.answerEnded()
        #expect(machine.phase == .closing)
    }

    @Test func aLengthThatCannotBeHeldIsRefusedAlsoForAStream() {
        var machine = ConnectionMachine()
        let begin = machine.began(Make.head(framing: .length(Int.max / 16)), maxBody: 0, streamsBody: true)
        #expect(begin == .refuse(.bodyTooLarge))
        var empty = ConnectionMachine()
        let answer = empty.began(Make.head(framing: .length(0)), maxBody: 0, streamsBody: true)
        #expect(answer == .answer)
    }
}
