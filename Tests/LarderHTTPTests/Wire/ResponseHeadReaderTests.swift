import LarderCore
import LarderHTTP
import Testing

@Suite struct ResponseHeadReaderTests {
    /// Feeds lines, including their line ends, and returns the last step or the fault.
    private func read(
        _ lines: [String], method: Method = .get
    ) -> (head: ResponseHeadReader, result: Result<ResponseHeadReader.Step, ResponseHeadFault>) {
        var head = ResponseHeadReader(method: method)
        var last = ResponseHeadReader.Step.more
        for line in lines {
            do throws(ResponseHeadFault) {
                var step = ResponseHeadReader.Step.more
                var fault: ResponseHeadFault?
                Array(line.utf8).withUnsafeBytes { bytes in
                    do throws(ResponseHeadFault) { step = try head.take(bytes) } catch { fault = error }
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
        (["Content-Length: 5"], ResponseFraming.length(5)), (["content-length:0"], .length(0)),
        (["Content-Length: 00005"], .length(5)), (["Transfer-Encoding: Chunked"], .chunked), ([], .untilClose),
        (["Content-Length: 9223372036854775807"], .length(.max)),
    ])
    func theFramingIsWhatTheFieldsSay(fields: [String], framing: ResponseFraming) {
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

    @Test func whiteSpaceBeforeAColonIsRemoved() {
        let (head, result) = read(["HTTP/1.1 200 OK\r\n", "X-A : b\r\n", "ETag \t:\"c\"\r\n", "\r\n"])
        #expect(result == .success(.complete(.untilClose)))
        #expect(head.fields == HeaderFields([HeaderField("X-A", "b"), HeaderField("ETag", "\"c\"")]))
    }

    @Test func aStatusLineMayLackItsReason() {
        let (head, result) = read(["HTTP/1.1 200\r\n"])
        #expect(result == .success(.began))
        #expect(head.status == 200)
        #expect(head.reason == "")
    }

    @Test func interimHeadsAreKeptApartFromTheFinalOne() {
        let (head, result) = read([
            "HTTP/1.1 103 Early\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 100 Continue\r\n", "\r\n",
            "HTTP/1.1 102 Processing\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "\r\n",
        ])
        #expect(result == .success(.complete(.untilClose)))
        #expect(head.fields == [:])
        #expect(
            head.interim == [InterimHead(status: 103, fields: ["Link": "x"]), InterimHead(status: 102, fields: [:])])
    }

    @Test func interimHeadsBeyondAFewArePassedOverAndAnEndOfThemIsTold() {
        let one = ["HTTP/1.1 103 Early\r\n", "\r\n"]
        #expect(read(one).result == .success(.interim(103)))
        let (head, result) = read((0..<20).flatMap { _ in one } + ["HTTP/1.1 200 OK\r\n", "\r\n"])
        #expect(result == .success(.complete(.untilClose)))
        #expect(head.interim.count == ResponseHeadReader.maxInterim)
        // Interim heads count too: all heads of a response share one limit.
        #expect((try? read((0..<8000).flatMap { _ in one }).result.get()) == nil)
    }

    @Test(arguments: ["Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n"])
    func anInterimHeadWithABodyIsAFault(field: String) {
        #expect((try? read(["HTTP/1.1 103 Early\r\n", field, "\r\n"]).result.get()) == nil)
    }

    @Test(arguments: [
        ["Content-Length: 5", "Content-Length: 5"], ["Content-Length: 5, 5"],
        ["Content-Length: 5 ,\t5", "content-length: 5"],
    ])
    func aLengthSaidMoreThanOnceIsPassedOnOnce(lines: [String]) {
        let fields = ["X: a", lines[0], "Y: b"] + lines.dropFirst()
        let (head, result) = read(["HTTP/1.1 200 OK\r\n"] + fields.map { $0 + "\r\n" } + ["\r\n"])
        #expect(result == .success(.complete(.length(5))))
        #expect(
            head.fields
                == HeaderFields([HeaderField("X", "a"), HeaderField("Content-Length", "5"), HeaderField("Y", "b")]))
    }

    @Test(arguments: [
        "Content-Length: 5, 6", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5,", "Content-Length: ,5",
        "Content-Length: 5;5", "Content-Length: 5 5", "Content-Length: +5", "Content-Length: -0", "Content-Length: 0x5",
        "Content-Length: 9223372036854775808", "Content-Length:", "Content-Length: \u{FF15}",
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding:",
        "Transfer-Encoding: chunked;x",
        "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "Content-Length\t: 5", " X: a", "X: a\u{0}",
        "X: a\rb", ": a", "X", "X\u{80}: a",
    ])
    func aFieldThatTwoReadersCouldReadDifferentlyIsAFault(fields: String) {
        for status in ["200", "204", "304", "500"] {
            let lines = fields.split(separator: "\r\n").map { String($0) + "\r\n" }
            #expect((try? read(["HTTP/1.1 \(status) X\r\n"] + lines + ["\r\n"]).result.get()) == nil)
        }
    }

    @Test func whatIsOddButLegalPasses() {
        let (head, result) = read([
            "HTTP/1.0 200 \u{E9}\u{FC}\r\n", "X: \u{E9}\r\n", "!#$%&'*+-.^_`|~: a:b:c\r\n", "Y:a\tb\r\n", "\r\n",
        ])
        #expect(result == .success(.complete(.untilClose)))
        #expect(head.isVersion10)
        #expect(head.fields.map(\.name) == ["X", "!#$%&'*+-.^_`|~", "Y"])
        #expect(head.fields.first("Y") == "a\tb")
        // UTF-8 on the wire is read as one scalar per byte.
        #expect(head.fields.first("X") == "\u{C3}\u{A9}")
    }

    @Test func trailersChangeNothing() {
        let (head, result) = read([
            "HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n", "Content-Length: 5\r\n", " folded\n",
        ])
        #expect(result == .success(.trailer))
        #expect(head.framing == .chunked)
        #expect(head.fields.count == 1)
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
        let many = Array(repeating: "A: b\r\n", count: ResponseHeadReader.maxFields)
        #expect(read([status] + many + ["\r\n"]).result == .success(.complete(.untilClose)))
        #expect((try? read([status] + many + ["A: b\r\n"]).result.get()) == nil)

        let fits = "A: \(String(repeating: "b", count: 64 * 1024))\r\n"
        #expect(read([status, fits, "\r\n"]).result == .success(.complete(.untilClose)))
        let long = "A: \(String(repeating: "b", count: ResponseHeadReader.maxBytes))\r\n"
        #expect((try? read([status, long]).result.get()) == nil)

        // Trailers count too.
        let endless = Array(repeating: "A: \(String(repeating: "b", count: 1000))\r\n", count: 140)
        #expect((try? read([status, "Transfer-Encoding: chunked\r\n", "\r\n"] + endless).result.get()) == nil)
    }
}
