// Content codings (RFC 9110 §8.4, §12.5.3). A client that accepts gzip gets the body as received. Any other client gets
// the decoded body with a different validator.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let codings: [WireClause] = [
        coded(
            "RFC 9110 §12.5.3", .must, "a client that accepts gzip gets the body and validator of the origin",
            asking: "Accept-Encoding: gzip\r\n", plain: false),
        coded(
            "RFC 9110 §12.5.3", .must, "gzip is recognized among other codings with weights",
            asking: "Accept-Encoding: br;q=1, gzip;q=0.5, *;q=0\r\n", plain: false),
        coded(
            "RFC 9110 §12.5.3", .must, "coding names are not case-sensitive", asking: "Accept-Encoding: GZip\r\n",
            plain: false),
        coded(
            "RFC 9110 §12.5.3", .should, "a client that gives gzip the weight zero gets the decoded body",
            asking: "Accept-Encoding: gzip;q=0\r\n",
            plain: true),
        coded(
            "RFC 9110 §12.5.3", .should, "other spellings of the weight zero count too",
            asking: "Accept-Encoding: deflate, gzip ; q=0.000\r\n", plain: true),
        coded(
            "RFC 9110 §12.5.3", .should, "an empty Accept-Encoding accepts only identity",
            asking: "Accept-Encoding:\r\n", plain: true),
        coded(
            "RFC 9110 §12.5.3", .should, "a client that accepts only identity gets the decoded body",
            asking: "Accept-Encoding: identity\r\n",
            plain: true),
        coded(
            "RFC 9110 §12.5.3", .may, "a client without Accept-Encoding gets the decoded body", asking: "", plain: true),
        WireClause("RFC 9110 §8.8.3", .must, "the decoded body does not carry the strong validator of the coded body") {
            stand in
            stand.answers(gzipAnswer(page))
            for order in [["gzip", "identity"], ["identity", "gzip"]] {
                let target = stand.fresh()
                for _ in 0..<2 {
                    for coding in order {
                        let answer = try await stand.ask("GET", target, "Accept-Encoding: \(coding)\r\n")
                        answer.expect(.only("ETag", coding == "gzip" ? "\"v1\"" : "W/\"v1\""))
                    }
                }
            }
        },
        WireClause("RFC 9110 §12.5.5", .must, "a response selected by Accept-Encoding names it in Vary") { stand in
            // An origin without Vary did not choose by Accept-Encoding. Then this cache chooses, since it has both
            // forms.
            for fields in ["Cache-Control: max-age=600\r\n", "Cache-Control: no-store\r\n", page] {
                stand.answers(gzipAnswer(fields))
                let target = stand.fresh()
                for _ in 0..<2 {
                    for coding in ["gzip", "identity"] {
                        let answer = try await stand.ask("GET", target, "Accept-Encoding: \(coding)\r\n")
                        answer.expect(.fieldHas("Vary", "accept-encoding"))
                    }
                }
            }
        },
        WireClause("RFC 9110 §7.7", .mustNot, "with no-transform, the body is sent unchanged to every client") {
            stand in
            for fields in ["Cache-Control: max-age=600, no-transform\r\n", "Cache-Control: no-store, no-transform\r\n"]
            {
                stand.answers(gzipAnswer(fields))
                for asking in ["Accept-Encoding: gzip\r\n", "Accept-Encoding: identity\r\n", ""] {
                    for _ in 0..<2 {
                        let answer = try await stand.ask("GET", "/\(fields.count)", asking)
                        answer.expect(
                            .status(200), .content(gzipped), .only("Content-Encoding", "gzip"), .only("ETag", "\"v1\""))
                    }
                }
            }
        },
        WireClause("RFC 9110 §14.2", .must, "a range selects bytes of the body that the client would get as a whole") {
            stand in
            stand.answers(gzipAnswer(page))
            try await stand.ask("GET", "/a", "Accept-Encoding: gzip\r\n")
            let coded = try await stand.ask("GET", "/a", "Accept-Encoding: gzip\r\nRange: bytes=0-3\r\n")
            coded.expect(
                .status(206), .content(Bytes(gzipped[..<4])), .field("Content-Range", "bytes 0-3/\(gzipped.count)"))
            let plain = try await stand.ask("GET", "/a", "Accept-Encoding: identity\r\nRange: bytes=0-3\r\n")
            plain.expect(.statusIn([200, 206]), .lacks("Content-Encoding"))
            plain.expect(.content(plain.status == 206 ? Bytes(plainText[..<4]) : plainText))
            if plain.status == 206 { plain.expect(.field("Content-Range", "bytes 0-3/\(plainText.count)")) }
        },
        WireClause(
            "RFC 9110 §13.1.5", .mustNot, "a strong If-Range tag of the coded body does not match the decoded body"
        ) {
            stand in
            stand.answers(gzipAnswer(page))
            try await stand.ask("GET", "/a", "Accept-Encoding: gzip\r\n")
            let answer = try await stand.ask(
                "GET", "/a", "Accept-Encoding: identity\r\nRange: bytes=0-3\r\nIf-Range: \"v1\"\r\n")
            answer.expect(.status(200), .content(plainText))
        },
        WireClause("RFC 9110 §13.1.2", .must, "the weak tag of the decoded body matches in If-None-Match") { stand in
            stand.answers(gzipAnswer(page))
            try await stand.ask("GET", "/a", "Accept-Encoding: gzip\r\n")
            for tag in ["W/\"v1\"", "\"v1\""] {
                let answer = try await stand.ask("GET", "/a", "Accept-Encoding: identity\r\nIf-None-Match: \(tag)\r\n")
                answer.expect(.status(304), .only("ETag", "W/\"v1\""))
            }
        },
        WireClause("RFC 9110 §9.3.2", .should, "HEAD gets the same fields as a GET of the same client") { stand in
            stand.answers(gzipAnswer(page))
            for coding in ["gzip", "identity"] {
                let get = try await stand.ask("GET", "/a", "Accept-Encoding: \(coding)\r\n")
                let head = try await stand.ask("HEAD", "/a", "Accept-Encoding: \(coding)\r\n")
                for name in ["ETag", "Content-Encoding", "Vary"] { expectSame(head[name], get[name]) }
                head.expect(.fieldIn("Content-Length", [nil, get["Content-Length"]]))
            }
        },
        WireClause("RFC 9110 §8.4", .mustNot, "a body with an unknown coding is passed on and not decoded") { stand in
            stand.answers(whole("coded", page + "Content-Encoding: x-odd\r\nETag: \"v1\"\r\n"))
            for asking in ["", "Accept-Encoding: identity\r\n"] {
                try await stand.ask("GET", "/a", asking)
                    .expect(.status(200), .body("coded"), .only("Content-Encoding", "x-odd"), .only("ETag", "\"v1\""))
            }
        },
        WireClause("RFC 9110 §8.4", .mustNot, "a body that is labeled gzip but is not gzip is not decoded") { stand in
            stand.answers(whole("not gzip at all", page + "Content-Encoding: gzip\r\n"))
            let answer = try await stand.ask("GET", "/a", "Accept-Encoding: identity\r\n")
            answer.expect(.statusIn([200, 502]))
            if answer.status == 200 { answer.expect(.body("not gzip at all"), .only("Content-Encoding", "gzip")) }
        },
    ]

    private static let page = "Cache-Control: max-age=600\r\nVary: Accept-Encoding\r\n"

    private static func coded(_ section: String, _ level: Level, _ says: String, asking: String, plain: Bool)
        -> WireClause
    {
        WireClause(section, level, says) { stand in
            for fields in [page, "Cache-Control: no-store\r\nVary: Accept-Encoding\r\n"] {
                // The origin sends gzip whatever the request says.
                stand.answers(gzipAnswer(fields))
                for _ in 0..<3 {
                    let answer = try await stand.ask("GET", "/\(fields.count)", asking)
                    answer.expect(.status(200), .content(plain ? plainText : gzipped))
                    if plain {
                        answer.expect(.lacks("Content-Encoding"), .only("ETag", "W/\"v1\""))
                    } else {
                        answer.expect(.only("Content-Encoding", "gzip"), .only("ETag", "\"v1\""))
                    }
                    answer.expect(.fieldHas("Vary", "accept-encoding"), .isFramedOnce)
                }
            }
        }
    }

    private static let plainText = Bytes("the plain text, the plain text, the plain text".utf8)
    private static let gzipped: Bytes = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2B, 0xC9, 0x48, 0x55, 0x28, 0xC8, 0x49, 0xCC,
        0xCC, 0x53, 0x28, 0x49, 0xAD, 0x28, 0xD1, 0x51, 0x28, 0xC1, 0xCB, 0x07, 0x00, 0xFE, 0xB7, 0xCF, 0x30, 0x2E,
        0x00, 0x00, 0x00,
    ]

    private static func gzipAnswer(_ fields: String) -> Bytes {
        whole(gzipped, fields + "Content-Encoding: gzip\r\nETag: \"v1\"\r\nContent-Type: text/plain\r\n")
    }
}
