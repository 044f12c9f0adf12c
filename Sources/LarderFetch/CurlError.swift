// The one place that maps libcurl's codes to our stages. The table lists each code that an http or https transfer can
// end with, and its sentence. No option that we set leads to another; any other code would count as a fault of sending.
// The sentence is ours, never libcurl's error text, which may contain the URL
// (https://curl.se/libcurl/c/libcurl-errors.html).
import CCurl
import LarderCore

enum CurlError {
    /// The stage and the sentence of one code.
    struct Meaning: Sendable, Hashable {
        var stage: FetchError.Stage
        var sentence: String
    }

    /// The error for a transfer that ended with `code`.
    static func error(_ code: CURLcode, origin: String) -> FetchError {
        let meaning = meaning(of: code)
        return FetchError(
            stage: meaning.stage, origin: origin, curlCode: Int(code.rawValue), message: meaning.sentence)
    }

    /// The meaning of a code.
    static func meaning(of code: CURLcode) -> Meaning {
        table.first { $0.code == code }?.meaning
            ?? Meaning(stage: .send, sentence: "The transfer failed with an unknown error of libcurl.")
    }

    /// The sentence for a defect of the response itself that libcurl reports under a code with another meaning; nil if
    /// there is none. A bad chunk has the code of a broken connection. A head beyond libcurl's limits has that code
    /// too, or the code for lack of memory (libcurl 7), or a code of its own (libcurl 8). libcurl's words are examined
    /// but never repeated.
    static func malformation(_ code: CURLcode, said: String, hasHead: Bool) -> String? {
        let words = said.lowercased()
        switch code {
        case CURLE_RECV_ERROR where words.contains("chunk"): return "The chunks of the answer's body could not be read."
        case CURLE_RECV_ERROR where words.contains("too large response header"): return largeHead
        case CURLE_OUT_OF_MEMORY where !hasHead: return largeHead
        case CURLcode(rawValue: 100): return largeHead
        default: return nil
        }
    }

    private static let largeHead = "The head of the answer is too large."

    /// Every code that can end our transfers, ordered by stage.
    static let table: [(code: CURLcode, meaning: Meaning)] = [
        row(CURLE_COULDNT_RESOLVE_HOST, .resolve, "The host's name has no address."),
        row(CURLE_COULDNT_RESOLVE_PROXY, .resolve, "The proxy's name has no address."),

        row(CURLE_COULDNT_CONNECT, .connect, "No connection could be made."),
        row(CURLE_NO_CONNECTION_AVAILABLE, .connect, "No connection was free."),
        // The order's own URL was read before.
        row(CURLE_URL_MALFORMAT, .connect, "The proxy's URL could not be read."),
        row(CURLE_PROXY, .connect, "The proxy refused the connection."),

        row(CURLE_SSL_CONNECT_ERROR, .secure, "The TLS handshake failed."),
        row(
            CURLE_PEER_FAILED_VERIFICATION, .secure,
            "The server's certificate is not valid, or no known authority vouches for it (providers.<name>.ca)."),
        row(CURLE_SSL_CACERT_BADFILE, .secure, "The file of certificate authorities could not be read."),
        row(CURLE_SSL_CIPHER, .secure, "No common TLS cipher was found."),
        row(CURLE_SSL_CLIENTCERT, .secure, "The server asks for a client certificate."),
        row(CURLE_SSL_SHUTDOWN_FAILED, .secure, "The TLS connection could not be closed."),

        row(CURLE_SEND_ERROR, .send, "The connection broke while the request was sent."),
        row(CURLE_SEND_FAIL_REWIND, .send, "The request's body could not be sent again."),
        row(CURLE_READ_ERROR, .send, "The request's body could not be read."),
        row(CURLE_UPLOAD_FAILED, .send, "The request's body could not be sent."),
        row(CURLE_FAILED_INIT, .send, "libcurl could not be started."),
        row(CURLE_OUT_OF_MEMORY, .send, "There was not enough memory for the transfer."),
        row(CURLE_NOT_BUILT_IN, .send, "This libcurl lacks a feature that the transfer needs."),
        row(CURLE_UNKNOWN_OPTION, .send, "This libcurl lacks an option that the transfer needs."),
        row(CURLE_SETOPT_OPTION_SYNTAX, .send, "libcurl cannot read the value of an option of the transfer."),

        row(CURLE_GOT_NOTHING, .receive, "The connection was closed without an answer."),
        row(CURLE_RECV_ERROR, .receive, "The connection broke while the answer was received."),
        row(CURLE_PARTIAL_FILE, .receive, "The answer was cut off."),
        row(CURLE_UNRECOVERABLE_POLL, .receive, "The connection could not be waited for."),

        // The loop's timer enforces the order's deadline. libcurl reports only its connect timeout.
        row(CURLE_OPERATION_TIMEDOUT, .timedOut, "No connection was made in time."),

        // MAXFILESIZE is never set, so the length itself is out of range.
        row(CURLE_FILESIZE_EXCEEDED, .tooLarge, "The length of the answer is out of range."),

        // Schemes are checked before, so the unsupported protocol is that of the response.
        row(CURLE_UNSUPPORTED_PROTOCOL, .malformed, "The answer is not HTTP/1."),
        row(CURLE_WEIRD_SERVER_REPLY, .malformed, "The answer is not valid HTTP."),
        // libcurl's own store of fields takes a continuation line without a first line for a wrong argument. Our wrong
        // arguments are found when options are set, before anything is sent.
        row(CURLE_BAD_FUNCTION_ARGUMENT, .malformed, "The answer's head could not be read."),
        row(CURLE_BAD_CONTENT_ENCODING, .malformed, "The answer's coding could not be read."),
        row(CURLE_WRITE_ERROR, .malformed, "The answer was refused while it was received."),

        row(CURLE_LOGIN_DENIED, .forbidden, "The URL holds credentials."),

        row(CURLE_ABORTED_BY_CALLBACK, .cancelled, "The transfer was cancelled."),
    ]

    private static func row(
        _ code: CURLcode, _ stage: FetchError.Stage, _ sentence: String
    ) -> (code: CURLcode, meaning: Meaning) {
        (code, Meaning(stage: stage, sentence: sentence))
    }
}
