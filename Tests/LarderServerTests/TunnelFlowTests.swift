import LarderCore
import LarderHTTP
import LarderIO
import Testing

@testable import LarderServer

/// A side that gives and takes what a script says.
private final class ScriptedSide: TunnelSide {
    var input: [Transfer]
    private var source: Bytes
    /// How many bytes each write takes; then it takes everything.
    var takes: [Int] = []
    private(set) var written = Bytes()
    private(set) var ends = 0

    init(_ text: String = "", input: [Transfer] = []) {
        source = Bytes(text: text)
        self.input = input
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard !input.isEmpty else { return .wouldBlock }
        let next = input.removeFirst()
        if case .bytes(let count) = next {
            for place in 0..<count { buffer[place] = source[place] }
            source.removeFirst(count)
        }
        return next
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        let count = takes.isEmpty ? bytes.count : min(takes.removeFirst(), bytes.count)
        guard count > 0 else { return .wouldBlock }
        written += Bytes(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return .bytes(count)
    }

    func endSending() { ends += 1 }
}

@Suite struct TunnelFlowTests {
    private func move(
        _ flow: inout TunnelFlow, _ source: ScriptedSide, _ sink: ScriptedSide, budget: Int = 1000, room: Int = 8
    ) -> TunnelFlow.Step {
        var buffer = Bytes(repeating: 0, count: room)
        return buffer.withUnsafeMutableBytes { flow.move(from: source, to: sink, through: $0, budget: budget) }
    }

    @Test func bytesArriveInTheirOrder() {
        let source = ScriptedSide("hello, tunnel", input: [.bytes(8), .bytes(5), .wouldBlock])
        let sink = ScriptedSide()
        var flow = TunnelFlow(first: Bytes(text: "first "))
        #expect(move(&flow, source, sink) == .waits)
        #expect(sink.written == Bytes(text: "first hello, tunnel"))
        #expect(flow.moved == 19)
    }

    @Test(arguments: [Transfer.end, .failed(104)]) func aSourceThatSaysNothingIsSpokenFor(_ end: Transfer) {
        let (source, sink) = (ScriptedSide(input: [end]), ScriptedSide())
        var flow = TunnelFlow(otherwise: Bytes(text: "502"))
        #expect(move(&flow, source, sink) == .waits)
        #expect(sink.written == Bytes(text: "502"))
        #expect(sink.ends == 1)
    }

    @Test func aSourceThatHasSpokenIsNotSpokenFor() {
        let (source, sink) = (ScriptedSide("a", input: [.bytes(1), .end]), ScriptedSide())
        var flow = TunnelFlow(otherwise: Bytes(text: "502"))
        #expect(move(&flow, source, sink) == .waits)
        #expect(sink.written == Bytes(text: "a"))
    }

    @Test func aSlowSinkStopsTheReading() {
        let source = ScriptedSide("hello, tunnel", input: [.bytes(8), .bytes(5)])
        let sink = ScriptedSide()
        sink.takes = [3, 0]
        var flow = TunnelFlow()
        #expect(move(&flow, source, sink) == .waits)
        #expect(source.input.count == 1, "more was read than one buffer")
        #expect(move(&flow, source, sink) == .waits)
        #expect(sink.written == Bytes(text: "hello, tunnel"))
    }

    @Test func theEndIsPassedOnOnceAfterAllBytes() {
        let source = ScriptedSide("bye", input: [.bytes(3), .end])
        let sink = ScriptedSide()
        sink.takes = [1, 0]
        var flow = TunnelFlow(input: .last)
        _ = move(&flow, source, sink)
        #expect(sink.ends == 0 && !flow.isDone)
        _ = move(&flow, source, sink)
        _ = move(&flow, source, sink)
        #expect(sink.written == Bytes(text: "bye"))
        #expect(sink.ends == 1 && flow.isDone)
    }

    @Test func aShortReadIsFollowedByTheEndThatWasAnnounced() {
        let source = ScriptedSide("bye", input: [.bytes(3), .end])
        var flow = TunnelFlow()
        flow.note([.readable, .peerEnded])
        _ = move(&flow, source, ScriptedSide())
        #expect(flow.isDone)
    }

    @Test func aShortReadWithoutAnEndWaitsForTheNextEvent() {
        let source = ScriptedSide("bye", input: [.bytes(3), .failed(5)])
        var flow = TunnelFlow()
        #expect(move(&flow, source, ScriptedSide()) == .waits)
    }

    @Test func aBudgetLeavesTheRestForLater() {
        let source = ScriptedSide("hello, tunnel!!!", input: [.bytes(8), .bytes(8)])
        var flow = TunnelFlow()
        #expect(move(&flow, source, ScriptedSide(), budget: 8) == .hasMore)
    }

    @Test func whatFollowsTheContentOfAForwardedRequestIsDiscarded() {
        let source = ScriptedSide("bodynext", input: [.bytes(8), .wouldBlock])
        let sink = ScriptedSide()
        var flow = TunnelFlow(first: Bytes(text: "head "), carrying: .bytes(4))
        _ = move(&flow, source, sink)
        #expect(sink.written == Bytes(text: "head body"))
    }

    @Test func theContentInChunksEndsWithItsLastChunk() {
        let source = ScriptedSide("4\r\nbody\r\n0\r\n\r\nGET /next", input: [.bytes(8), .bytes(15), .wouldBlock])
        let sink = ScriptedSide()
        var flow = TunnelFlow(input: .last, carrying: .chunks(ChunkedDecoder()))
        _ = move(&flow, source, sink, room: 32)
        #expect(sink.written == Bytes(text: "4\r\nbody\r\n0\r\n\r\n"))
    }

    @Test func whatCameEarlyCountsAsContent() {
        let sink = ScriptedSide()
        var flow = TunnelFlow(carrying: .bytes(2))
        flow.take(Bytes(text: "abc"))
        _ = move(&flow, ScriptedSide(), sink)
        #expect(sink.written == Bytes(text: "ab"))
    }

    @Test func afterTheSinkIsGoneTheSourceIsReadToItsEnd() {
        let source = ScriptedSide("more", input: [.bytes(4), .end])
        let sink = ScriptedSide()
        var flow = TunnelFlow(input: .last)
        flow.giveUp()
        _ = move(&flow, source, sink)
        #expect(sink.written.isEmpty && sink.ends == 0 && flow.isOver)
    }

    @Test func aFailureOfEitherSideBreaksTheFlow() {
        var flow = TunnelFlow()
        #expect(move(&flow, ScriptedSide(input: [.failed(104)]), ScriptedSide()) == .sourceBroke)
    }
}
