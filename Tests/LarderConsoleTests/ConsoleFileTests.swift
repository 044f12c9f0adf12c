// The parts of the console's files that can be checked without a browser: contrast, colours, imports, and what scripts
// may do.
import Foundation
import LarderCore
import Testing

@testable import LarderConsole

struct ConsoleFileTests {
    private static let scripts = ConsoleFile.names.filter { $0.hasSuffix(".js") }.map { (name: $0, text: text($0)) }

    private static func text(_ name: String) -> String {
        ConsoleFile.named(name).map { String(decoding: $0.body, as: UTF8.self) } ?? ""
    }

    @Test func everyImportNamesAFileAndEveryPageAScript() {
        for (name, text) in Self.scripts {
            for match in text.matches(of: #/(?:from|import) "\.\/([a-z-]+\.js)"/#) {
                #expect(ConsoleFile.named(String(match.1)) != nil, "\(name) imports \(match.1)")
            }
        }
        for view in ConsoleView.allCases { #expect(ConsoleFile.named(view.script) != nil) }
    }

    @Test func noScriptMakesMarkupOfText() {
        for (name, text) in Self.scripts {
            for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
                #expect(!text.contains(sink), "\(name): \(sink)")
            }
        }
    }

    @Test func everyWordOfTheGlossaryHasASentence() {
        #expect(Glossary.words.count > 50)
        for (word, sentence) in Glossary.words { #expect(sentence.hasSuffix("."), "\(word)") }
    }

    @Test func aFileHasTheTypeOfItsNameAndAValidatorOfItsBytes() throws {
        let style = try #require(ConsoleFile.named("console.css"))
        #expect(style.type == "text/css; charset=utf-8" && style.etag.count == 18)
        #expect(ConsoleFile.named("larder.svg")?.type == "image/svg+xml")
        #expect(ConsoleFile.named("../Package.swift") == nil)
        #expect(Set(ConsoleFile.names.compactMap { ConsoleFile.named($0)?.etag }).count == ConsoleFile.names.count)
    }

    @Test func aLostDaemonIsLookedForEachSecondAndNeverForLonger() {
        let script = Self.text("connection.js")
        #expect(script.contains("setInterval(watch, 1000);") && script.contains("AbortSignal.timeout(900)"))
    }

    // MARK: Colours

    @Test(arguments: ["light", "dark"])
    func everyPairOfColoursHasTheContrastOfAA(_ scheme: String) throws {
        let colours = try colours(scheme)
        func contrast(_ one: String, _ other: String) throws -> Double {
            let pair = [luminance(try #require(colours[one])), luminance(try #require(colours[other]))].sorted()
            return (pair[1] + 0.05) / (pair[0] + 0.05)
        }
        for ground in ["paper", "panel", "quiet"] {
            for text in ["ink", "soft", "accent", "bad", "link"] {
                #expect(try contrast(text, ground) >= 4.5, "\(text) on \(ground), \(scheme)")
            }
        }
        for (text, ground) in [
            ("onAccent", "accent"), ("accent", "wash"), ("good", "goodWash"), ("warn", "warnWash"), ("bad", "badWash"),
            ("warn", "panel"), ("good", "panel"), ("paper", "ink"), ("panel", "bad"),
        ] {
            #expect(try contrast(text, ground) >= 4.5, "\(text) on \(ground), \(scheme)")
        }
        for ground in ["paper", "panel"] {
            #expect(try contrast("edge", ground) >= 3, "edges of fields on \(ground), \(scheme)")
            for tone in 0...7 {
                #expect(try contrast("tone\(tone)", ground) >= 3, "tone\(tone) on \(ground), \(scheme)")
            }
        }
    }

    @Test func coloursStandInTheTwoRootsAndNowhereElse() {
        let style = Self.text("console.css")
        let rules = style.components(separatedBy: "/* The page */").last ?? ""
        #expect(rules.count > 1000 && !rules.contains(#/#[0-9a-fA-F]{3,8}\b/#))
    }

    @Test func nothingIsWiderThanANarrowScreen() {
        let style = Self.text("console.css")
        #expect(style.contains("overflow-wrap: anywhere") && style.contains("@media (max-width: 44rem)"))
        #expect(style.contains("minmax(min(23rem, 100%), 1fr)") && style.contains("max-width: 100%"))
    }

    /// The custom properties of one of the two `:root` rules.
    private func colours(_ scheme: String) throws -> [String: (Double, Double, Double)] {
        let head = try #require(Self.text("console.css").components(separatedBy: "/* The page */").first)
        let parts = head.components(separatedBy: "@media (prefers-color-scheme: dark)")
        var colours: [String: (Double, Double, Double)] = [:]
        for match in (scheme == "light" ? parts[0] : try #require(parts.last)).matches(of: #/--(\w+): #([0-9a-f]{6})/#)
        {
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
