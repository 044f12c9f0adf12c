// Fields in which Larder describes itself: Proxy-Status, Via and the two forms of Cache-Status.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsProxyTests {
    @Test(
        arguments: [
            (.resolve, 6, "dns_error"), (.connect, 7, "connection_refused"), (.secure, 35, "tls_protocol_error"),
            (.secure, 60, "tls_certificate_error"), (.send, 55, "connection_terminated"),
            (.receive, 56, "connection_terminated"), (.receive, 18, "http_response_incomplete"),
            (.timedOut, 28, "connection_timeout"), (.timedOut, 0, "http_response_timeout"),
            (.tooLarge, 0, "http_response_body_size"), (.malformed, 0, "http_protocol_error"),
            (.forbidden, 0, "destination_ip_prohibited"), (.overloaded, 0, "connection_limit_reached"),
            (.cancelled, 0, "proxy_internal_error"),
        ] as [(FetchError.Stage, Int, String)])
    func failureHasItsRegisteredType(_ stage: FetchError.Stage, _ code: Int, _ expected: String) {
        let failure = FetchError(stage: stage, origin: "http://h", curlCode: code, message: "m")
        #expect(ProxyStatus.render(failure) == "larder; error=\(expected)")
    }

    @Test func detailsAreAlwaysAString() throws {
        let text = ProxyStatus.render(.proxyLoopDetected, details: "a \"b\" \\ \u{E9}\n", receivedStatus: 508)
        #expect(text == #"larder; error=proxy_loop_detected; received-status=508; details="a \"b\" \\ ??""#)
        #expect(StructuredField.list([text])?.count == 1)
        #expect(ProxyStatus.render(.dnsError, details: "") == "larder; error=dns_error")
    }

    @Test func viaComesBehindTheOthers() {
        var fields: HeaderFields = ["Via": "1.0 a, 1.1 b", "X": "1"]
        Via.append(to: &fields, version: "1.1")
        #expect(fields == ["Via": "1.0 a, 1.1 b", "X": "1", "Via": "1.1 larder"])
    }

    @Test func circleIsSeenByMoreThanEightOfUs() {
        var fields: HeaderFields = ["Via": "1.1 larder (a, 1.1 larder, (1.1 larder)), 1.0 LARDER, HTTP/1.1 larder x"]
        for _ in 0..<5 { Via.append(to: &fields, version: "1.1") }
        #expect(!Via.isLoop(fields))
        Via.append(to: &fields, version: "1.1")
        #expect(Via.isLoop(fields))
        #expect(!Via.isLoop(["Via": Array(repeating: "1.1 larders, 1.1 x (larder)", count: 20).joined(separator: ",")]))
        #expect(!Via.isLoop([:]))
    }

    @Test(arguments: [
        (CacheStatus.hit(ttl: 9), "larder; hit; ttl=9"),
        (
            CacheStatus.hit(ttl: -9, detail: "stale-while-revalidate"),
            "larder; hit; ttl=-9; detail=stale-while-revalidate"
        ),
        (
            CacheStatus.forwarded(.uriMiss, status: 200, ttl: 60, stored: true),
            "larder; fwd=uri-miss; fwd-status=200; stored; ttl=60"
        ),
        (
            CacheStatus.forwarded(.stale, status: 304, ttl: 60, stored: true),
            "larder; fwd=stale; fwd-status=304; ttl=60"
        ),
        (
            CacheStatus.forwarded(.stale, status: 503, ttl: -5, detail: "stale-if-error"),
            "larder; fwd=stale; fwd-status=503; ttl=-5; detail=stale-if-error"
        ),
        (CacheStatus.forwarded(.varyMiss, collapsed: true), "larder; fwd=vary-miss; collapsed"),
        (CacheStatus.forwarded(.method, status: 1000), "larder; fwd=method"),
        (CacheStatus.hit(ttl: .min), "larder; hit; ttl=-999999999999999"),
    ])
    func cacheStatusSaysHitOrForward(_ text: String, _ expected: String) {
        #expect(text == expected)
        #expect(StructuredField.list([text])?.count == 1)
    }

    @Test func notModifiedLeavesOutWhatDescribesTheBody() {
        let stored: HeaderFields = [
            "Content-Type": "a/b", "ETag": "\"a\"", "Last-Modified": "x", "Vary": "A", "content-length": "1",
            "Content-Location": "/x", "Content-Encoding": "gzip", "X-A": "1",
        ]
        #expect(
            NotModified.fields(of: stored) == ["ETag": "\"a\"", "Vary": "A", "Content-Location": "/x", "X-A": "1"])
        #expect(NotModified.fields(of: ["Last-Modified": "x"]) == ["Last-Modified": "x"])
    }
}
