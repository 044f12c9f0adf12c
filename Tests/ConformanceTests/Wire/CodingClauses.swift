// Content codings (RFC 9110 §8.4, §12.5.3). A client gets the bytes, the validator and the ranges of the form that the
// origin chose for it. Nothing is decoded.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let codings: [WireClause] = [
        chosen(
            .must, "a client that accepts gzip gets the body and validator of the origin",
            asking: "Accept-Encoding: gzip\r\n", plain: false),
        chosen(
            .must, "gzip is recognized among other codings with weights",
            asking: "Accept-Encoding: br;q=1, gzip;q=0.5, *;q=0\r\n", plain: false),
        chosen(.must, "coding names are not case-sensitive", asking: "Accept-Encoding: GZip\r\n", plain: false),
        chosen(
            .should, "a client that gives gzip the weight zero gets the plain body after a client with gzip",
            asking: "Accept-Encoding: gzip;q=0\r\n", plain: true),
        chosen(
            .should, "other spellings of the weight zero count too",
            asking: "Accept-Encoding: deflate, gzip ; q=0.000\r\n", plain: true),
        chosen(.should, "an empty Accept-Encoding accepts only identity", asking: "Accept-Encoding:\r\n", plain: true),
        chosen(
            .should, "a client that accepts only identity gets the plain body after a client with gzip",
            asking: "Accept-Encoding: identity\r\n", plain: true),
        chosen(
            .may, "a client without Accept-Encoding gets the plain body after a client with gzip", asking: "",
            plain: true),
        WireClause(
            "RFC 9110 §12.5.3", .may, "a coding that was not asked for is passed on as it is, with its fields"
        ) { stand in
            for control in ["max-age=600", "max-age=600, no-transform", "no-store", "private, max-age=600"] {
                for vary in ["", "Vary: Accept-Encoding\r\n"] {
                    stand.answers(gzipAnswer("Cache-Control: \(control)\r\n\(vary)\(digests)"))
                    let target = stand.fresh()
                    try await stand.ask("GET", target, "Accept-Encoding: gzip\r\n")
                    for asking in ["", "Accept-Encoding: identity\r\n", "Accept-Encoding: gzip;q=0\r\n"] {
                        for method in ["GET", "HEAD", "GET"] {
                            let answer = try await stand.ask(method, target, asking)
                            answer.expect(
                                .status(200), .content(method == "GET" ? gzipped : []),
                                .only("Content-Encoding", "gzip"), .only("ETag", "\"v1\""), .has("Content-Digest"),
                                .has("Repr-Digest"))
                            if vary.isEmpty { answer.expect(.lacks("Vary")) }
                        }
                    }
                }
            }
        },
        WireClause("RFC 9110 §8.8.3", .must, "a strong tag stays strong for a client of another coding") { stand in
            stand.converses { try negotiate($0, page) }
            for order in [["gzip", "identity"], ["identity", "gzip"]] {
                let target = stand.fresh()
                for _ in 0..<2 {
                    for coding in order {
                        let answer = try await stand.ask("GET", target, "Accept-Encoding: \(coding)\r\n")
                        answer.expect(.only("ETag", "\"v1\""))
                    }
                }
            }
        },
        WireClause("RFC 9110 §13.1.1", .must, "the tag that a client was given matches in its If-Match") { stand in
            for fields in [page, "Cache-Control: max-age=600\r\n"] {
                stand.converses { wire in
                    try negotiate(wire, fields) { request in
                        guard request.method == "PUT" else { return nil }
                        let isSame = request.value("If-Match") == "\"v1\""
                        return "HTTP/1.1 \(isSame ? 204 : 412) Told\r\nContent-Length: 0\r\n\r\n"
                    }
                }
                let target = stand.fresh()
                for asking in ["Accept-Encoding: gzip\r\n", "", "Accept-Encoding: identity\r\n"] {
                    let read = try await stand.ask("GET", target, asking)
                    let tag = read.value("ETag") ?? ""
                    // The next client finds what this one left, so nothing is changed yet.
                    let mark = "If-Match: \(tag)\r\nContent-Length: 0\r\n"
                    if asking != "Accept-Encoding: gzip\r\n" {
                        try await stand.ask("PUT", target, mark).expect(.status(204))
                        try await stand.ask("GET", target, "Accept-Encoding: gzip\r\n")
                    }
                }
            }
        },
        WireClause("RFC 9110 §12.5.5", .must, "a response in a coding that was asked for names Accept-Encoding in Vary")
        { stand in
            for fields in ["Cache-Control: max-age=600\r\n", "Cache-Control: no-store\r\n", page] {
                stand.answers(gzipAnswer(fields))
                let target = stand.fresh()
                for _ in 0..<3 {
                    let answer = try await stand.ask("GET", target, "Accept-Encoding: gzip\r\n")
                    answer.expect(.fieldHas("Vary", "accept-encoding"))
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
            for isNegotiated in [true, false] {
                for fields in [page, "Cache-Control: max-age=600\r\n"] {
                    stand.converses { isNegotiated ? try negotiate($0, fields) : try always($0, fields) }
                    let target = stand.fresh()
                    for asking in ["Accept-Encoding: gzip\r\n", "Accept-Encoding: identity\r\n", ""] {
                        let whole = isNegotiated && !asking.contains("gzip") ? plainText : gzipped
                        try await stand.ask("GET", target, asking).expect(.content(whole))
                        let part = try await stand.ask("GET", target, asking + "Range: bytes=0-3\r\n")
                        part.expect(
                            .status(206), .content(Bytes(whole[..<4])),
                            .field("Content-Range", "bytes 0-3/\(whole.count)"),
                            whole == gzipped ? .only("Content-Encoding", "gzip") : .lacks("Content-Encoding"))
                    }
                }
            }
        },
        WireClause("RFC 9110 §13.1.5", .must, "a strong tag matches in the If-Range of a client of another coding") {
            stand in
            stand.converses { try negotiate($0, page) }
            try await stand.ask("GET", "/a", "Accept-Encoding: gzip\r\n")
            try await stand.ask("GET", "/a", "Accept-Encoding: identity\r\n")
            let answer = try await stand.ask(
                "GET", "/a", "Accept-Encoding: identity\r\nRange: bytes=0-3\r\nIf-Range: \"v1\"\r\n")
            answer.expect(.status(206), .content(Bytes(plainText[..<4])))
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
        WireClause("RFC 9110 §8.4.1.3", .must, "x-gzip is gzip, and a client that accepts gzip gets it as received") {
            stand in
            for fields in ["Cache-Control: max-age=600\r\n", "Cache-Control: no-store\r\n"] {
                stand.answers(whole(gzipped, fields + "Content-Encoding: x-gzip\r\nETag: \"v1\"\r\n"))
                for asking in ["Accept-Encoding: gzip\r\n", "Accept-Encoding: x-gzip\r\n", ""] {
                    try await stand.ask("GET", "/\(fields.count)", asking)
                        .expect(.content(gzipped), .only("Content-Encoding", "x-gzip"), .only("ETag", "\"v1\""))
                }
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
            answer.expect(.status(200), .body("not gzip at all"), .only("Content-Encoding", "gzip"))
        },
    ]

    private static let page = "Cache-Control: max-age=600\r\nVary: Accept-Encoding\r\n"
    /// The digest of `gzipped`.
    private static let digests =
        "Content-Digest: sha-256=:PzwUaacTgriHqggy69iBH1ktsD64ensnvb6hIOhNIsE=:\r\nRepr-Digest: sha-256=:PzwUaacTgriHqggy69iBH1ktsD64ensnvb6hIOhNIsE=:\r\n"

    /// An origin that chooses the form by `Accept-Encoding`. A client with gzip has asked before.
    private static func chosen(_ level: Level, _ says: String, asking: String, plain: Bool) -> WireClause {
        WireClause("RFC 9110 §12.5.3", level, says) { stand in
            for fields in [page, "Cache-Control: max-age=600\r\n", "Cache-Control: no-store\r\n"] {
                stand.converses { try negotiate($0, fields) }
                let target = stand.fresh()
                try await stand.ask("GET", target, "Accept-Encoding: gzip\r\n")
                for _ in 0..<3 {
                    let answer = try await stand.ask("GET", target, asking)
                    answer.expect(
                        .status(200), .content(plain ? plainText : gzipped), .only("ETag", "\"v1\""),
                        plain ? .lacks("Content-Encoding") : .only("Content-Encoding", "gzip"), .isFramedOnce)
                }
            }
        }
    }

    /// Answers with gzip if that is asked for, and with the same strong tag in both forms, as some origins do.
    private static func negotiate(
        _ wire: Wire, _ fields: String, other: (WireMessage) -> String? = { _ in nil }
    ) throws {
        let request = try wire.readRequest()
        if let other = other(request) { return try wire.send(other) }
        let isCoded = request.value("Accept-Encoding") == "gzip"
        try wire.send(
            isCoded ? gzipAnswer(fields) : whole(plainText, fields + "ETag: \"v1\"\r\nContent-Type: text/plain\r\n"))
    }

    private static func always(_ wire: Wire, _ fields: String) throws {
        _ = try wire.readRequest()
        try wire.send(gzipAnswer(fields))
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
