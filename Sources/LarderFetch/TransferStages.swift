// The duration of the stages of a transfer, from libcurl's times (https://curl.se/libcurl/c/curl_easy_getinfo.html,
// TIMES). libcurl counts each time from the beginning of the transfer to the end of the stage.
import CCurl
import LarderCore

/// The stages of a transfer. A stage that the transfer did not have is missing.
struct TransferStages: Sendable, Equatable {
    /// One stage. Times are in microseconds; `start` counts from the beginning of the transfer.
    struct Took: Sendable, Equatable {
        var stage: Timeline.Stage
        var start: Int64
        var microseconds: Int64
    }

    private(set) var took: [Took] = []

    /// Computes the stages from libcurl's times in microseconds. A time of 0 means that the stage did not end. A
    /// transfer on a kept connection has no stages before the request. The stage in which a transfer ended gets the
    /// rest of its time.
    // More than six parameters: one for each of libcurl's times.
    init(name: Int64, connect: Int64, tls: Int64, request: Int64, answer: Int64, total: Int64, isFresh: Bool) {
        took.reserveCapacity(isFresh ? 5 : 2)
        var last: Int64 = 0
        func end(_ stage: Timeline.Stage, at time: Int64) -> Bool {
            let isOver = time > 0
            let end = isOver ? time : total
            if end > last || isOver { took.append(Took(stage: stage, start: last, microseconds: max(0, end - last))) }
            last = max(last, end)
            return isOver
        }
        // A transfer that ended before its request was sent had no connection yet.
        if isFresh || request == 0 {
            guard end(.name, at: name), end(.connect, at: connect) else { return }
            if tls > 0 || request == 0 { guard end(.tls, at: tls) else { return } }
        }
        last = max(last, request)
        guard end(.answer, at: answer) else { return }
        if total > 0 { took.append(Took(stage: .body, start: answer, microseconds: max(0, total - answer))) }
    }

    /// Reads the stages of a transfer that has ended.
    /// - Parameters:
    ///   - elapsed: the duration of a transfer that was cut, until the cut. libcurl's own total may be from an earlier
    ///     moment.
    ///   - firstByte: when the response began, if libcurl does not tell.
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

    /// Reports each stage of a transfer that began at `began`.
    func tell(_ watcher: any FetchWatcher, since began: MonotonicTime) {
        for stage in took {
            let start = MonotonicTime(nanoseconds: began.nanoseconds &+ stage.start &* 1000)
            let end = MonotonicTime(nanoseconds: start.nanoseconds &+ stage.microseconds &* 1000)
            watcher.took(stage.stage, from: start, to: end)
        }
    }
}
