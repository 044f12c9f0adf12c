// The example file and the manual are generated from the table, and the committed files equal the generated ones.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

struct SettingsPagesTests {
    /// The text of a file in the package.
    private func committed(_ path: String, file: String = #filePath) throws -> String {
        let root = file.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = try ConfigurationFile.read("/\(root)/\(path)", limit: 1 << 20)
        return try #require(bytes.strictText)
    }

    @Test func theCommittedExampleIsWhatTheTableSays() throws {
        let made = ExampleConfiguration.yaml()
        #expect(try committed("config/larder.yaml") == made, "run: larder params --yaml > config/larder.yaml")
    }

    @Test func theCommittedManualIsWhatTheTableSays() throws {
        let made = ConfigurationManual.markdown()
        #expect(try committed("Docs/configuration.md") == made, "run: larder params --markdown > Docs/configuration.md")
    }

    @Test func theExampleAsItIsChangesNothing() throws {
        let example = try load(ExampleConfiguration.yaml())
        let plain = try load("")
        #expect(example.providers == plain.providers)
        #expect(example.effective == plain.effective)
    }

    @Test func everyLineOfTheExampleIsTrueWithItsMarkTakenAway() throws {
        try withScratchDirectory { directory in
            for name in ["admin.token", "newsapi.key", "tmdb.key", "imgur.key", "imgur.clientSecret"] {
                try write("0123456789abcdef", to: "\(directory)/\(name)")
            }
            for name in ["shared.key", "shared.password", "artwork.key", "proxy.password"] {
                try write("0123456789abcdef0123456789abcdef", to: "\(directory)/\(name)")
            }
            try write("-----BEGIN CERTIFICATE-----\n", to: "\(directory)/example.pem")
            let lines = ExampleConfiguration.yaml()
                .split(separator: "\n", omittingEmptySubsequences: false)
                .map { line -> String in
                    let text = line.drop { $0 == " " }
                    guard text.hasPrefix("#"), !text.hasPrefix("# "), text.count > 1 else { return String(line) }
                    return String(line.prefix(line.count - text.count) + text.dropFirst())
                }
            let text = lines.joined(separator: "\n").replacing("/etc/larder/credentials", with: directory)
            let settings = try load(text)
            #expect(settings.providers["example"]?.isPassthrough == true)
            let written = settings.effective.filter { $0.origin != .standard }
            // Every setting of the table is in the example at least once.
            let templates = Set(written.map { SettingsTable.template(of: $0.path) })
            #expect(SettingsTable.all.map(\.path).filter { !templates.contains($0) } == [])
            // A setting that has a default is shown with it.
            for setting in written where setting.path != "listen" {
                guard let standard = setting.defaultText, !standard.isEmpty,
                    !setting.path.hasPrefix("providers.example")
                else { continue }
                #expect(setting.value == standard || ["cache.path", "state.path"].contains(setting.path), "\(setting)")
            }
        }
    }

    @Test func everyConfigurationOfTheManualIsValidAndChangesSomething() throws {
        try withScratchDirectory { directory in
            let names = ["admin.token", "tools.ci", "forge.key", "shared.key", "artwork.key", "tmdb.key"]
            for name in names { try write("0123456789abcdef0123456789abcdef", to: "\(directory)/\(name)") }
            let blocks = ConfigurationManual.markdown().split(separator: "```yaml\n").dropFirst()
            #expect(blocks.count > 10)
            for block in blocks {
                let text = block.prefix(upTo: block.firstRange(of: "```")?.lowerBound ?? block.endIndex)
                let settings = try load(String(text).replacing("/etc/larder/credentials", with: directory))
                #expect(settings.effective.contains { $0.origin != .standard }, "\(text)")
                let absent = settings.providers.values.filter { $0.keyFileProblem != nil }
                #expect(absent.isEmpty, "\(text)")
            }
        }
    }

    @Test func everySettingThatIsReadBelongsToATask() throws {
        let read = try load("providers: { mine: { kind: passthrough, baseURL: \"https://a\" } }\n").effective
        #expect(read.map(\.path).filter { SettingsTable.parameter(at: $0) == nil } == [])
    }

    @Test func theSectionAboutPassThroughHasWhatOnlyPassThroughTakes() throws {
        let own = try #require(
            try load("providers: { a: { kind: passthrough, baseURL: \"https://a\" } }").providers["a"])
        let about = SettingsLoader.passthrough("a")
        let described = try ProviderSemantics.allCases.map { semantics in
            var settings = try #require(
                try load("providers: { a: { baseURL: \"https://a\", feed: /b } }").providers["a"])
            settings.semantics = semantics
            return settings
        }
        let only = SettingsTable.providerEffects.filter { effect in
            effect.lack(own, about) == nil && described.allSatisfy { effect.lack($0, about) != nil }
        }
        let task = try #require(SettingsTable.tasks.first { $0.title.hasPrefix("Pass-through") })
        #expect(Set(task.parameters.filter { $0.path.hasPrefix("providers.") }) == Set(only.map(\.parameter)))
    }

    @Test func everyLinkWithinTheManualLeadsToAHeading() {
        let page = ConfigurationManual.markdown()
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("#") }
            .map { "#" + ConfigurationManual.anchor(String($0.drop { $0 == "#" }.dropFirst())) }
        let links = page.split(separator: "](").dropFirst().map { String($0.prefix { $0 != ")" }) }
        #expect(links.filter { $0.hasPrefix("#") && !headings.contains($0) } == [])
    }

    @Test func noCellOfTheManualIsLong() {
        let rows = ConfigurationManual.markdown().split(separator: "\n").filter { $0.hasPrefix("|") }
        let cells = rows.flatMap { $0.split(separator: "|") }
        #expect(cells.filter { $0.count > 320 } == [])
    }
}
