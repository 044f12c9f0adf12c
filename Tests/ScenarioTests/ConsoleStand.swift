// What the console's tests in a real browser share: the browser, and a daemon with the samples behind it.
import Glibc
import LarderCore
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

/// One browser for the tests of a suite. Where there is none the suite is skipped, and says so; under CI it fails.
struct InBrowser: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let browser = try await onOwnThread { try Browser() }
        do {
            try await ConsoleStand.$browser.withValue(browser) { try await function() }
        } catch {
            try await onOwnThread { browser.end() }
            throw error
        }
        try await onOwnThread { browser.end() }
    }
}

extension Trait where Self == ConditionTrait {
    /// Chromium is there, or must be.
    static var withChromium: Self {
        .disabled(if: Browser.isMissingAndMayBe, "SKIPPED: there is no chromium here (make deps installs it)")
    }
}

enum ConsoleStand {
    @TaskLocal static var browser: Browser?

    static let token = "open-sesame-0123456789"

    /// Settings of a daemon before a stand-in with the samples.
    static func configuration(_ origin: OriginServer) -> String {
        let providers = ProviderRegistry.builtIn.map(\.about).map { about in
            let name = about.name
            var settings = ["baseURL: \"\(origin.baseURL(for: name))\"", "imageHosts: [\"\(origin.root)\"]"]
            if about.searchBase != nil { settings.append("searchURL: \"\(origin.baseURL(for: name))\"") }
            if about.needsKey { settings.append("key: any-will-do") }
            return "  \(name): { \(settings.joined(separator: ", ")) }"
        }
        return "admin: { token: \(token) }\nproviders:\n" + providers.joined(separator: "\n") + "\n"
    }

    /// A page before a daemon with the samples. The body blocks, on a thread of its own.
    static func withSamples(_ body: @escaping @Sendable (BrowserPage, String) throws -> Void) async throws {
        let origin = try OriginServer(source: .samples, rewritesImageHosts: true)
        try origin.start()
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            try await onPage { page in try body(page, "http://\(larder.address)") }
        }
    }

    /// The same before the daemon that LARDER_AXE_URL names, where it names one.
    static func withDaemon(_ body: @escaping @Sendable (BrowserPage, String, String) throws -> Void) async throws {
        guard let url = getenv("LARDER_AXE_URL").map({ String(cString: $0) }) else {
            return try await withSamples { page, base in try body(page, base, Self.token) }
        }
        let given = getenv("LARDER_AXE_TOKEN").map { String(cString: $0) } ?? ""
        try await onPage { page in try body(page, url, given) }
    }

    /// A page of its own.
    static func onPage(_ body: @escaping @Sendable (BrowserPage) throws -> Void) async throws {
        let browser = try #require(browser)
        try await onOwnThread { try body(browser.page()) }
    }
}

extension BrowserPage {
    /// Types a term and presses Enter.
    func search(_ term: String) throws {
        _ = try value("document.getElementById('q').value = ''")
        try type(term, into: "#q")
        try press("Enter")
    }

    func giveToken(_ token: String) throws {
        try type(token, into: "#token-field")
        try press("Enter")
        try waitFor("document.getElementById('token').dataset.given === 'yes'")
    }

    /// Nothing reaches beyond the screen's width.
    func fitsItsWidth() throws -> Bool {
        try has("document.documentElement.scrollWidth <= innerWidth")
    }
}
