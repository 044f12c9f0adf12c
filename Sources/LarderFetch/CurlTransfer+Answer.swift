// The result of a transfer: its response so far, and its end. The end is judged by what was received, not by libcurl's
// code alone.
import CCurl
import LarderCore
import LarderHTTP
import LarderIO

extension CurlTransfer {
    /// The outcome of the transfer. Called once, after libcurl reported its end and before `close`.
    func end(_ code: CURLcode) -> TransferEnd {
        readUse()
        if let failure { return .failed(failure, sawAnswer: !head.isUntouched) }
        if limits.isConnection, code == CURLE_OK { takeConnection() }
        // A server that has sent its whole response may close without reading the rest of the request (RFC 9112 §9.6).
        // The response stays valid although libcurl could not send that rest.
        guard code == CURLE_OK || isAnsweredEarly else {
            if refusedAddress, !triedAddress {
                return .failed(fault(.forbidden, "The address of the host is not a public one."), sawAnswer: false)
            }
            if sends > 0,
                let fault = CurlError.malformation(code, said: String(cString: said), hasHead: head.framing != nil)
            {
                var error = self.fault(.malformed, fault)
                error.curlCode = Int(code.rawValue)
                return .failed(error, sawAnswer: true)
            }
            var error = CurlError.error(code, origin: origin)
            if sends == 0, error.stage == .receive || error.stage == .send, isProxied {
                error.stage = .connect
                error.message = "The proxy did not connect to the host."
            }
            return .failed(error, sawAnswer: !head.isUntouched)
        }
        // libcurl reports a missing or short body itself. We check again, so that "complete" never rests on the absence
        // of an error alone.
        switch head.framing {
        case nil:
            return .failed(fault(.receive, "The answer has no head."), sawAnswer: !head.isUntouched)
        case .length(let length) where Int64(received) != length:
            return .failed(CurlError.error(CURLE_PARTIAL_FILE, origin: origin), sawAnswer: true)
        case .length, .chunked, .untilClose, .some(.none):
            break
        }
        isReusable = code == CURLE_OK
        return .answered(answer(takingBody: true))
    }

    private func silent(_ fields: HeaderFields) -> HeaderFields {
        hop.secretQuery == nil ? fields : QuerySecrets(hop.secretQuery).removed(from: fields)
    }

    /// The response so far. Its head must be complete.
    func answer(takingBody: Bool = false) -> UpstreamResponse {
        var response = UpstreamResponse(
            status: head.status, reason: head.reason, fields: silent(head.fields), requestTime: requestTime,
            responseTime: responseTime, url: hop.url.text)
        if takingBody { (response.body, response.hold) = body.take() }
        return response
    }

    /// The final head, once it is complete.
    var finalHead: UpstreamHead? {
        guard let framing = head.framing else { return nil }
        var final = UpstreamHead(
            status: head.status, reason: head.reason, fields: silent(head.fields), requestTime: requestTime,
            responseTime: responseTime)
        final.isVersion10 = head.isVersion10
        final.interim = head.interim
        final.url = hop.url.text
        switch framing {
        case .none: final.length = 0
        case .length(let length): final.length = length
        case .chunked, .untilClose: final.length = nil
        }
        return final
    }

    /// Whether the final head is complete and the rest of the body is so short (at most 64 KiB) that reading it costs
    /// less than a new connection.
    var endsSoon: Bool {
        switch head.framing {
        case .some(.none): true
        case .length(let length): length - Int64(received) <= 64 * 1024
        case .chunked, .untilClose, nil: false
        }
    }

    /// Reads what libcurl knows of the transfer's connection and times. Must be called before the handle leaves its
    /// multi handle.
    /// - Parameter isCut: whether the transfer is cut, so that libcurl has not reported its end.
    func readUse(isCut: Bool = false) {
        var made = 0
        if let easy, larder_easy_get_long(easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK { connectionsMade = made }
        if let easy {
            stages = TransferStages(
                easy, isFresh: connectionsMade > 0, elapsed: isCut ? context.loop.monotonic - began : nil,
                // With a request body, libcurl counts the start of the response from the first byte that it sends.
                firstByte: hop.body != nil || feed != nil ? firstByte.map { $0 - began } : nil)
        }
    }
}
