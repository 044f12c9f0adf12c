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
            #expect(machine.reads && machine.parses)
        }
    }

    @Test func readsABodyBeforeTheAnswer() {
        var machine = ConnectionMachine()
        #expect(machine.began(Self.head(framing: .length(10)), maxBody: 10) == .readBody(sendsContinue: false))
        #expect(machine.reads && !machine.parses)
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
        #expect(machine.phase == .closing)
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

    @Test func leavingBeforeTheAnswerBeginsCancelsIt() {
        var machine = ConnectionMachine()
        _ = machine.began(Self.head(), maxBody: 0)
        #expect(machine.inputEnded(writing: false) == .cancel)
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

@Suite struct ResponseEncoderTests {
    static func encode(_ head: ResponseHead, length: Int?) -> String {
        var out = Bytes()
        ResponseEncoder.append(head, length: length, to: &out)
        ResponseEncoder.endHead(&out)
        return out.lossyText
    }

    @Test func writesStatusFieldsAndLength() {
        let text = Self.encode(ResponseHead(status: 200, fields: ["Content-Type": "text/plain"]), length: 3)
        #expect(text == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n")
        #expect(Self.encode(ResponseHead(status: 299), length: 0) == "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n")
        #expect(Self.encode(ResponseHead(status: 200, reason: "Fine"), length: nil) == "HTTP/1.1 200 Fine\r\n\r\n")
    }

    @Test func framesAlone() {
        let fields: HeaderFields = [
            "content-length": "99", "Transfer-Encoding": "chunked", "Connection": "keep-alive", "keep-alive": "5",
        ]
        #expect(
            Self.encode(ResponseHead(status: 200, fields: fields), length: 1)
                == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
    }

    @Test(arguments: [204, 304])
    func writesNoLengthWhereThereIsNoBody(status: Int) {
        #expect(!Self.encode(ResponseHead(status: status), length: 5).contains("Content-Length"))
    }

    @Test func noValueAddsALineOfItsOwn() {
        let head = ResponseHead(
            status: 200, reason: "O\r\nX: 1", fields: ["A": "1\r\nSet-Cookie: x", "B\r\nC": "2", "": "3"])
        #expect(Self.encode(head, length: nil) == "HTTP/1.1 200 O  X: 1\r\nA: 1  Set-Cookie: x\r\n\r\n")
    }

    @Test func keepsBytesAboveASCII() {
        var out = Bytes()
        ResponseEncoder.appendField("X", "\u{E9}", to: &out)
        #expect(out == Bytes(text: "X: ") + [0xE9, 0x0D, 0x0A])
    }
}
