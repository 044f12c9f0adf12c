import CCurl
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct CurlErrorTests {
    @Test(arguments: [
        (CURLE_COULDNT_RESOLVE_HOST, FetchError.Stage.resolve), (CURLE_COULDNT_RESOLVE_PROXY, .resolve),
        (CURLE_COULDNT_CONNECT, .connect), (CURLE_PROXY, .connect), (CURLE_SSL_CONNECT_ERROR, .secure),
        (CURLE_PEER_FAILED_VERIFICATION, .secure), (CURLE_SSL_CACERT_BADFILE, .secure), (CURLE_SEND_ERROR, .send),
        (CURLE_OUT_OF_MEMORY, .send), (CURLE_GOT_NOTHING, .receive), (CURLE_RECV_ERROR, .receive),
        (CURLE_PARTIAL_FILE, .receive), (CURLE_OPERATION_TIMEDOUT, .timedOut), (CURLE_FILESIZE_EXCEEDED, .tooLarge),
        (CURLE_UNSUPPORTED_PROTOCOL, .malformed), (CURLE_WEIRD_SERVER_REPLY, .malformed),
        (CURLE_WRITE_ERROR, .malformed), (CURLE_BAD_FUNCTION_ARGUMENT, .malformed), (CURLE_LOGIN_DENIED, .forbidden),
        (CURLE_ABORTED_BY_CALLBACK, .cancelled),
    ])
    func eachCodeHasItsStage(code: CURLcode, stage: FetchError.Stage) {
        let error = CurlError.error(code, origin: "https://host")
        #expect(error.stage == stage)
        #expect(error.curlCode == Int(code.rawValue))
        #expect(error.origin == "https://host")
    }

    @Test func eachCodeIsListedOnceWithASentence() {
        let codes = CurlError.table.map(\.code.rawValue)
        #expect(Set(codes).count == codes.count)
        #expect(CurlError.table.allSatisfy { $0.meaning.sentence.hasSuffix(".") })
        #expect(!codes.contains(CURLE_OK.rawValue))
    }

    @Test(
        arguments: [
            (CURLE_RECV_ERROR, "Illegal or missing hexadecimal sequence in chunked-encoding", true, true),
            (CURLE_RECV_ERROR, "chunk hex-length char not a hex digit: 0x7a", true, true),
            (CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", true, false),
            (CURLE_RECV_ERROR, "Too large response headers: 307209 > 307200", false, true),
            (CURLE_OUT_OF_MEMORY, "Out of memory", false, true), (CURLE_OUT_OF_MEMORY, "Out of memory", true, false),
            (CURLcode(rawValue: 100), "", false, true), (CURLE_PARTIAL_FILE, "", true, false),
        ] as [(CURLcode, String, Bool, Bool)])
    func whatIsWrongInTheAnswerIsKnownByLibcurlsWords(
        code: CURLcode, said: String, hasHead: Bool, isMalformed: Bool
    ) {
        #expect((CurlError.malformation(code, said: said, hasHead: hasHead) != nil) == isMalformed)
    }

    @Test func aCodeOfTheFutureIsStillAnError() {
        #expect(CurlError.error(CURLcode(rawValue: 9999), origin: "").stage == .send)
    }
}
