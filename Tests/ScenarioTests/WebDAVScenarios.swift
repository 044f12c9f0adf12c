// Requests that name another resource of the same server (RFC 4918 §10.3, §10.4), below /raw and on a listener of the
// provider's own: the origin gets its own names, and no resource outside of the base URL is named.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct WebDAVScenarios {
    private static func settings(_ origin: ScriptedOrigin) -> String {
        "providers: { dav: { kind: passthrough, baseURL: \"\(origin.base)/base\" } }"
    }

    private static func origin() -> ScriptedOrigin {
        ScriptedOrigin { _ in [.send(ok("done", fields: "Cache-Control: max-age=600\r\n"))] }
    }

    @Test(arguments: [
        "http://localhost/raw/dav/b%20c?d=e", "/raw/dav/b%20c?d=e", "https://LOCALHOST/raw/dav/./b%20c?d=e",
    ])
    func theOriginGetsItsOwnNameOfADestination(_ destination: String) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let fields = [("Destination", destination), ("Overwrite", "T")]
            let answer = try await larder.send("MOVE", "/raw/dav/a", fields: fields)
            #expect(answer.status == 200, "\(answer)")
            #expect(origin.requests.map { $0.field("Destination") } == ["\(origin.base)/base/b%20c?d=e"])
        }
    }

    @Test func theAPIsOwnURLIsADestinationToo() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let own = "\(origin.base)/base/b"
            let answer = try await larder.send("COPY", "/raw/dav/a", fields: [("Destination", own)])
            #expect(answer.status == 200 && origin.requests.map { $0.field("Destination") } == [own], "\(answer)")
        }
    }

    @Test(arguments: [
        ("http://localhost/raw/other/b", 403), ("/b", 403), ("/raw/dav/../other/b", 403),
        ("http://localhost:1/raw/dav/b", 502),
        ("http://elsewhere.example/b", 502), ("b", 400), ("", 400), ("ftp://localhost/raw/dav/b", 400),
        ("/raw/dav/%2e%2e/b", 400), ("/raw/dav/b#f", 400), ("http://localhost/raw/dav/b?d=e#f", 400),
    ])
    func anotherDestinationIsRefusedBeforeAnythingIsSent(_ destination: String, _ status: Int) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let fields = [("Destination", destination)]
            let answer = try await larder.send("MOVE", "/raw/dav/a", fields: fields)
            #expect(answer.status == status, "\(answer)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [("http", 200), ("https", 502)])
    func onThePortThatWasAskedWithoutTLSHttpsIsAnotherServer(_ scheme: String, _ status: Int) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let head = "MOVE /raw/dav/a HTTP/1.1\r\nHost: localhost:8787\r\nConnection: close\r\n"
            let bytes = Bytes(text: head + "Destination: \(scheme)://localhost:8787/raw/dav/b\r\n\r\n")
            let answer = try await larder.send(bytes: bytes)
            #expect(answer.status == status, "\(answer)")
            #expect(origin.requests.count == (status == 200 ? 1 : 0))
        }
    }

    @Test func theOriginGetsItsOwnNamesInIf() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let lists = "(<urn:uuid:1> [\"(<a>\"]) (Not <DAV:no-lock>)"
            let given = "</raw/dav/a> \(lists) <http://localhost/raw/dav/b> \(lists) <http://other/c> (<x:y>)"
            let answer = try await larder.send("DELETE", "/raw/dav/a", fields: [("If", given)])
            #expect(answer.status == 200, "\(answer)")
            let base = "\(origin.base)/base"
            #expect(
                origin.requests.map { $0.field("If") } == [
                    "<\(base)/a> \(lists) <\(base)/b> \(lists) <http://other/c> (<x:y>)"
                ])
        }
    }

    @Test func aDestinationIsInvalidatedThoughNoAnswerCame() async throws {
        let origin = ScriptedOrigin { request in
            request.head.hasPrefix("MOVE") ? [.close] : [.send(ok("done", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let stored = ["/raw/dav/a/x", "/raw/dav/b", "/raw/dav/b/x"]
            for path in stored { _ = try await larder.get(path) }
            let fields = [("Destination", "/raw/dav/b")]
            let answer = try await larder.send("MOVE", "/raw/dav/a", fields: fields)
            #expect(answer.status == 502, "\(answer)")
            for path in stored {
                let again = try await larder.get(path)
                #expect(again["Cache-Status"]?.hasPrefix("larder; fwd=uri-miss") == true, "\(path): \(again)")
            }
        }
    }

    @Test func onAListenerOfItsOwnAnyPathIsADestination() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: dav }"#]
        try await withLarder(Self.settings(origin), listen: listen) { larder in
            let bound = larder.addresses[1]
            let fields = [("Destination", "http://localhost/b")]
            let answer = try await larder.send("MOVE", "/a", fields: fields, to: bound)
            #expect(answer.status == 200, "\(answer)")
            #expect(origin.requests.map { $0.field("Destination") } == ["\(origin.base)/base/b"])
        }
    }
}
