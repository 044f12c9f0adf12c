// An API that a user describes is searched, typed and cached as the built-in ones are.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct DescribedAPIScenarios {
    private static let books =
        #"{"docs":[{"key":"b1","title":"The Lantern","writers":["Ann","Bob"],"year":1931},{"title":"none"}],"found":9}"#

    private static func settings(_ origin: ScriptedOrigin) -> String {
        """
        providers:
          library:
            title: Library
            baseURL: "\(origin.base)"
            key: s3cret-key
            keyIn: header X-Api-Key
            categories: [books]
            questions:
              books:
                about: books by words
                path: /find
                parameters:
                  q: { sent: query, term: true, example: lantern }
                  limit: { sent: rows, number: 1..50, default: 20 }
                  sort: [relevance, name]
                fixed: { format: json }
                list: $.docs
                total: $.found
                noun: books
                result: book
              book:
                route: books/{id}
                path: /book/{id}
                parameters: { id: { pattern: "^[a-z0-9]{1,10}$", example: b1 } }
                identity: { path: $.key, is: "{id}" }
                result: book
            results:
              book:
                id: $.key
                title: $.title
                creator: $.writers[*]
                attributes: { year: { number: $.year } }
            absence: "@.error == 'no such book'"
        """
    }

    private static func answering(_ request: SeenRequest) -> [Act] {
        if request.target.hasPrefix("/find") { return [.send(ok(books, fields: "Content-Type: application/json\r\n"))] }
        if request.target == "/book/b1" { return [.send(ok(#"{"key":"b1","title":"The Lantern"}"#))] }
        let absent = #"{"error":"no such book"}"#
        return [.send("HTTP/1.1 404 Not Found\r\nContent-Length: \(absent.utf8.count)\r\n\r\n\(absent)")]
    }

    private func withLibrary(
        _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin { Self.answering($0) }
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { try await body($0, origin) }
    }

    @Test func itsQuestionIsARouteWithResults() async throws {
        try await withLibrary { larder, origin in
            let answer = try await larder.get("/v1/library/books?q=lantern&limit=5")
            let book = try answer.json()["results"]?.elements.first { _ in true }
            #expect(book?["id"]?.string == "library:book:b1")
            #expect(book?["creator"]?.string == "Ann, Bob")
            #expect(book?["attributes"]?["year"]?.integer == 1931)
            let again = try await larder.get("/v1/library/books?limit=5&q=lantern")
            #expect(again["Cache-Status"]?.contains("hit") == true)
            #expect(origin.requests.map(\.target) == ["/find?format=json&query=lantern&rows=5"])
            #expect(origin.requests.first?.field("X-Api-Key") == "s3cret-key")
        }
    }

    @Test func aSearchOfItsNameAsksIt() async throws {
        try await withLibrary { larder, origin in
            for target in ["/v1/search?q=lantern&source=library", "/v1/search?q=lantern&source=library&category=books"]
            {
                let answer = try await larder.get(target)
                #expect(try answer.json()["results"]?.count == 1, "\(answer)")
            }
            #expect(origin.requests.count == 1, "both are one question")
        }
    }

    @Test func storedResultsAreFoundWithoutACall() async throws {
        try await withLibrary { larder, _ in
            _ = try await larder.get("/v1/library/books?q=lantern")
            try await larder.eventually("the result is found") {
                let local = try await larder.get("/v1/local?q=lantern&source=library")
                return try local.json()["results"]?.count == 1
            }
        }
    }

    @Test(arguments: [
        ("/v1/library/books?q=a&limit=99", 400, "\"limit\" is not a number between 1 and 50."),
        ("/v1/library/books", 400, "A question for books needs q=…."),
        ("/v1/library/books?q=a&page=2", 400, "This route has no parameter \"page\"."),
        ("/v1/library/books/B-1", 400, "\"id\" must be like b1."),
        ("/v1/library/books/b2", 404, ""),
        ("/v1/library/films", 404, "There is no route /v1/library/films. /openapi.json lists all routes."),
    ])
    func aMistakeOfAClientIsToldAsForBuiltInOnes(_ target: String, _ status: Int, _ detail: String) async throws {
        try await withLibrary { larder, _ in
            let answer = try await larder.get(target)
            #expect(answer.status == status, "\(answer)")
            let told = try answer.json()["detail"]?.string
            #expect(detail.isEmpty || told == detail, "\(answer)")
        }
    }

    @Test func anAnswerWithAnotherRecordIsNotBelieved() async throws {
        let origin = ScriptedOrigin { _ in [.send(ok(#"{"key":"b2","title":"Other"}"#))] }
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder async throws in
            #expect(try await larder.get("/v1/library/books/b1").status == 502)
        }
    }

    /// Another description of the library, whose only question is this.
    private func withQuestion(
        _ question: String, _ answer: @escaping @Sendable (SeenRequest) -> [Act],
        _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin(answer)
        defer { origin.stop() }
        let settings = """
            providers:
              jokes: { baseURL: "\(origin.base)/jokes" }
              library:
                baseURL: "\(origin.base)"
                answers: [{ status: 200, when: "!@.docs && @.took", means: empty }]
                questions:
                  books:
                    path: /find
            \(question)
                    result: { kind: book, id: $.key, title: $.title, url: $.url }
            """
        try await withLarder(settings) { try await body($0, origin) }
    }

    @Test func anAnswerThatSaysItIsEmptyNeedsNoList() async throws {
        let question = "        parameters: { q: { term: true } }\n        list: $.docs"
        try await withQuestion(question, { _ in [.send(ok(#"{"took":1}"#))] }) { larder, _ async throws in
            let answer = try await larder.get("/v1/library/books?q=none")
            #expect(answer.status == 200)
            #expect(try answer.json()["results"]?.count == 0, "\(answer)")
        }
    }

    @Test func aSourceWithoutATermIsLeftOutOfSearchesThatDoNotNameIt() async throws {
        let question = "        parameters: { year: { number: 1..3000 } }\n        list: $.docs"
        try await withQuestion(question, { _ in [.send(ok(Self.books))] }) { larder, origin async throws in
            let whole = try await larder.get("/v1/search?q=lantern")
            #expect(whole.status != 400, "\(whole)")
            let named = try await larder.get("/v1/search?q=lantern&source=library")
            #expect(try named.json()["detail"]?.string == "library has no question with a search term.")
            #expect(origin.requests.allSatisfy { $0.target.hasPrefix("/jokes/") })
        }
    }

    @Test func aTermOfAnotherFormIsRefusedIfTheSourceIsNamed() async throws {
        let question = "        parameters: { isbn: { term: true, number: 1..999 } }\n        list: $.docs"
        try await withQuestion(question, { _ in [.send(ok(Self.books))] }) { larder, origin async throws in
            #expect(try await larder.get("/v1/search?q=lantern&source=library").status == 400)
            #expect(try await larder.get("/v1/search?q=lantern").status != 400)
            #expect(origin.requests.allSatisfy { $0.target.hasPrefix("/jokes/") })
        }
    }

    @Test(arguments: [".", "..", "%2E%2E"])
    func aSegmentOfDotsIsNotSent(_ value: String) async throws {
        let question = "        route: \"books/{id}/about\"\n        parameters: { id: { text: true } }"
        try await withQuestion(question, { _ in [.send(ok(#"{"key":"b","title":"t"}"#))] }) {
            larder, origin async throws in
            let status = try await larder.get("/v1/library/books/\(value)/about").status
            #expect(status == 400 || status == 404)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aRecordWithoutAnIdIsNoAnswer() async throws {
        let question = "        parameters: { year: { number: 1..3000 } }"
        try await withQuestion(question, { _ in [.send(ok(#"{"error":"no"}"#))] }) { larder, _ async throws in
            #expect(try await larder.get("/v1/library/books").status == 502)
        }
    }

    @Test func onlyWebAddressesAreTheAddressOfAResult() async throws {
        let question = "        parameters: { q: { term: true } }\n        list: $.docs"
        let docs =
            #"{"docs":[{"key":"a","title":"A","url":"javascript:alert(1)"},{"key":"b","title":"B","url":"//b.example/x"}]}"#
        try await withQuestion(question, { _ in [.send(ok(docs))] }) { larder, _ async throws in
            let results = try await larder.get("/v1/library/books?q=x").json()["results"]
            #expect(results?.elements.map { $0["url"]?.string } == [nil, "https://b.example/x"])
        }
    }

    @Test func aChangeOfTheDescriptionCountsForAnswersThatWereKeptReady() async throws {
        let origin = ScriptedOrigin { Self.answering($0) }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let settings = "cache: { memorySize: 0 }\n" + Self.settings(origin)
        try await withLarder(settings, directory: directory) { larder async throws in
            for _ in 0..<3 { _ = try await larder.get("/v1/library/books?q=lantern") }
            let listen = "listen: [\"127.0.0.1:0\"]\n"
            directory.write("larder.yaml", listen + settings.replacing("title: $.title", with: "title: $.key"))
            await larder.daemon.reload()
            let book = try await larder.get("/v1/library/books?q=lantern").json()["results"]?.elements.first { _ in true
            }
            #expect(book?["title"]?.string == "b1")
        }
    }

    @Test func theInterfaceDescriptionListsIt() async throws {
        try await withLibrary { larder, _ in
            let paths = try await larder.get("/openapi.json").json()["paths"]
            let limit = paths?["/v1/library/books"]?["get"]?["parameters"]?.elements.first {
                $0["name"]?.string == "limit"
            }
            #expect(limit?["schema"]?["maximum"]?.integer == 50)
            let sources = paths?["/v1/search"]?["get"]?["parameters"]?.elements.first { $0["name"]?.string == "source" }
            #expect(sources?.raw.lossyText.contains("\"library\"") == true)
            #expect(paths?["/v1/library/books/{id}"] != nil)
        }
    }

    @Test func aReloadAddsItAndTakesItAway() async throws {
        let origin = ScriptedOrigin { Self.answering($0) }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        try await withLarder("", directory: directory) { larder async throws in
            #expect(try await larder.get("/v1/library/books?q=a").status == 404)
            for (text, status) in [(Self.settings(origin), 200), ("", 404)] {
                directory.write("larder.yaml", "listen: [\"127.0.0.1:0\"]\n" + text)
                await larder.daemon.reload()
                #expect(try await larder.get("/v1/library/books?q=a").status == status)
                #expect(try await larder.get("/openapi.json").text.contains("/v1/library/books") == (status == 200))
            }
        }
    }
}
