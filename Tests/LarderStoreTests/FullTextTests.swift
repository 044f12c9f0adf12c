// The full-text index follows the stored entries, however they come or go, and finds what a person means.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// One result as a normaliser writes it.
func resultJSON(_ id: String, _ title: String, more: String = "", kind: String = "song") -> String {
    #"{"id":"\#(id)","provider":"itunes","kind":"\#(kind)","title":"\#(title)"\#(more)}"#
}

extension Bench {
    /// A normalised entry with these results.
    func results(
        _ name: String, _ results: [String], provider: String = "itunes", label: String? = nil
    ) -> StoredResponse {
        var entry = entry(name, provider: provider, parents: [Digest(of: Bytes(text: name))], label: label)
        entry.body = Bytes(text: "[" + results.joined(separator: ",") + "]")
        return entry
    }
}

extension SQLiteStore {
    func titles(
        _ words: String, prefix: Bool = false, kinds: [String] = [], providers: [String] = [], limit: Int = 50
    ) async throws -> [String] {
        var question = FullTextQuestion(terms: [FullTextTerm(words, isPrefix: prefix)], limit: limit)
        question.kinds = kinds
        question.providers = providers
        return try await search(question).matches.compactMap { try JSON.parse($0.json)["title"]?.string }
    }
}

/// Checks the index against its content, and that each row has its entry.
private func checkIndex(_ path: String) throws {
    let connection = try CacheSchema.openWriter(path)
    defer { connection.close() }
    // With rank 1 the check compares the index with its external content as well
    // (sqlite.org/fts5.html#the_integrity_check_command).
    try connection.execute("INSERT INTO found (found, rank) VALUES ('integrity-check', 1)")
    try connection.execute("INSERT INTO found (found) VALUES ('integrity-check')")
    let orphans = try connection.number(
        "SELECT count(*) FROM result WHERE id >> 12 NOT IN (SELECT id FROM entry)")
    #expect(orphans == 0)
    #expect(try connection.number("SELECT count(*) FROM unindexed") == 0)
}

@Suite struct FullTextTests {
    @Test func accentsAndCaseDoNotCountAndTheLastWordMayBeABeginning() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(bench.results("a", [resultJSON("1", "Sigur Rós – Ágætis byrjun")]))
            #expect(try await store.titles("RÓS").count == 1)
            #expect(try await store.titles("ros").count == 1)
            #expect(try await store.titles("byr").isEmpty)
            #expect(try await store.titles("byr", prefix: true).count == 1)
        }
    }

    @Test func everyOperatorOfTheQueryLanguageIsAPlainWord() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(bench.results("a", [resultJSON("1", "Either OR not")]))
            for words in [
                "either OR nothing", "title:either", "eith*", "either NEAR not", "^or", "\"", "either\"", "-either",
                "(either",
            ] {
                let found = try await store.titles(words)
                #expect(
                    found.count
                        == (words == "either\"" || words == "-either" || words == "(either" || words == "^or" ? 1 : 0),
                    "\(words)")
            }
            #expect(try await store.titles("either or not").count == 1)
        }
    }

    @Test func aTitleCountsMoreThanASummary() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(
                bench.results(
                    "a",
                    [
                        resultJSON("1", "Other", more: #","summary":"all about whales""#), resultJSON("2", "Whales"),
                    ]))
            #expect(try await store.titles("whales") == ["Whales", "Other"])
        }
    }

    @Test func ofOneResultInSeveralAnswersTheNewestIsShownOnce() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(bench.results("a", [resultJSON("1", "Blue old")]))
            bench.time.advance(by: .seconds(10))
            _ = await store.write(bench.results("b", [resultJSON("1", "Blue new"), resultJSON("2", "Blue other")]))
            var question = FullTextQuestion(terms: [FullTextTerm("blue")], limit: 10)
            let found = try await store.search(question)
            #expect(found.total == 2)
            #expect(Set(try await store.titles("blue")) == ["Blue new", "Blue other"])
            // A page is a section of the same ordered results.
            question.limit = 1
            question.offset = 1
            let second = try await store.search(question)
            #expect(second.total == 2 && second.matches.count == 1)
            #expect(second.matches.first?.json == found.matches.last?.json)
        }
    }

    @Test func kindsAndProvidersLeaveOutTheOthers() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(
                bench.results("a", [resultJSON("1", "Red"), resultJSON("2", "Red", kind: "album")]))
            _ = await store.write(bench.results("b", [resultJSON("3", "Red")], provider: "tmdb"))
            #expect(try await store.titles("red").count == 3)
            #expect(try await store.titles("red", kinds: ["album"]).count == 1)
            #expect(try await store.titles("red", providers: ["tmdb"]).count == 1)
            #expect(try await store.titles("red", providers: ["nobody"]).isEmpty)
            // A kind matches a whole word of the list, not a part of a word.
            #expect(try await store.titles("red", kinds: ["alb"]).isEmpty)
        }
    }

    @Test func whatMatchedIsCutOutOfTheTexts() async throws {
        try await withStore { (store, bench) async throws in
            let long = String(repeating: "word ", count: 60)
            _ = await store.write(
                bench.results(
                    "a",
                    [
                        resultJSON(
                            "1", "The Blue \\\"Moon\\\"", more: #","creator":"Nobody","summary":"\#(long)a blue end""#)
                    ]))
            let found = try await store.search(FullTextQuestion(terms: [FullTextTerm("blue")], limit: 1))
            let highlights = try #require(found.matches.first?.highlights)
            #expect(highlights.map(\.field) == ["title", "summary"])
            #expect(highlights.first?.pieces == ["The ", "Blue", " \"Moon\""])
            let summary = try #require(highlights.last?.pieces)
            #expect(summary.count == 3 && summary[1] == "blue" && summary[0].hasPrefix("…"))
            #expect(summary.joined().count < 200)
        }
    }

    @Test func aTextThatHoldsTheMarksIsNotMarked() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(bench.results("a", [resultJSON("1", "blue \\u0001moon")]))
            let found = try await store.search(FullTextQuestion(terms: [FullTextTerm("blue")], limit: 1))
            #expect(found.matches.count == 1)
            #expect(found.matches.first?.highlights.isEmpty == true)
        }
    }

    @Test func resultsOfABodyInPiecesComeBackWhole() async throws {
        try await withStore { (store, bench) async throws in
            let filler = String(repeating: "x", count: 1000)
            let results = (0..<1500).map { resultJSON("\($0)", "Number n\($0)", more: #","url":"\#(filler)""#) }
            #expect(await store.write(bench.results("a", Array(results.prefix(150)))) == .stored)
            #expect(await store.write(bench.results("b", results)) == .stored)
            for number in [0, 63, 64, 149, 1024, 1499] {
                let found = try await store.search(
                    FullTextQuestion(terms: [FullTextTerm("n\(number)")], limit: 1))
                #expect(found.matches.first?.json == Bytes(text: results[number]))
            }
        }
    }

    @Test func whatIsPastItsUseIsNotShownAndWhatIsStaleIs() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.results("a", [resultJSON("1", "Green")])
            _ = await store.write(entry)
            bench.time.advance(by: .seconds(700))
            let found = try await store.search(FullTextQuestion(terms: [FullTextTerm("green")], limit: 1))
            #expect(found.matches.first?.freshUntil == entry.freshUntil)
            #expect(found.matches.first?.storedAt == entry.responseTime)
            bench.time.advance(by: .seconds(86_400))
            #expect(try await store.titles("green").isEmpty)
        }
    }

    @Test func onlyEntriesWhoseKeyHoldsTheseBytesAreShown() async throws {
        try await withStore { (store, bench) async throws in
            _ = await store.write(bench.results("mark-one", [resultJSON("1", "Grey")]))
            _ = await store.write(bench.results("mark-two", [resultJSON("2", "Grey")]))
            var question = FullTextQuestion(terms: [FullTextTerm("grey")], limit: 10)
            question.keyParts = [Bytes(text: "mark-two")]
            #expect(try await store.search(question).total == 1)
            question.keyParts.append(Bytes(text: "mark-one"))
            #expect(try await store.search(question).total == 0)
            for place in 1..<FullTextQuestion.mostKeyParts {
                question.keyParts = Array(repeating: Bytes(text: "mark"), count: place) + [Bytes(text: "mark-two")]
                #expect(try await store.search(question).total == 1)
            }
            question.keyParts.append(Bytes(text: "mark"))
            #expect(try await store.search(question).total == 0)
        }
    }

    @Test func theIndexFollowsReplacementPurgeEvictionAndExpiry() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            for round in 0..<3 {
                for number in 0..<40 {
                    let results = (0..<20).map { resultJSON("\(number)-\($0)", "Item \(number) round\(round) é\($0)") }
                    #expect(
                        await store.write(bench.results("\(number)", results, label: "label \(number % 4)")) == .stored)
                }
            }
            #expect(try await store.titles("round1").isEmpty)
            #expect(try await store.search(FullTextQuestion(terms: [FullTextTerm("round2")], limit: 1)).total == 800)
            _ = try await store.purge(.term("label 3", provider: nil), soft: false)
            #expect(try await store.search(FullTextQuestion(terms: [FullTextTerm("round2")], limit: 1)).total == 600)
            await store.maintain()
            await store.close()
            try checkIndex(bench.path)

            // A quarter of the entries fits below the lower cap.
            let smaller = try bench.open(StoreSettings(maxSize: 160_000, minFree: 0))
            await smaller.maintain()
            let left = try await smaller.search(FullTextQuestion(terms: [FullTextTerm("round2")], limit: 1)).total
            #expect(left < 600)
            bench.time.advance(by: .seconds(200_000))
            await smaller.maintain()
            await smaller.close()
            try checkIndex(bench.path)
            let connection = try CacheSchema.openWriter(bench.path)
            #expect(try connection.number("SELECT count(*) FROM result") == 0)
            connection.close()
        }
    }

    @Test func whatWasNotIndexedBeforeAnEndIsIndexedAfterIt() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            _ = await first.write(bench.results("a", [resultJSON("1", "Yellow")]))
            _ = await first.write(bench.results("b", [resultJSON("2", "Yellow")]))
            _ = try await first.purge(.digest(bench.results("b", []).key.digest), soft: false)
            await first.close()
            // The manual clock stands still, so nothing was indexed.
            let connection = try CacheSchema.openWriter(bench.path)
            #expect(try connection.number("SELECT count(*) FROM unindexed") == 2)
            connection.close()
            let second = try bench.open()
            #expect(try await second.titles("yellow").count == 1)
            await second.close()
            try checkIndex(bench.path)
        }
    }

    @Test func anEmptiedStoreHasAnEmptyIndex() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            for number in 0..<10 {
                _ = await store.write(bench.results("\(number)", [resultJSON("\(number)", "Pink")]))
            }
            #expect(try await store.titles("pink").count == 10)
            _ = try await store.purge(.all, soft: false)
            #expect(try await store.titles("pink").isEmpty)
            await store.maintain()
            #expect(await store.write(bench.results("z", [resultJSON("z", "Pink again")])) == .stored)
            #expect(try await store.titles("pink").count == 1)
            await store.close()
            try checkIndex(bench.path)
        }
    }

    @Test func bodiesThatAreNoListsOfResultsAreLeftAlone() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            for (number, text) in [
                "{}", "[1,2]", "[{\"title\":\"no id\"}]", "[{\"id\":\"", "\u{0}\u{1}\u{2}", "[{\"id\":7}]",
            ].enumerated() {
                var entry = bench.results("\(number)", [])
                entry.body = Bytes(text: text)
                #expect(await store.write(entry) == .stored)
            }
            #expect(try await store.titles("no").isEmpty)
            await store.close()
            try checkIndex(bench.path)
        }
    }

    @Test func rawEntriesLeaveNoNote() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.open()
            _ = await store.write(bench.entry("raw"))
            _ = try await store.purge(.all, soft: false)
            await store.close()
            let connection = try CacheSchema.openWriter(bench.path)
            #expect(try connection.number("SELECT count(*) FROM unindexed") == 0)
            connection.close()
        }
    }

    @Test func aStoreThatIsFullKeepsWhatItDidNotIndexForLater() async throws {
        try await withStore { (store, bench) async throws in
            let long = String(repeating: "lorem ipsum ", count: 60)
            for number in 0..<20 {
                let results = (0..<50).map {
                    resultJSON("\(number)-\($0)", "Title \($0)", more: #","summary":"\#(long)""#)
                }
                _ = await store.write(bench.results("\(number)", results))
            }
            let pages = Int((try await store.statistics()).liveBytes / CacheSchema.pageSize)
            await store.limitPages(pages)
            #expect(try await store.titles("title").isEmpty)
            await store.limitPages(1_000_000)
            bench.time.advance(by: .seconds(400))
            #expect(try await store.search(FullTextQuestion(terms: [FullTextTerm("title")], limit: 1)).total == 1000)
        }
    }

    /// Each look at the clock finds it later. The bound on the wait itself, which also looks at the clock, is far away.
    @Test func whatHasJustBeenStoredIsFoundOnABusyMachineToo() async throws {
        try await withStore(StoreSettings(minFree: 0, patience: .seconds(3600))) { (store, bench) async throws in
            for number in 0..<10 {
                _ = await store.write(bench.results("\(number)", [resultJSON("\(number)", "Umber")]))
            }
            bench.time.leap(by: .milliseconds(150))
            let found = try await store.titles("umber").count
            bench.time.leap(by: .zero)
            #expect(found == 10)
        }
    }

    @Test func whereTheDiskIsShortNoAnswerGoesForTheIndexHoweverManySearch() async throws {
        try await withStore { (store, bench) async throws in
            for number in 0..<10 {
                _ = await store.write(bench.results("\(number)", [resultJSON("\(number)", "Ochre")]))
            }
            store.apply(StoreSettings(minFree: .max))
            for _ in 0..<5 { #expect(try await store.titles("ochre").isEmpty) }
            #expect(bench.count(StoreCounters.evicted, "unused") == 0)
            store.apply(StoreSettings(minFree: 0))
            // Indexing rests for a minute and then continues by itself.
            #expect(try await store.titles("ochre").isEmpty)
            bench.time.advance(by: .seconds(61))
            #expect(try await store.titles("ochre").count == 10)
        }
    }

    @Test func aLongTextIsCutBetweenScalarsAndEscapesAreRead() throws {
        let euros = String(repeating: "€", count: 500)
        let body = Bytes(text: #"[{"id":"x","kind":"k","title":"a\"bA\n","summary":"\#(euros)"},{"id":"y"}]"#)
        let texts = ResultTexts.all(in: body, atMost: 10)
        #expect(texts.count == 2)
        #expect(texts.first?.title == "a\"bA\n")
        #expect(texts.first?.summary == String(euros.prefix(333)))
        #expect(texts.first.map { Bytes(body[$0.place]).last } == 0x7D)
        #expect(texts[0].name != texts[1].name)
        #expect(ResultTexts.all(in: body, atMost: 1).count == 1)
    }

    @Test func aLineThatIsFullTurnsSearchesAway() async {
        let line = SearchLine()
        let question = FullTextQuestion(terms: [], limit: 1)
        let answers = await withTaskGroup(of: Bool.self) { group in
            let joined = Lock(0)
            for _ in 0..<SearchLine.capacity + 3 {
                group.addTask {
                    let answer: Result<FullTextAnswer, StoreError> = await handover { continuation in
                        let reply = Reply(continuation, late: { .success(FullTextAnswer()) })
                        let isIn = line.join(SearchJob(question: question, reply: reply))
                        if !isIn { reply.resume(returning: .success(FullTextAnswer())) }
                        let all = joined.withLock { (count: inout Int) -> Bool in
                            count += 1
                            return count == SearchLine.capacity + 3
                        }
                        guard all else { return }
                        for job in line.dismiss() {
                            job.reply.resume(
                                returning: .failure(StoreError(code: 1, extendedCode: 1, doing: "", message: "")))
                        }
                    }
                    if case .failure = answer { return true }
                    return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(answers == SearchLine.capacity)
    }
}
