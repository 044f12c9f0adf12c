// The console is checked by axe-core, a public accessibility tester (scripts/public-testers/axe, outside CI): each
// page, in both colour schemes, on a narrow and a wide screen, also with its dialogs open. LARDER_AXE_URL and
// LARDER_AXE_TOKEN select a running daemon, such as that of `larder demo --keep`, in place of the test's own.
import FoundationEssentials
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite(.serialized, .enabled(if: getenv("LARDER_AXE") != nil), InBrowser())
struct ConsoleAccessibilityScenarios {
    @Test(arguments: [360, 1280], [false, true])
    func noPageHasAFinding(_ width: Int, _ isDark: Bool) async throws {
        let file = try #require(getenv("LARDER_AXE").map { String(cString: $0) })
        let axe = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
        try await ConsoleStand.withDaemon { page, base, token in
            try page.setScreen(width: width, isDark: isDark)
            try page.passOverPolicy()
            for path in ConsoleBrowserScenarios.pages {
                try page.open(base + path)
                try page.waitFor("document.documentElement.classList.contains('scripted')")
                if path.hasPrefix("/?q") {
                    try page.press("Enter")
                    try page.waitFor("document.querySelectorAll('#results .card').length > 5")
                    try Self.look(page, axe, path)
                    try page.click("#results .card button[aria-label^=Why]")
                    try page.waitFor("document.querySelector('dialog .sentences li')")
                }
                if path == "/providers" || path == "/store" { try page.giveToken(token) }
                switch path {
                case "/now": try page.waitFor("document.querySelector('#requests tr button')")
                case "/over-time": try page.waitFor("document.querySelector('#plot-requests svg rect')")
                case "/providers": try page.waitFor("document.querySelectorAll('.provider').length > 5")
                case "/store": try page.waitFor("document.querySelector('#entries button')")
                default: break
                }
                try Self.look(page, axe, path)
                guard let opener = Self.openers[path] else { continue }
                try page.click(opener)
                try page.waitFor("document.querySelector('dialog').open")
                try Self.look(page, axe, "\(path), its dialog")
                if path == "/store" {
                    try page.press("Escape")
                    try page.type("itunes", into: "#purge-value")
                    try page.click("#purge-try")
                    try page.waitFor("document.querySelector('#purge-word').innerText !== ''")
                    try Self.look(page, axe, "\(path), a removal to confirm")
                }
            }
        }
    }

    /// The selector of the element that opens each page's dialog.
    private static let openers = ["/now": "#requests tr button", "/store": "#entries button"]

    private static func look(_ page: BrowserPage, _ axe: String, _ path: String) throws {
        _ = try page.value("\(axe); true")
        let findings = try page.value(
            """
            axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.map((one) =>
              one.id + ": " + one.help + " " + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")))
            """)
        let said = (findings?.elements).map { $0.compactMap(\.string) } ?? ["axe said nothing"]
        #expect(said == [], "\(path)")
    }
}
