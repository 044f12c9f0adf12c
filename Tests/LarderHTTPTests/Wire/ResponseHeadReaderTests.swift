import LarderCore
import Testing

@testable import LarderFetch

@Suite struct AnswerHeadTests {
    /// Feeds lines, each with its line end, and gives the last step or the fault.
    private func read(
        _ lines: [String], method: Method = .get
    ) -> (head: AnswerHead, result: Result<AnswerHead.Step, HeadFault>) {
        var head = AnswerHead(method: method)
        var last = AnswerHead.Step.more
        for line in lines {
            do throws(HeadFault) {
                var step = AnswerHead.Step.more
                var fault: HeadFault?
                Array(line.utf8).withUnsafeBytes { bytes in
                    do throws(HeadFault) { step = try head.take(bytes) } catch { fault = error }
                }
                if let fault { throw fault }
                last = step
            } catch {
                return (head, .failure(error))
            }
        }
        return (head, .success(last))
    }

    @Test(arguments: [
        (["Content-Length: 5"], BodyFraming.length(5)), (["content-length:0"], .length(0)),
        (["Content-Length: 00005"], .length(5)), (["Transfer-Encoding: Chunked"], .chunked), ([], .untilClose),
        (["Content-Length: 9223372036854775807"], .length(.max)),
    ])
    func theFramingIsWhatTheFieldsSay(fields: [String], framing: BodyFraming) {
        let (_, result) = read(["HTTP/1.1 200 OK\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"])
        #expect(result == .success(.complete(framing)))
    }

    @Test func noBodyFollowsHeadNoContentAndNotModified() {
        let lines = ["\r\n"]
        #expect(read(["HTTP/1.1 200 \r\n"] + lines, method: .head).result == .success(.complete(.none)))
        #expect(read(["HTTP/1.1 204 \r\n"] + lines).result == .success(.complete(.none)))
        #expect(read(["HTTP/1.1 304 \r\n"] + lines).result == .success(.complete(.none)))
    }

    @Test func statusReasonAndFieldsAreKept() {
        let (head, _) = read(["HTTP/1.0 404 Not  Here\r\n", "X-A:\t b c \t\r\n", "x-a:\r\n", "\r\n"])
        #expect(head.status == 404)
        #expect(head.reason == "Not  Here")
        #expect(head.fields == HeaderFields([HeaderField("X-A", "b c"), HeaderField("x-a", "")]))
    }

    @Test func aStatusLineMayLackItsReason() {
        let (head, result) = read(["HTTP/1.1 200\r\n"])
        #expect(result == .success(.began))
        #expect(head.status == 200)
        #expect(head.reason == "")
    }

    @Test func interimHeadsLeaveNothingBehind() {
        let (head, result) = read([
            "HTTP/1.1 103 Early\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "\r\n",
        ])
        #expect(result == .success(.complete(.untilClose)))
        #expect(head.fields == [:])
    }

    @Test func trailersChangeNothing() {
        let (head, result) = read([
            "HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n", "Content-Length: 5\r\n", " folded\n",
        ])
        #expect(result == .success(.trailer))
        #expect(head.framing == .chunked)
        #expect(head.fields.lines.count == 1)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 099 X\r\n", "HTTP/1.1 2x0 X\r\n", "http/1.1 200 OK\r\n",
        "HTTP/1.1\t200 OK\r\n", "HTTP/1.1 200\tOK\r\n", "HTTP/1.1 200 O\u{7}K\r\n", "HTTP/11 200 OK\r\n", "\r\n", "",
        "\n", " HTTP/1.1 200 OK\r\n",
    ])
    func aStatusLineOfAnotherFormIsAFault(line: String) {
        guard case .failure = read([line]).result else {
            Issue.record("taken")
            return
        }
    }

    @Test func limitsHold() {
        let status = "HTTP/1.1 200 OK\r\n"
        let many = Array(repeating: "A: b\r\n", count: AnswerHead.maxFields)
        #expect(read([status] + many + ["\r\n"]).result == .success(.complete(.untilClose)))
        #expect((try? read([status] + many + ["A: b\r\n"]).result.get()) == nil)

        let long = "A: \(String(repeating: "b", count: AnswerHead.maxBytes))\r\n"
        #expect((try? read([status, long]).result.get()) == nil)

        let interim = Array(repeating: ["HTTP/1.1 100 Continue\r\n", "\r\n"], count: AnswerHead.maxInterim)
        #expect((try? read(interim.flatMap { $0 } + [status]).result.get()) == .began)
        #expect((try? read(interim.flatMap { $0 } + interim[0]).result.get()) == nil)

        // Trailers count too.
        let endless = Array(repeating: "A: \(String(repeating: "b", count: 1000))\r\n", count: 70)
        #expect((try? read([status, "Transfer-Encoding: chunked\r\n", "\r\n"] + endless).result.get()) == nil)
    }
}
