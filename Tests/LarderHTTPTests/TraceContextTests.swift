// A trace context is parsed and continued as W3C Trace Context says.
import LarderCore
import Testing

@testable import LarderHTTP

@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    private func continued(_ fields: HeaderFields) -> HeaderFields? {
        guard let context = TraceContext(fields) else { return nil }
        var out: HeaderFields = ["Accept": "*/*"]
        context.continued(as: 0xABC, in: &out)
        return out
    }

    @Test func theTraceGoesOnWithAnotherParent() {
        let out = continued(["traceparent": "00-\(Self.trace)-\(Self.parent)-01"])
        #expect(out?.first("traceparent") == "00-\(Self.trace)-0000000000000abc-01")
        #expect(out?.first("tracestate") == nil)
    }

    @Test func flagsWithoutMeaningAreNotSentOn() {
        let out = continued(["traceparent": "00-\(Self.trace)-\(Self.parent)-fe"])
        #expect(out?.first("traceparent")?.hasSuffix("-00") == true)
    }

    @Test func aLaterVersionIsReadAsTheFirst() {
        for line in ["01-\(Self.trace)-\(Self.parent)-01", "cc-\(Self.trace)-\(Self.parent)-01-what-the-future-brings"]
        {
            #expect(continued(["traceparent": line])?.first("traceparent")?.hasPrefix("00-\(Self.trace)-") == true)
        }
    }

    @Test(arguments: [
        "", "00", "ff-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01-more", "00-\(trace)-\(parent)",
        "00-\(trace)-\(parent)-1",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(parent)-01", "00-\(trace)0-\(parent)-01", "00-\(trace)-\(parent)-0g",
        "cc-\(trace)-\(parent)-01.more",
    ])
    func whatIsInvalidIsIgnored(_ line: String) {
        #expect(TraceContext(["traceparent": line, "tracestate": "a=b"]) == nil)
    }

    @Test func twoParentsAreNone() {
        var fields: HeaderFields = ["traceparent": "00-\(Self.trace)-\(Self.parent)-01"]
        fields.add("traceparent", "00-\(Self.trace)-\(Self.parent)-01")
        #expect(TraceContext(fields) == nil)
    }

    @Test func theStateGoesOnInItsOrder() {
        var fields: HeaderFields = ["traceparent": "00-\(Self.trace)-\(Self.parent)-01", "tracestate": "rojo=1, ,"]
        fields.add("tracestate", "tenant@congo=t61 x")
        #expect(continued(fields)?.first("tracestate") == "rojo=1,tenant@congo=t61 x")
    }

    @Test(arguments: ["Rojo=1", "rojo", "rojo=", "=1", "a=b=c", (0..<33).map { "k\($0)=v" }.joined(separator: ",")])
    func aStateThatBreaksTheRulesIsLeftOut(_ state: String) {
        let out = continued(["traceparent": "00-\(Self.trace)-\(Self.parent)-01", "tracestate": state])
        #expect(out?.contains("traceparent") == true)
        #expect(out?.first("tracestate") == nil)
    }
}
