// The console in a real browser: failures in words, what to do next, addresses, plots together, and keys.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite(.serialized, .withChromium, InBrowser())
struct ConsoleUseScenarios {
    // MARK: Failures

    @Test func aTotalOutageShowsTheStoredResultsOrEachSource() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            _ = try await larder.get("/v1/itunes/search?q=jack")
            origin.stop()
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)")
                try page.search("upside")
                try page.waitFor("document.querySelector('#results')?.innerText.includes('Upside Down')")
                try page.waitFor(
                    "document.querySelector('#outcome.warn')?.innerText === '1 stored result; 1 of 1 source failed'")
                try page.search("nothing-like-it")
                try page.waitFor("document.querySelector('#help .states')")
                #expect(try page.text("#help .states").contains("iTunes Search\nunreachable"))
                #expect(try page.has("document.getElementById('outcome').classList.contains('bad')"))
                try page.keepPicture("outage")
                try page.waitFor("document.querySelector('#help').innerText.includes('Nothing that is stored matches')")
                try page.open("http://\(larder.address)/providers")
                try page.waitFor("document.querySelector('[data-provider=itunes] .pill.bad')")
                #expect(try page.text("[data-provider=itunes]").contains("Last error"))
                try page.open("http://\(larder.address)/now")
                try page.waitFor("document.querySelector('#requests').innerText.includes('/v1/local')")
                #expect(try page.count("#requests .failed .pill:not(.bad)") == 0)
            }
        }
    }

    @Test func aProviderWithoutItsKeySaysWhichSettingIsMissing() async throws {
        try await withLarder { larder in
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)/providers")
                try page.waitFor("document.querySelector('[data-provider=tmdb]')")
                #expect(try page.text("[data-provider=tmdb]").contains("set providers.tmdb.key"))
                #expect(try page.count("[data-provider=tmdb] meter") == 0)
            }
        }
    }

    @Test func noResultsOfferWhatToDoNext() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/?q=zzzqqq&source=itunes")
            try page.waitFor("document.querySelector('#help')?.innerText.includes('Nothing was found')")
            #expect(try page.text("#help").contains("Search what is stored"))
            try page.click("#help a")
            try page.waitFor("location.search === '?q=zzzqqq'")
            #expect(page.complaints == [])
        }
    }

    @Test func aSearchOfWhichASourceFailedSaysSoInItsFirstLine() async throws {
        let market = Market()
        defer { market.origin.stop() }
        market.set("dnd5e", .send(ok("", status: "500 Oops")))
        try await withLarder(market.configuration(key: true)) { larder in
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)/?q=fire")
                try page.waitFor(
                    "/results?; 1 of [0-9]+ sources failed$/.test(document.querySelector('#outcome').innerText)")
                #expect(try page.has("document.querySelector('#outcome').classList.contains('warn')"))
                #expect(try page.text("#sources summary") == "1 source failed")
                try page.click("#sources summary")
                #expect(try page.text("#sources .failures li").hasPrefix("D&D 5e SRD: "))
                #expect(page.complaints == [])
            }
        }
    }

    // MARK: The cache

    @Test func theSameSearchAgainCallsNoAPI() async throws {
        let market = Market()
        defer { market.origin.stop() }
        try await withLarder(market.configuration(key: true)) { larder in
            try await ConsoleStand.onPage { page in
                func search() throws {
                    try page.open("http://\(larder.address)/?q=fire")
                    try page.waitFor("document.querySelectorAll('#results .card').length > 0")
                    try page.waitFor("!document.querySelector('#outcome').classList.contains('working')")
                }
                try search()
                let calls = market.origin.requests.count
                #expect(calls > 0)
                for _ in 0..<3 { try search() }
                #expect(
                    market.origin.requests.count == calls, "\(market.origin.requests.dropFirst(calls).map(\.target))")
                #expect(try page.text("#outcome").contains("from the cache"))
            }
            // Larder was asked each time, because an answer after a purge is another.
            let seen = try await larder.get("/v1/requests").json()["requests"]
            #expect(seen?.elements.count { $0["route"]?.string == "search" } == 4, "\(String(describing: seen))")
        }
    }

    // MARK: The start and the keys

    @Test func theStartShowsTheLastSearchesOfThisBrowser() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base)
            #expect(try page.has("document.getElementById('recent').hidden"))
            #expect(try page.text("#states").contains("ready"))
            try page.search("lantern")
            try page.waitFor("document.querySelectorAll('#results .card').length > 5")
            #expect(try page.has("document.getElementById('start').hidden"))
            try page.open(base)
            try page.waitFor("document.querySelector('#recent-terms a')?.innerText === 'lantern'")
            try page.click("#recent-terms button")
            try page.waitFor("document.getElementById('recent').hidden")
        }
    }

    @Test func keysMoveAndOpen() async throws {
        try await ConsoleStand.withSamples { page, base in
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: String(base.dropFirst("http://".count)))
            try page.open(base + "/now")
            try page.waitFor("document.querySelector('#requests tr button')")
            try page.press("j")
            #expect(try page.has("document.activeElement === document.querySelector('#requests tr button')"))
            try page.press("Enter")
            try page.waitFor("document.querySelector('dialog .verdict')")
            try page.press("Escape")
            try page.press("/")
            #expect(try page.value("document.activeElement.id")?.string == "path")
            _ = try page.value("document.activeElement.blur()")
            try page.press("?")
            try page.waitFor("document.querySelector('dialog[open] kbd')")
            try page.click("dialog [type=checkbox]")
            try page.press("Escape")
            try page.press("/")
            #expect(try page.value("document.activeElement.id")?.string != "path", "keys are switched off")
            _ = try page.value("localStorage.clear()")
        }
    }

    // MARK: Addresses and plots

    @Test func anEntryHasAnAddress() async throws {
        try await ConsoleStand.withSamples { page, base in
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: String(base.dropFirst("http://".count)))
            try page.open(base + "/store")
            try page.giveToken(ConsoleStand.token)
            try page.waitFor("document.querySelector('#entries button')")
            try page.click("th a[data-order=recentlyUsed]")
            try page.waitFor("location.search === '?order=recentlyUsed'")
            #expect(try page.text("th[aria-sort=descending]").hasPrefix("Last used"))
            try page.waitFor("document.querySelector('#entries button')?.innerText.startsWith('/')")
            #expect(try page.count("#bases .mono") > 0, "the origin is told once, above the list")
            try page.click("#entries button")
            try page.waitFor("document.querySelector('dialog .facts')")
            let address = try #require(try page.value("location.href")?.string)
            try page.open(address)
            try page.waitFor("document.querySelector('dialog')?.innerText.includes('token')")
            try page.press("Escape")
            try page.giveToken(ConsoleStand.token)
            try page.waitFor("document.querySelector('dialog[open] .facts')?.innerText.includes('itunes')")
        }
    }

    @Test func aFailedRequestIsPlottedInTheColourOfErrorsAndLowersTheHitRatio() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for _ in 0..<2 { _ = try await larder.get("/v1/itunes/search?q=jack") }
            origin.stop()
            for term in ["one", "two"] { _ = try await larder.get("/v1/itunes/search?q=\(term)") }
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)/over-time?span=15m")
                try page.waitFor("document.querySelector('#plot-requests .fill.tone-bad')")
                #expect(try page.text("#plot-requests .legend li:has(.tone-bad)") == "failed")
                #expect(try page.text("#totals").contains("25.0 %"))
                try page.keepPicture("failed")
            }
        }
    }

    @Test func oneCrosshairGoesThroughAllPlots() async throws {
        try await ConsoleStand.withSamples { page, base in
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: String(base.dropFirst("http://".count)))
            try page.open(base + "/over-time?span=15m")
            try page.waitFor("document.querySelector('#plot-requests svg rect')")
            _ = try page.value("document.querySelector('#plot-requests .canvas').focus()")
            try page.press("ArrowLeft")
            try page.waitFor("document.querySelectorAll('.plot:not([hidden]) .cursor').length > 5")
            let plots = try page.count(".plot:not([hidden])")
            #expect(try page.count(".plot:not([hidden]) .cursor") == plots)
        }
    }

    @Test(arguments: [
        ("ticks(700000, false, true)", "0,262144,524288,786432"), ("ticks(3, true)", "0,1,2,3"),
        (
            "times(Date.UTC(2026, 0, 1, 9, 53), Date.UTC(2026, 0, 1, 10, 53), 6).map((at) => at / 60000 % 60)",
            "0,10,20,30,40,50"
        ),
    ])
    func ticksAreRoundInTheirUnit(_ call: String, _ values: String) async throws {
        try await withLarder { larder in
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)/over-time")
                let found = try page.value("import('/console/plot.js').then((plot) => String(plot.\(call)))")
                #expect(found?.string == values)
            }
        }
    }
}
