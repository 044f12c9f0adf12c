// How long the stages of a transfer took, by libcurl's own clocks (https://curl.se/libcurl/c/curl_easy_getinfo.html, TIMES).
// Those clocks count from the transfer's beginning, each to the end of its stage.
import CCurl
import LarderCore

/// The stages of a transfer; nil is one that it did not have.
struct TransferStages: Sendable, Equatable {
    /// One stage; in microseconds since the transfer's beginning.
    struct Took: Sendable, Equatable {
        var stage: Timeline.Stage
        var start: Int64
        var microseconds: Int64
    }

    private(set) var took: [Took] = []

    /// Of libcurl's times in microseconds; 0 is what did not happen. A kept connection has no times before the request. The
    /// stage in which a transfer ended counts as well: it took the rest of its time.
    // More than six parameters: one for each of libcurl's times.
    init(name: Int64, connect: Int64, tls: Int64, request: Int64, answer: Int64, total: Int64, isFresh: Bool) {
        var last: Int64 = 0
        func end(_ stage: Timeline.Stage, at time: Int64) -> Bool {
            let isOver = time > 0
            let end = isOver ? time : total
            if end > last || isOver { took.append(Took(stage: stage, start: last, microseconds: max(0, end - last))) }
            last = max(last, end)
            return isOver
        }
        // What ended before its request was sent had no connection.
        if isFresh || request == 0 {
            guard end(.name, at: name), end(.connect, at: connect) else { return }
            if tls > 0 || request == 0 { guard end(.tls, at: tls) else { return } }
        }
        last = max(last, request)
        guard end(.answer, at: answer) else { return }
        if total > 0 { took.append(Took(stage: .body, start: answer, microseconds: max(0, total - answer))) }
    }

    /// Reads them of a transfer that has ended.
    /// - Parameters:
    ///   - elapsed: where it was cut, how long it lasted until then: libcurl's own total may be of an earlier instant.
    ///   - firstByte: when the answer began, where libcurl does not tell it.
    init(_ easy: UnsafeMutableRawPointer, isFresh: Bool, elapsed: Duration?, firstByte: Duration? = nil) {
        func time(_ info: CURLINFO) -> Int64 {
            var time: curl_off_t = 0
            return larder_easy_get_offset(easy, info, &time) == CURLE_OK ? Int64(time) : 0
        }
        self.init(
            name: time(CURLINFO_NAMELOOKUP_TIME_T), connect: time(CURLINFO_CONNECT_TIME_T),
            tls: time(CURLINFO_APPCONNECT_TIME_T), request: time(CURLINFO_PRETRANSFER_TIME_T),
            answer: max(time(CURLINFO_STARTTRANSFER_TIME_T), firstByte?.wholeMicroseconds ?? 0),
            total: max(time(CURLINFO_TOTAL_TIME_T), elapsed?.wholeMicroseconds ?? 0), isFresh: isFresh)
    }

    /// Tells each stage of a transfer that began at that time.
    func tell(_ listener: (Timeline.Stage, MonotonicTime, MonotonicTime) -> Void, since began: MonotonicTime) {
        for stage in took {
            let start = began + .microseconds(stage.start)
            listener(stage.stage, start, start + .microseconds(stage.microseconds))
        }
    }
}
