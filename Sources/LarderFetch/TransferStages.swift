// How long the stages of a transfer took, by libcurl's own clocks (https://curl.se/libcurl/c/curl_easy_getinfo.html, TIMES).
// Those clocks count from the transfer's beginning, each to the end of its stage.
import CCurl
import LarderCore

/// The stages of a transfer; nil is one that it did not have.
struct TransferStages: Sendable, Equatable {
    /// The words of the stages, as metrics and explanations tell them.
    enum Stage: String, Sendable, CaseIterable {
        /// The host's name was looked up.
        case name
        /// The TCP connection was made.
        case connect
        /// The TLS handshake was done.
        case tls
        /// From the request to the first byte of the answer.
        case answer
        /// From the first byte of the answer to its last.
        case body
    }

    /// In microseconds.
    private(set) var took: [(stage: Stage, microseconds: Int64)] = []

    /// Of libcurl's times in microseconds; 0 is what did not happen. A kept connection has no times before the request.
    // More than six parameters: one for each of libcurl's times.
    init(name: Int64, connect: Int64, tls: Int64, request: Int64, answer: Int64, total: Int64, isFresh: Bool) {
        if isFresh, connect > 0 {
            took.append((.name, name))
            took.append((.connect, connect - name))
            if tls > 0 { took.append((.tls, tls - connect)) }
        }
        guard answer > 0 else { return }
        took.append((.answer, answer - request))
        if total > 0 { took.append((.body, total - answer)) }
    }

    /// Reads them of a transfer that has ended.
    init(_ easy: UnsafeMutableRawPointer, isFresh: Bool) {
        func time(_ info: CURLINFO) -> Int64 {
            var time: curl_off_t = 0
            return larder_easy_get_offset(easy, info, &time) == CURLE_OK ? Int64(time) : 0
        }
        self.init(
            name: time(CURLINFO_NAMELOOKUP_TIME_T), connect: time(CURLINFO_CONNECT_TIME_T),
            tls: time(CURLINFO_APPCONNECT_TIME_T), request: time(CURLINFO_PRETRANSFER_TIME_T),
            answer: time(CURLINFO_STARTTRANSFER_TIME_T), total: time(CURLINFO_TOTAL_TIME_T), isFresh: isFresh)
    }

    static func == (left: TransferStages, right: TransferStages) -> Bool {
        left.took.elementsEqual(right.took) { $0 == $1 }
    }
}
