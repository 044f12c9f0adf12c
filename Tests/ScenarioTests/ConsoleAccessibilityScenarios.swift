// The console before axe-core, a public tester of accessibility (scripts/public-testers/axe, outside CI): each page, in both
// colours, on a narrow and a wide screen, with its dialog open too.
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
        try await ConsoleStand.withSamples { page, base in
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
                if path == "/providers" { try page.giveToken(ConsoleStand.token) }
                try Self.look(page, axe, path)
            }
        }
    }

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
