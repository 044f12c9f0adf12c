// The page at `/`, as far as it can be judged without a browser.
import Foundation
import LarderCore
import Testing

@testable import LarderDaemon
@testable import LarderEngine

struct DashboardTests {
    @Test(arguments: [
        ([], false), (["none"], false), (["cross-site"], false), (["same-site"], false), (["same-origin"], true),
        (["same-origin", "cross-site"], false), (["cross-site", "same-origin"], false),
    ])
    func onlyANavigationOfItsOwnOriginSearchesByItself(_ sites: [String], _ searches: Bool) {
        var fields: HeaderFields = [:]
        for site in sites { fields.add("Sec-Fetch-Site", site) }
        #expect(Dashboard.searchesByItself(fields) == searches)
    }

    @Test func theScriptSearchesByItselfOnlyWhereThePageSaysSo() throws {
        let script = "\(Dashboard.script)"
        let condition = #"if (document.documentElement.dataset.search === "runs") search(new Event("submit"));"#
        #expect(script.components(separatedBy: "search(new Event").count == 2 && script.contains(condition))
    }

    @Test func noFieldOfTheProtocolIsShownAsItIs() {
        let script = "\(Dashboard.script)"
        #expect(script.components(separatedBy: "Cache-Status").count == 3, "read once, named once in a comment")
        #expect(script.contains("fresh for another ") && script.contains(" past its time"))
    }

    @Test func aLostDaemonIsLookedForEachSecondAndNeverForLonger() {
        let script = "\(Dashboard.script)"
        #expect(script.contains("setInterval(watch, 1000);") && script.contains("AbortSignal.timeout(900)"))
        #expect("\(Dashboard.page)".contains(#"<p id="lost" role="alert" hidden></p>"#))
    }

    @Test(arguments: ["light", "dark"])
    func everyPairOfColoursHasTheContrastOfAA(_ scheme: String) throws {
        let colours = try colours(scheme)
        func contrast(_ one: String, _ other: String) throws -> Double {
            let pair = [luminance(try #require(colours[one])), luminance(try #require(colours[other]))].sorted()
            return (pair[1] + 0.05) / (pair[0] + 0.05)
        }
        for text in ["ink", "soft", "accent", "bad", "link"] {
            #expect(try contrast(text, "paper") >= 4.5, "\(text) on paper, \(scheme)")
        }
        #expect(try contrast("onAccent", "accent") >= 4.5, "the button, \(scheme)")
        #expect(try contrast("edge", "paper") >= 3, "edges of fields, \(scheme)")
    }

    @Test func coloursStandInTheTwoRootsAndNowhereElse() {
        let style = "\(Dashboard.style)"
        let roots = style.components(separatedBy: "--").count
        #expect(roots > 10)
        let rules = style.split(separator: "\n").filter { !$0.contains("--paper: #") && !$0.contains("--edge: #") }
        #expect(!rules.joined().contains(#/:\s*#[0-9a-fA-F]{3,8}/#))
    }

    @Test func nothingIsWiderThanANarrowScreen() {
        let style = "\(Dashboard.style)"
        #expect(style.contains("minmax(min(19rem, 100%), 1fr)") && style.contains("max-width: 100%"))
        #expect(style.contains("@media (max-width: 40rem)") && style.contains("overflow-wrap: anywhere"))
    }

    // MARK: Colours

    /// The custom properties of one of the two roots.
    private func colours(_ scheme: String) throws -> [String: (Double, Double, Double)] {
        let parts = "\(Dashboard.style)".components(separatedBy: "@media (prefers-color-scheme: dark)")
        let root = scheme == "light" ? parts[0] : try #require(parts.last?.components(separatedBy: "* {").first)
        var colours: [String: (Double, Double, Double)] = [:]
        for match in root.matches(of: #/--(\w+): #([0-9a-f]{6})/#) {
            let value = try #require(Int(match.2, radix: 16))
            colours[String(match.1)] = (Double(value >> 16), Double(value >> 8 & 0xFF), Double(value & 0xFF))
        }
        return colours
    }

    /// Relative luminance (WCAG 2.2, §Terms).
    private func luminance(_ colour: (Double, Double, Double)) -> Double {
        func linear(_ channel: Double) -> Double {
            let share = channel / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }
}
