// Shared by the console's tests in a real browser: the browser, and a daemon in front of the samples.
import Glibc
import LarderCore
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

/// Gives a suite one browser. If there is no browser, the suite is skipped with a message; under CI it fails.
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
    /// Disables the tests if Chromium is missing and may be missing.
    static var withChromium: Self {
        .disabled(if: Browser.isMissingAndMayBe, "SKIPPED: there is no chromium here (make deps installs it)")
    }
}

enum ConsoleStand {
    @TaskLocal static var browser: Browser?

    static let token = "open-sesame-0123456789"

    /// The settings of a daemon in front of a stand-in with the samples.
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

    /// Runs the body with a page of a daemon in front of the samples. The body runs on its own thread and may block.
    static func withSamples(_ body: @escaping @Sendable (BrowserPage, String) throws -> Void) async throws {
        let origin = try OriginServer(source: .samples, rewritesImageHosts: true)
        try origin.start()
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            try await onPage { page in try body(page, "http://\(larder.address)") }
        }
    }

    /// Like `withSamples`, but uses the daemon that LARDER_AXE_URL names, if it is set.
    static func withDaemon(_ body: @escaping @Sendable (BrowserPage, String, String) throws -> Void) async throws {
        guard let url = getenv("LARDER_AXE_URL").map({ String(cString: $0) }) else {
            return try await withSamples { page, base in try body(page, base, Self.token) }
        }
        let given = getenv("LARDER_AXE_TOKEN").map { String(cString: $0) } ?? ""
        try await onPage { page in try body(page, url, given) }
    }

    /// Runs the body with a new page.
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

    /// Whether nothing is wider than the screen.
    func fitsItsWidth() throws -> Bool {
        try has("document.documentElement.scrollWidth <= innerWidth")
    }
}
