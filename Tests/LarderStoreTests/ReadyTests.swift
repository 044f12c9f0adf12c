// Responses that the database keeps ready for the loops. A row is found as it was made, and only while exactly the
// entries that it was made of are stored. Nothing newer, and no removal under way, is overlooked.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct ReadyTests {
    // MARK: Found as it was made

    @Test(arguments: [0, 100, 65_536, 65_537, 200_000])
    func aKeptAnswerIsFoundAsItWasMade(_ size: Int) async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept(size: size)
            let made = stand.row(entry).response
            let found = try #require(try await stand.look()).response
            #expect(found.head == made.head && found.body == entry.body)
            #expect(found.bornAt == made.bornAt && found.freshUntil == made.freshUntil)
            #expect(found.notModified == made.notModified && found.tag == made.tag && found.isTagWeak)
            #expect(found.lastModified == made.lastModified && found.lastModifiedText == made.lastModifiedText)
            #expect(found.partialStart == made.partialStart && found.partialEnd == made.partialEnd)
            #expect(found.digest == entry.key.digest && found.isFromStore)
        }
    }

    @Test(arguments: [16_385, 65_536, 65_537, 262_144])
    func aBodyThatIsNotWantedInMemoryIsSentFromItsFile(_ size: Int) async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept(size: size)
            let found = try #require(try await stand.look(wantsBytes: false)).response
            #expect(found.body.isEmpty && found.length == size)
            let file = try #require(found.file)
            #expect(file.isInMemory(0..<size) && file.length == size)
            // The open file stays whatever becomes of the entry.
            _ = try await stand.store.purge(.all, soft: false)
            #expect(stand.bench.bodyFiles().isEmpty)
            #expect(try BodyRead.bytes(file.descriptor, at: 0, count: size + 1) == entry.body)
        }
    }

    @Test func aBodyInARowIsNeverSentFromAFile() async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept(size: 16_384)
            let found = try #require(try await stand.look(wantsBytes: false)).response
            #expect(found.file == nil && found.body == entry.body)
        }
    }

    @Test(arguments: [false, true])
    func aBodyThatIsLoadedWhileItIsSentIsCheckedAgain(isDamaged: Bool) async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept(size: 100_000)
            let file = try #require(try await stand.look(wantsBytes: false)?.response.file)
            if isDamaged { try Bench.flip(stand.bench.bodyFile(), at: 70_000) }
            let isWhole: Bool = await handover { continuation in file.load { continuation.resume(returning: $0) } }
            #expect(isWhole != isDamaged)
            if isDamaged { #expect(try await stand.store.read(stand.bench.entry("a").key) == nil) }
        }
    }

    @Test func aDamagedFileIsNotSentByTheLoop() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept(size: 100_000)
            #expect(try await stand.look(wantsBytes: false) != nil)
            try Bench.flip(stand.bench.bodyFile(), at: 99_000)
            // A body that was just checked is not checked again for a second.
            stand.bench.time.advance(by: .seconds(1))
            #expect(stand.once("/raw/api/a", wantsBytes: false) == nil, "it is not as it was written")
        }
    }

    @Test func aBodyThatIsNotItsEntrysIsKeptInTheRow() async throws {
        try await withReady { (stand) async throws in
            let entry = stand.bench.entry("a")
            _ = await stand.store.write(entry)
            let body = Bytes(text: "an envelope around it")
            #expect(try await stand.keep(stand.row(entry, body: body), of: entry))
            #expect(try await stand.look()?.response.body == body)
        }
    }

    @Test func bothFormsOfACodedAnswerAreKeptForTheirClients() async throws {
        try await withReady { (stand) async throws in
            let entry = stand.bench.entry("a")
            _ = await stand.store.write(entry)
            #expect(try await stand.keep(stand.row(entry, takesGzip: true), of: entry))
            #expect(try await stand.look(encoding: "gzip") != nil)
            #expect(try await stand.look() == nil)
            #expect(try await stand.keep(stand.row(entry, takesGzip: false, body: [1]), of: entry))
            #expect(try await stand.look()?.response.body == [1])
            #expect(try await stand.look(encoding: "gzip")?.response.body == entry.body)
        }
    }

    @Test func anotherScopeOrTargetFindsNothing() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept()
            #expect(try await stand.look(scope: ReadyScope.of("api")) == nil)
            for target in ["/raw/api/b", "/raw/api/a?x"] { #expect(try await stand.look(target) == nil) }
        }
    }

    @Test func itIsFoundByAnotherRunOfTheDaemon() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = try await ReadyStand(first, bench).kept()
            await first.close()
            let second = try bench.open()
            #expect(try await ReadyStand(second, bench).look()?.response.body == entry.body)
            await second.close()
        }
    }

    @Test func everyLoopLooksByItsOwnConnection() async throws {
        try await withReady(loops: 3) { (stand) async throws in
            _ = try await stand.kept()
            for loop in 0..<3 { #expect(try await stand.look(loop: loop) != nil) }
            #expect(stand.bench.count(StoreCounters.readyLoops) == 3)
        }
    }

    // MARK: No longer found

    @Test func itIsFreshUntilItsLastInstantAndNotBeforeItsBirth() async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept()
            #expect(try await stand.look() != nil)
            stand.bench.time.advance(by: entry.freshUntil - stand.bench.time.wall() + .milliseconds(-1))
            #expect(try await stand.look()?.response.freshUntil == entry.freshUntil)
            stand.bench.time.advance(by: .milliseconds(1))
            #expect(try await stand.look() == nil)
            stand.bench.time.advance(by: entry.responseTime - stand.bench.time.wall() + .seconds(-2))
            #expect(try await stand.look() == nil)
        }
    }

    @Test func whatWasMadeUnderOtherSettingsIsNotAnswered() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept()
            stand.store.mark = 8
            #expect(try await stand.look() == nil)
            stand.store.mark = ReadyStand.mark
            #expect(try await stand.look() != nil)
        }
    }

    enum Change: CaseIterable { case replaced, freshened, prolonged, removed, expired, purged }

    @Test(arguments: Change.allCases)
    func itGoesWithEveryChangeOfItsEntry(_ change: Change) async throws {
        try await withReady { (stand) async throws in
            let (store, entry) = (stand.store, try await stand.kept())
            #expect(try await stand.look() != nil)
            var newer = entry
            newer.responseTime = entry.responseTime + .seconds(1)
            switch change {
            case .replaced: #expect(await store.write(newer) == .stored)
            case .freshened: #expect(await store.rewriteHead(newer, inPlaceOf: entry))
            case .prolonged:
                #expect(
                    await store.updateFreshness(
                        entry.key.digest, freshUntil: entry.freshUntil + .seconds(1), staleUntil: entry.staleUntil))
            case .removed: _ = await store.remove(.digest(entry.key.digest), soft: false, provider: nil)
            case .expired: _ = await store.remove(.digest(entry.key.digest), soft: true, provider: nil)
            case .purged: _ = await store.remove(.provider("itunes"), soft: false, provider: nil)
            }
            #expect(try await stand.look() == nil)
            #expect(try stand.bench.readyRows() == 0)
        }
    }

    /// A variant of the URL "url".
    private func variant(_ stand: ReadyStand, _ name: String) -> StoredResponse {
        var entry = stand.bench.entry(name)
        entry.variant = StoredVariant(
            url: stand.bench.entry("url").key.digest, selection: entry.key.digest, date: entry.responseTime)
        return entry
    }

    @Test(arguments: ["write", "remove", "freshen"])
    func itGoesWithAnyChangeOfTheVariantsAmongWhichItWasChosen(_ change: String) async throws {
        try await withReady { (stand) async throws in
            let (entry, other) = (variant(stand, "a"), variant(stand, "b"))
            for one in [entry, other] { #expect(await stand.store.write(one) == .stored) }
            #expect(try await stand.keep(stand.row(entry), of: entry))
            #expect(try await stand.look()?.url == entry.variant?.url)
            switch change {
            case "write": #expect(await stand.store.write(variant(stand, "c")) == .stored)
            case "remove": _ = try await stand.store.purge(.digest(other.key.digest), soft: false)
            default:
                let end = other.freshUntil + .seconds(9)
                await stand.store.updateFreshness(other.key.digest, freshUntil: end, staleUntil: end)
            }
            #expect(try await stand.look() == nil)
            #expect(try stand.bench.readyRows() == 0)
        }
    }

    @Test func itIsWrittenOnlyWhereExactlyItsEntryIsStored() async throws {
        try await withReady { (stand) async throws in
            let entry = stand.bench.entry("a")
            #expect(await stand.store.write(entry) == .stored)
            var other = entry
            other.responseTime = entry.responseTime + .milliseconds(1)
            #expect(try await !stand.keep(stand.row(other), of: other))
            other = entry
            other.freshUntil = entry.freshUntil + .milliseconds(-1)
            #expect(try await !stand.keep(stand.row(other), of: other))
            #expect(try await !stand.keep(stand.row(entry), of: stand.bench.entry("a", seed: 1)))
            #expect(try stand.bench.readyRows() == 0)
            #expect(try await stand.keep(stand.row(entry), of: entry))
        }
    }

    @Test func anEntryIsKeptUnderAFewSpellingsOnly() async throws {
        try await withReady { (stand) async throws in
            let entry = stand.bench.entry("a")
            _ = await stand.store.write(entry)
            for number in 0..<8 { #expect(try await stand.keep(stand.row(entry, "/raw/api/a?\(number)"), of: entry)) }
            #expect(try await !stand.keep(stand.row(entry, "/raw/api/a?8"), of: entry))
            // A row that exists is replaced.
            #expect(try await stand.keep(stand.row(entry, "/raw/api/a?7", body: [1]), of: entry))
        }
    }

    @Test func aDamagedRowIsNotAnswered() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept()
            #expect(try await stand.look() != nil)
            try stand.bench.change("UPDATE ready SET data = zeroblob(length(data))")
            #expect(stand.ends("failed"))
        }
    }

    @Test(arguments: [100, 100_000])
    func aDamagedBodyIsNotAnswered(_ size: Int) async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept(size: size)
            #expect(try await stand.look() != nil)
            if size > 65_536 {
                try Bench.flip(stand.bench.bodyFile(), at: 70_000)
            } else {
                try stand.bench.change("UPDATE entry SET body = zeroblob(100) WHERE size = 100")
            }
            #expect(try await stand.look() == nil)
        }
    }

    // MARK: Changes under way

    @Test func anAcceptedAnswerHidesTheOneBeforeIt() async throws {
        try await withReady(AcceptedTests.collecting) { (stand) async throws in
            let entry = stand.bench.entry("a")
            #expect(await stand.store.write(entry) == .accepted)
            await stand.store.commit()
            stand.store.keepReady(stand.row(entry), of: entry) { true }
            try await stand.bench.eventually("it is offered", in: stand.store, rate: 0) {
                stand.store.shared.writes.count > 0
            }
            // Work that can wait is done together with work that a caller waits for.
            _ = await stand.store.updateFreshness(
                stand.bench.entry("none").key.digest, freshUntil: .distantPast, staleUntil: .distantPast)
            #expect(try await stand.look() != nil)
            #expect(await stand.store.write(stand.bench.entry("a", seed: 1)) == .accepted)
            #expect(stand.ends("overtaken"))
        }
    }

    @Test func aHiddenEntryIsNotAnswered() async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept()
            #expect(try await stand.look() != nil)
            stand.store.hide(stand.bench.entry("b"))
            #expect(try await stand.look() != nil, "another's removal")
            stand.store.hide(entry)
            // The look-up ends by the tombstone, or by the removal that was carried out.
            #expect(stand.ends("overtaken", "absent"))
        }
    }

    @Test func anAnswerThatWasAcceptedAfterTheLookIsTold() async throws {
        try await withReady(AcceptedTests.collecting) { (stand) async throws in
            let entry = stand.bench.entry("a")
            #expect(await stand.store.write(entry) == .accepted)
            let found = ReadyFound(
                response: stand.row(entry).response, takesGzip: nil, entry: entry.key.digest, url: nil, parents: [],
                provider: "itunes", moment: ReadyMoment(mark: ReadyStand.mark, commits: stand.store.shared.commits.now))
            #expect(!stand.readers.isCurrent(found))
            await stand.store.commit()
            // The response has left the overlay, and its commit is counted.
            #expect(stand.store.shared.overlay.isEmpty && !stand.readers.isCurrent(found))
        }
    }

    @Test func whatItWasMadeFromTakesItAlongWhileThatIsBeingRemoved() async throws {
        try await withReady { (stand) async throws in
            let parent = stand.bench.entry("parent")
            let child = stand.bench.entry("child", parents: [parent.key.digest])
            for one in [parent, child] { #expect(await stand.store.write(one) == .stored) }
            #expect(try await stand.keep(stand.row(child), of: child))
            #expect(try await stand.look() != nil)
            stand.store.shared.faults.hold(true)
            defer { stand.store.shared.faults.hold(false) }
            _ = stand.store.shared.removals.change {
                $0.add(.digest(parent.key.digest), isSoft: false, provider: nil, at: stand.bench.time.wall())
            }
            #expect(stand.ends("overtaken"))
        }
    }

    @Test func aPageThatIsNotInMemoryIsNotWaitedFor() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept()
            #expect(try await stand.look() != nil)
            stand.readers.refuseAll(true)
            // A commit makes the connection drop the pages that it keeps.
            _ = await stand.store.write(stand.bench.entry("b"))
            #expect(stand.ends("cold"))
            stand.readers.refuseAll(false)
            #expect(try await stand.look() != nil)
        }
    }

    /// SQLite's busy handler would retry the read for five seconds, on the loop.
    @Test func aReadThatIsRefusedIsNotTriedAgain() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept()
            #expect(try await stand.look() != nil)
            stand.readers.refuseAll(true)
            _ = await stand.store.write(stand.bench.entry("b"))
            let (refused, cold) = (stand.readers.refusedReads, stand.cold)
            #expect(stand.ends("cold"))
            #expect(stand.readers.refusedReads - refused == stand.cold - cold)
        }
    }

    /// What was chosen may be another variant, or what no field selects.
    @Test(arguments: [true, false])
    func aVariantThatIsAcceptedHidesWhatWasChosenWithoutIt(_ isOfVariant: Bool) async throws {
        try await withReady(AcceptedTests.collecting) { (stand) async throws in
            let entry = isOfVariant ? variant(stand, "a") : stand.bench.entry("url")
            let found = ReadyFound(
                response: stand.row(entry).response, takesGzip: nil, entry: entry.key.digest, url: entry.variant?.url,
                parents: [], provider: "itunes",
                moment: ReadyMoment(mark: ReadyStand.mark, commits: stand.store.shared.commits.now))
            #expect(stand.readers.isCurrent(found))
            #expect(await stand.store.write(variant(stand, "b")) == .accepted)
            #expect(!stand.readers.isCurrent(found))
        }
    }

    @Test func aLookIntoFilesThatWentMeanwhileIsTold() async throws {
        try await withReady { (stand) async throws in
            _ = try await stand.kept()
            let found = try #require(try await stand.look())
            #expect(stand.readers.isCurrent(found))
            stand.store.shared.letGo()
            #expect(!stand.readers.isCurrent(found))
        }
    }

    @Test func aTargetWithoutARowIsMissedWithoutALookInTheDatabase() async throws {
        try await withReady { (stand) async throws in
            await stand.store.maintain()
            for number in 0..<100 { #expect(stand.once("/raw/api/none\(number)") == nil) }
            #expect(!stand.readers.readers[0].isOpen, "no connection was needed")
        }
    }

    @Test func aStoreThatIsOpenedAgainFindsTheRowsThatItKept() async throws {
        try await withReady { (stand) async throws in
            let entry = try await stand.kept(size: 100)
            await stand.store.close()
            let again = ReadyStand(try stand.bench.open(), stand.bench)
            await again.store.maintain()
            #expect(!again.store.shared.keys.wantsReading)
            #expect(try await again.look()?.response.body == entry.body)
            #expect(again.once("/raw/api/other") == nil)
            await again.store.close()
        }
    }
}
