// The console in a real browser: what a person sees, can click and is told.
import Glibc
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite(.serialized, .withChromium, InBrowser())
struct ConsoleBrowserScenarios {
    static let pages = ["/", "/?q=lantern", "/now", "/over-time", "/over-time?span=month", "/providers", "/store"]

    // MARK: Searching

    @Test func aSearchShowsItsResultsAndTheAddressSaysIt() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base)
            try page.search("lantern")
            try page.waitFor("document.querySelectorAll('#results .card').length > 5")
            #expect(try page.value("location.pathname + location.search")?.string == "/?q=lantern")
            #expect(try page.text("#results").contains("The Lantern Keeper"))
            #expect(try page.count("#results img") > 0)
            try page.keepPicture("search")
            #expect(page.complaints == [])
        }
    }

    @Test func eachSourceIsShownWhenItHasAnswered() async throws {
        let gate = Gate()
        let market = Market()
        defer { market.origin.stop() }
        market.set("dnd5e", .await(gate), .send(ok(#"{"count":0,"results":[]}"#)))
        defer { gate.open() }
        try await withLarder(market.configuration(key: true, [:], "")) { larder in
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)")
                try page.search("fire")
                try page.waitFor("document.querySelector('#outcome').textContent.includes('waiting for D&D 5e SRD')")
                try page.waitFor("document.querySelectorAll('#results .card').length > 0")
                gate.open()
                try page.waitFor("!document.querySelector('#outcome').textContent.includes('waiting')")
                #expect(page.complaints == [])
            }
        }
    }

    @Test func backShowsTheSearchBeforeAndTheTabBefore() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base)
            try page.search("lantern")
            try page.waitFor("document.querySelectorAll('#results .card').length > 5")
            try page.waitFor("document.querySelector(\"#tabs a[href*='kind=movie']\")")
            try page.click("#tabs a[href*='kind=movie']")
            try page.waitFor(
                "[...document.querySelectorAll('#results .pill')].every((one) => one.innerText === 'movie')")
            try page.search("dragon")
            try page.waitFor("document.querySelector('#results').innerText.includes('Adult Red Dragon')")
            try page.goBack()
            try page.waitFor("location.search === '?q=lantern&kind=movie'")
            try page.waitFor("document.querySelector('#results').innerText.includes('The Lantern Keeper')")
            try page.goBack()
            try page.waitFor("document.querySelectorAll('#results .card').length > 5")
            #expect(try page.value("document.getElementById('q').value")?.string == "lantern")
        }
    }

    @Test func aLinkFromElsewhereFillsTheFieldInAndWaits() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open("data:text/html,<a href='\(base)/?q=lantern'>lantern</a>")
            try page.click("a")
            try page.waitFor("document.querySelector('#outcome')?.textContent.includes('press Search')")
            #expect(try page.count("#results .card") == 0)
        }
    }

    @Test func aSearchOfTheAddressBarIsAnsweredAtOnce() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/?q=lantern")
            try page.waitFor("document.querySelectorAll('#results .card').length > 5")
        }
    }

    @Test func aResultTellsWhyItIsHereAndShowsItsRecord() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base)
            try page.search("lantern")
            try page.waitFor("document.querySelector('#results .card button[aria-label^=The]')")
            try page.click("#results .card button[aria-label^=Why]")
            try page.waitFor("document.querySelector('dialog .verdict')?.innerText.endsWith('.')")
            #expect(try page.has("!document.querySelector('dialog .timeline').closest('details').open"))
            try page.press("Escape")
            try page.waitFor("!document.querySelector('dialog').open")
            try page.click("#results .card button[aria-label^=The]")
            try page.waitFor("document.querySelector('dialog pre')?.textContent.includes('{')")
            #expect(page.complaints == [])
        }
    }

    @Test func markupInAResultStaysText() async throws {
        let song = BasicScenarios.song.replacing("Upside Down", with: "<img src=x onerror=document.title='run'>")
        let origin = ScriptedOrigin(answering: ok(song, fields: "Content-Type: text/javascript; charset=utf-8\r\n"))
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            try await ConsoleStand.onPage { page in
                try page.open("http://\(larder.address)")
                try page.search("jack")
                try page.waitFor("document.querySelectorAll('#results .card').length === 1")
                #expect(try page.text("#results h2").hasPrefix("<img src=x"))
                #expect(try page.count("#results h2 img") == 0)
                #expect(try page.value("document.title")?.string != "run")
            }
        }
    }

    // MARK: Requests, providers, the store

    @Test func aRequestIsShownWhenItHappensAndExplainedByAClick() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/now")
            try page.waitFor("document.documentElement.classList.contains('scripted')")
            let address = String(base.dropFirst("http://".count))
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.waitFor("document.querySelector('#requests').innerText.includes('/v1/itunes/search')")
            try page.click("#requests tr button[title*='/v1/itunes/search']")
            try page.waitFor("document.querySelector('dialog .sentences li')")
            try page.keepPicture("explained")
            #expect(page.complaints == [])
        }
    }

    @Test func aPausedListStaysAndGoesOnWhereItWas() async throws {
        try await ConsoleStand.withSamples { page, base in
            let address = String(base.dropFirst("http://".count))
            try page.open(base + "/now")
            try page.waitFor("document.documentElement.classList.contains('scripted')")
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.waitFor("document.querySelectorAll('#requests tr').length > 0")
            try page.click("#pause")
            let count = try page.count("#requests tr")
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.waitFor("document.querySelector('#stream').textContent.includes('1 request waiting')")
            #expect(try page.count("#requests tr") == count)
            try page.click("#pause")
            try page.waitFor("document.querySelectorAll('#requests tr').length === \(count + 1)")
        }
    }

    @Test func aPausedListStaysWhenItsTabWasLeft() async throws {
        try await ConsoleStand.withSamples { page, base in
            let address = String(base.dropFirst("http://".count))
            try page.open(base + "/now")
            try page.waitFor("document.documentElement.classList.contains('scripted')")
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.waitFor("document.querySelectorAll('#requests tr').length > 0")
            try page.click("#pause")
            let count = try page.count("#requests tr")
            for isHidden in ["true", "false"] {
                _ = try page.value(
                    "Object.defineProperty(document, 'hidden', { value: \(isHidden), configurable: true })"
                        + " && document.dispatchEvent(new Event('visibilitychange'))")
            }
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.waitFor("/[1-9][0-9]* requests? waiting/.test(document.querySelector('#stream').textContent)")
            #expect(try page.count("#requests tr") == count)
            try page.click("#pause")
            try page.waitFor("document.querySelectorAll('#requests tr').length === \(count + 1)")
        }
    }

    @Test func withoutATokenOnlyNamesOfParametersAreShown() async throws {
        try await ConsoleStand.withSamples { page, base in
            let address = String(base.dropFirst("http://".count))
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            for path in ["/now", "/store"] {
                try page.open(base + path)
                try page.waitFor("document.querySelectorAll('.rows tbody tr').length > 0")
                #expect(try !page.text("main").contains("johnson"), "\(path)")
                try page.giveToken(ConsoleStand.token)
                try page.waitFor("document.querySelector('main').innerText.includes('johnson')")
            }
        }
    }

    @Test func aRemovalIsConfirmedAndNeedsTheToken() async throws {
        try await ConsoleStand.withSamples { page, base in
            let address = String(base.dropFirst("http://".count))
            let target = "/v1/itunes/search?q=jack+johnson"
            _ = try LarderProcess.get(target, at: address)
            try page.open(base + "/store")
            try page.waitFor("!document.getElementById('purge').hidden")
            try page.type("itunes", into: "#purge-value")
            try page.click("#purge-try")
            try page.waitFor("document.querySelector('#purge-word').innerText.includes('token')")
            #expect(try page.has("document.getElementById('purge-do').hidden"))
            try page.giveToken(ConsoleStand.token)
            try page.click("#purge-try")
            try page.waitFor("!document.getElementById('purge-do').hidden")
            let stored = try LarderProcess.get(target, at: address)
            #expect(stored["Cache-Status"]?.contains("hit") == true, "the first click removes nothing: \(stored)")
            try page.keepPicture("purge")
            try page.click("#purge-do")
            try page.waitFor("document.querySelector('#purge-word').innerText.includes('removed')")
            let fetched = try LarderProcess.get(target, at: address)
            #expect(fetched["Cache-Status"]?.contains("fwd=uri-miss") == true, "\(fetched)")
        }
    }

    @Test func anEntryIsLookedAtWithTheToken() async throws {
        try await ConsoleStand.withSamples { page, base in
            let address = String(base.dropFirst("http://".count))
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.open(base + "/store")
            try page.waitFor("document.querySelectorAll('#entries tr').length > 1")
            try page.giveToken(ConsoleStand.token)
            try page.waitFor("document.querySelector('#entries button')")
            try page.click("#entries button")
            try page.waitFor("document.querySelector('dialog .facts')?.innerText.includes('itunes')")
            try page.keepPicture("entry")
            #expect(page.complaints == [])
        }
    }

    /// Answers the page's questions for entries with one entry each. Its size is 10 times the number of the question.
    /// - Parameter looks: the number of answers that do not examine all entries.
    private static func examining(_ looks: Int) -> String {
        """
        window.asked = []; window.realFetch = window.realFetch || window.fetch;
        window.fetch = (path, options) => {
          if (!path.startsWith("/v1/entries?")) return window.realFetch(path, options);
          const after = Number(new URL(path, location).searchParams.get("after"));
          window.asked.push(after);
          const more = after < \(looks) ? { complete: false, next: String(after + 1) } : {};
          return Promise.resolve(new Response(JSON.stringify(
            { ...more, entries: [{ label: "look " + after, provider: "itunes", kind: "raw", bytes: 10 * after }] })));
        };
        document.getElementById("filters").requestSubmit(); true
        """
    }

    @Test func theListOfEntriesGoesOnWhereALookEnded() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/store")
            try page.waitFor("document.querySelector('#filters [name=order]')")
            _ = try page.value(Self.examining(2))
            try page.waitFor("document.querySelectorAll('#entries tr').length === 3")
            let labels = "[...document.querySelectorAll('#entries tr .target')].map((cell) => cell.innerText).join()"
            #expect(try page.value(labels)?.string == "look 2,look 1,look 0", "in the order of their sizes")
            #expect(try page.text("#refusal") == "")
        }
    }

    @Test func aListOfEntriesThatDoesNotEndIsCutAndSaysSo() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/store")
            try page.waitFor("document.querySelector('#filters [name=order]')")
            _ = try page.value(Self.examining(1000))
            try page.waitFor("document.querySelectorAll('#entries tr').length === 10")
            #expect(try page.text("#refusal").contains("no time"))
            #expect(try page.has("window.asked.length === 10"))
        }
    }

    @Test func aTokenIsForgottenWithItsPage() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/providers")
            try page.waitFor("document.querySelectorAll('.provider').length > 5")
            try page.giveToken(ConsoleStand.token)
            #expect(try !page.has("document.documentElement.outerHTML.includes('\(ConsoleStand.token)')"))
            try page.open(base + "/providers")
            try page.waitFor("document.querySelectorAll('.provider').length > 5")
            #expect(try page.has("document.getElementById('token').dataset.given !== 'yes'"))
            try page.waitFor("document.querySelector('.provider footer button')?.disabled")
        }
    }

    @Test func aProviderIsSuspendedAndResumedByHand() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/providers")
            try page.waitFor("document.querySelectorAll('.provider').length > 5")
            try page.giveToken(ConsoleStand.token)
            try page.click("[data-provider=itunes] footer button")
            try page.waitFor("document.querySelector('[data-provider=itunes] .pill').innerText === 'suspended'")
            try page.waitFor("document.querySelector('[data-provider=itunes] footer button').innerText === 'Resume'")
            try page.click("[data-provider=itunes] footer button")
            try page.waitFor("document.querySelector('[data-provider=itunes] .pill').innerText === 'ready'")
            #expect(page.complaints == [])
        }
    }

    @Test func plotsAreDrawnAndReadByTheArrowKeys() async throws {
        try await ConsoleStand.withSamples { page, base in
            let address = String(base.dropFirst("http://".count))
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: address)
            try page.open(base + "/over-time")
            try page.waitFor("document.querySelector('#plot-requests svg rect')")
            _ = try page.value("document.querySelector('#plot-requests .canvas').focus()")
            try page.press("ArrowLeft")
            try page.waitFor("/[1-9]/.test(document.querySelector('#plot-requests .reading').innerText)")
            try page.keepPicture("over-time")
            #expect(page.complaints == [])
        }
    }

    @Test func callsAreHeldAgainstTheirBudget() async throws {
        try await ConsoleStand.withSamples { page, base in
            _ = try LarderProcess.get("/v1/itunes/search?q=jack+johnson", at: String(base.dropFirst("http://".count)))
            try page.open(base + "/over-time")
            // One call of 20 a minute was made.
            try page.waitFor(
                "document.querySelector('#plot-budgets figcaption .soft').innerText === 'itunes 20 a minute'")
            #expect(try page.count("#plot-budgets .legend li") == 0, "one series needs no legend")
            _ = try page.value("document.querySelector('#plot-budgets .canvas').focus()")
            try page.press("ArrowLeft")
            try page.waitFor("document.querySelector('#plot-budgets .reading b').innerText === '5 %'")
            #expect(page.complaints == [])
        }
    }

    // MARK: The connection

    @Test func aDaemonThatStopsIsSaidAndThePageComesBackByItself() async throws {
        let origin = try OriginServer(source: .samples, rewritesImageHosts: true)
        try origin.start()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        // The port belongs to nobody else while the daemon is down, because the page knows no other address.
        let place = LoopbackPort()
        let launch = LarderLaunch(
            """
            listen: ["127.0.0.1:\(place.number)"]
            cache: { path: \(directory.path)/cache }
            state: { path: \(directory.path)/state }
            \(ConsoleStand.configuration(origin))
            """)
        try await ConsoleStand.onPage { page in
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening()[0]
            try page.open("http://\(address)/providers")
            try page.waitFor("document.querySelectorAll('.provider').length > 5")
            larder.signal(SIGTERM)
            try larder.waitForEnd()
            try page.waitFor("!document.getElementById('lost').hidden")
            #expect(try page.text("#lost").contains("does not answer"))
            try page.keepPicture("lost")
            let other = try LarderProcess(launch, in: directory)
            _ = try other.listening()
            try page.waitFor("document.getElementById('lost').hidden")
        }
        withExtendedLifetime(place) {}
    }

    // MARK: Screens

    @Test(arguments: [false, true])
    func nothingIsWiderThan360PixelsInEitherColour(_ isDark: Bool) async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.setScreen(width: 360, height: 740, isDark: isDark)
            for (number, path) in Self.pages.enumerated() {
                try page.open(base + path)
                if path.hasPrefix("/?q") {
                    try page.press("Enter")
                    try page.waitFor("document.querySelectorAll('#results .card').length > 5")
                } else {
                    try page.waitFor("document.documentElement.classList.contains('scripted')")
                }
                #expect(try page.fitsItsWidth(), "\(path)")
                try page.keepPicture("narrow-\(isDark ? "dark" : "light")-\(number)")
            }
            let paper = try page.value("getComputedStyle(document.body).backgroundColor")?.string ?? ""
            #expect((paper == "rgb(20, 19, 18)") == isDark, "\(paper)")
            #expect(page.complaints == [])
        }
    }

    @Test func everyPageIsReadWithoutAScript() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.disableScripts()
            for path in Self.pages {
                try page.open(base + path)
                #expect(try page.fitsItsWidth(), "\(path)")
                #expect(try page.count("main h1") == 1, "\(path)")
            }
            try page.open(base + "/providers")
            #expect(try page.text("#providers").contains("iTunes Search"))
            try page.open(base)
            try page.type("lantern", into: "#q")
            try page.press("Enter")
            try page.waitFor("document.querySelectorAll('#results .card').length > 5")
            #expect(try page.text("#results").contains("The Lantern Keeper"))
            try page.click("#tabs a[href*='kind=movie']")
            try page.waitFor(
                "location.search.includes('kind=movie') && document.querySelectorAll('#results .card').length === 2")
            try page.keepPicture("plain")
            #expect(page.complaints == [])
        }
    }

    @Test func technicalWordsAreExplainedToTheKeyboardToo() async throws {
        try await ConsoleStand.withSamples { page, base in
            try page.open(base + "/providers")
            try page.waitFor("document.querySelectorAll('.provider').length > 5")
            _ = try page.value("document.querySelector('.provider abbr').focus()")
            try page.waitFor("document.getElementById('tip')?.hidden === false")
            #expect(try page.text("#tip").contains("The provider can be called"))
            try page.press("Escape")
            try page.waitFor("document.getElementById('tip').hidden")
        }
    }
}
