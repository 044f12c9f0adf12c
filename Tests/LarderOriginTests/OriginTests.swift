// The stand-in over real sockets: it answers as the live APIs do, and misbehaves when and how a test tells it to.
import Glibc
import LarderCore
import LarderIO
import LarderOrigin
import LarderTestSupport
import Testing

/// Runs the body with a started stand-in.
func withOrigin<Result>(
    _ source: OriginSource = .samples, rewrites: Bool = false, _ body: (OriginServer) async throws -> Result
) async throws -> Result {
    let server = try OriginServer(source: source, rewritesImageHosts: rewrites)
    try server.start()
    defer { server.stop() }
    return try await body(server)
}

@Suite struct OriginTests {
    private func results(_ answer: PlainAnswer) throws -> [JSONValue] {
        Array(try #require(try JSON.parse(answer.body)["results"]).elements)
    }

    @Test func theStoreAnswersLikeTheStore() async throws {
        try await withOrigin { server in
            let answer = try PlainClient.get(server, "/itunes/search?term=jack%20johnson")
            #expect(answer.status == 200)
            #expect(answer.fields.first("Content-Type") == "text/javascript; charset=utf-8")
            #expect(answer.fields.first("Cache-Control") == "max-age=86400")
            #expect(answer.body.starts(with: Bytes(text: "\n\n\n{")))
            let songs = try results(answer)
            #expect(songs.count == 16)
            #expect(songs.allSatisfy { $0["kind"]?.string == "song" && $0["currency"]?.string == "USD" })
            #expect(try results(PlainClient.get(server, "/itunes/search?term=JACK+johnson&limit=3")).count == 3)
            #expect(try results(PlainClient.get(server, "/itunes/search?term=jack&entity=album")).count == 2)
            #expect(try results(PlainClient.get(server, "/itunes/search?term=alice&entity=ebook")).count == 2)
            #expect(try results(PlainClient.get(server, "/itunes/search?term=nobody+knows")).isEmpty)
            #expect(try results(PlainClient.get(server, "/itunes/lookup?id=1440857780&entity=song")).count == 11)
            let wrong = try PlainClient.get(server, "/itunes/search?term=x&entity=ebookss")
            #expect(wrong.status == 400)
            #expect(try JSON.parse(wrong.body)["errorMessage"]?.string == "Invalid value(s) for key(s): [resultEntity]")
        }
    }

    @Test func theNewsNeedAKeyAndAFilter() async throws {
        try await withOrigin { server in
            let nobody = try PlainClient.get(server, "/newsapi/v2/top-headlines?country=us")
            #expect(nobody.status == 401)
            #expect(try JSON.parse(nobody.body)["code"]?.string == "apiKeyMissing")
            func ask(_ target: String) throws -> PlainAnswer {
                try PlainClient.get(server, "/newsapi/v2/\(target)", fields: ["X-Api-Key": "k"])
            }
            #expect(try JSON.parse(ask("top-headlines?country=us").body)["articles"]?.count == 7)
            #expect(try JSON.parse(ask("top-headlines?category=business").body)["articles"]?.count == 2)
            #expect(try JSON.parse(ask("top-headlines?country=fr").body)["totalResults"]?.integer == 0)
            #expect(try JSON.parse(ask("everything?q=octopus").body)["articles"]?.count == 1)
            #expect(try JSON.parse(ask("sources").body)["sources"]?.count == 6)
            #expect(try ask("everything?q=cache&page=2&pageSize=100").status == 426)
            let empty = try ask("top-headlines")
            #expect(empty.status == 400)
            #expect(try JSON.parse(empty.body)["code"]?.string == "parametersMissing")
        }
    }

    @Test func theRulesHaveListsRecordsAndTags() async throws {
        try await withOrigin { server in
            #expect(try results(PlainClient.get(server, "/dnd5e/api/2014/monsters?lang=en")).count == 7)
            #expect(try results(PlainClient.get(server, "/dnd5e/api/2014/monsters?name=DRAGON")).count == 3)
            #expect(try results(PlainClient.get(server, "/api/2014/spells?level=2")).count == 2)
            let record = try PlainClient.get(server, "/dnd5e/api/2014/monsters/aboleth?lang=en")
            #expect(try JSON.parse(record.body)["hit_points"]?.integer == 135)
            let tag = try #require(record.fields.first("ETag"))
            let again = try PlainClient.get(
                server, "/dnd5e/api/2014/monsters/aboleth?lang=en", fields: ["If-None-Match": tag])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            let missing = try PlainClient.get(server, "/dnd5e/api/2014/monsters/tarrasque-junior")
            #expect(missing.status == 404)
            #expect(missing.body.lossyText == "Not Found")
        }
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        try await withOrigin { server in
            let whole = try PlainClient.get(server, "/artwork/a/100x100bb.jpg")
            let head = try PlainClient.get(server, "/artwork/a/100x100bb.jpg", method: "HEAD")
            #expect(head.fields.first("Content-Length") == "\(whole.body.count)")
            #expect(head.body.isEmpty)
        }
    }

    @Test func connectionsAreKeptAndPipelined() async throws {
        try await withOrigin { server in
            let one = "GET /artwork/a.png HTTP/1.1\r\nHost: h\r\n\r\n"
            let last = "GET /artwork/b.png HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            let raw = try PlainClient.exchange(server, Bytes(text: one + one + last))
            #expect(raw.lossyText.components("HTTP/1.1 200 OK") == 3)
            #expect(server.requests(to: "/artwork/") == 3)
            #expect(server.requests(to: "/artwork/b") == 1)
        }
    }

    @Test func imageHostsLeadHereWhenAsked() async throws {
        try await withOrigin(rewrites: true) { server in
            let song = try #require(results(PlainClient.get(server, "/itunes/search?term=banana")).first)
            let url = try #require(song["artworkUrl100"]?.string)
            #expect(url.hasPrefix("http://127.0.0.1:\(server.port)/artwork/is1-ssl.mzstatic.com/image/thumb/"))
            #expect(url.hasSuffix("/100x100bb.jpg"))
            let image = try PlainClient.get(server, String(url.dropFirst(server.root.count)))
            #expect(image.status == 200)
            #expect(image.fields.first("Content-Type") == "image/jpeg")
            #expect(song["trackViewUrl"]?.string?.hasPrefix("https://music.apple.com/") == true)
        }
    }

    @Test func faultsComeInTheirOrderAndEnd() async throws {
        try await withOrigin { server in
            let target = "/itunes/search?term=jack"
            server.script(
                "/itunes/search",
                [
                    .iTunesLimit, .html(status: 200), .truncated(after: 10), .closed,
                    .raw(Bytes(text: "nonsense\r\n\r\n")),
                    .chunked(size: 100), .status(503, fields: ["Retry-After": "7"]),
                ])
            let limit = try PlainClient.get(server, target)
            #expect(limit.status == 403 && limit.body.isEmpty)
            #expect(try PlainClient.get(server, target).body.starts(with: Bytes(text: "<!DOCTYPE html>")))
            let cut = try PlainClient.get(server, target)
            #expect(cut.status == 200 && cut.body.count == 10)
            #expect((cut.fields.first("Content-Length").flatMap { Int($0) } ?? 0) > 10)
            #expect(try PlainClient.get(server, target).raw.isEmpty)
            #expect(try PlainClient.get(server, target).raw == Bytes(text: "nonsense\r\n\r\n"))
            let chunked = try PlainClient.get(server, target)
            #expect(chunked.fields.first("Transfer-Encoding") == "chunked")
            #expect(!chunked.fields.contains("Content-Length"))
            #expect(chunked.body.starts(with: Bytes(text: "64\r\n")))
            #expect(chunked.body.suffix(5).elementsEqual(Bytes(text: "0\r\n\r\n")))
            let busy = try PlainClient.get(server, target)
            #expect(busy.status == 503 && busy.fields.first("Retry-After") == "7")
            #expect(try results(PlainClient.get(server, target)).count == 16)
            #expect(server.requests(to: "/itunes/search") == 8)
        }
    }

    @Test func aHeldAnswerComesOnlyWhenReleased() async throws {
        try await withOrigin { server in
            server.script("/itunes", [.held])
            let descriptor = try Socket.connect(to: Address("127.0.0.1:\(server.port)"))
            defer { Syscall.close(descriptor) }
            let request = Bytes(text: "GET /itunes/search?term=jack HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            _ = request.withUnsafeBytes { Syscall.send(descriptor, $0) }
            await server.arrival(of: 1, to: "/itunes")
            // Another client is served in the meantime, so the silence towards the first client is not slowness.
            #expect(try PlainClient.get(server, "/itunes/search?term=alice").status == 200)
            var byte = Bytes(repeating: 0, count: 1)
            #expect(
                byte.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, 1, Int32(MSG_DONTWAIT)) } == -1)
            server.release("/itunes")
            setReceiveTimeout(descriptor, seconds: 60)
            #expect(byte.withUnsafeMutableBytes { Syscall.receive(descriptor, into: $0) } == .bytes(1))
            #expect(byte == Bytes(text: "H"))
        }
    }

    @Test func whatIsNoRequestEndsTheConnection() async throws {
        try await withOrigin { server in
            for text in [
                "GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            ] {
                let answer = PlainClient.parse(try PlainClient.exchange(server, Bytes(text: text)))
                #expect(answer.status == 400)
            }
            #expect(try PlainClient.get(server, "/itunes/search?term=x", method: "DELETE").status == 405)
            #expect(try PlainClient.get(server, "/elsewhere").status == 404)
        }
    }

    @Test func aFunctionOfOnesOwnIsAskedFirst() async throws {
        let source = OriginSource.custom { $0.path == "/own" ? .text(200, $0.query ?? "none") : nil }
        try await withOrigin(source) { server async throws in
            #expect(try PlainClient.get(server, "/own?a=1").body.lossyText == "a=1")
            #expect(try PlainClient.get(server, "/itunes/search?term=jack").status == 200)
            #expect(server.log(of: "/own").map(\.query) == ["a=1"])
        }
    }
}

extension String {
    /// The number of occurrences of a text.
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
