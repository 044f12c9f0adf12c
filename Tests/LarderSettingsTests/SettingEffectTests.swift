// Settings that have no effect where they are written, and keys whose file does not exist yet.
import Foundation
import Glibc
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct SettingEffectTests {
    @Test func everySettingOfAProviderHasOneRecord() {
        let paths = SettingsTable.providerEffects.map(\.parameter.path)
        #expect(Set(paths) == Set(SettingsTable.provider.map(\.path)) && Set(paths).count == paths.count)
    }

    @Test(arguments: [
        ("emptyTTL: 1h", "emptyTTL: has no effect under semantics: rfc"),
        ("negativeTTL: 1h", "it needs semantics: ttl"), ("staleWhileRefresh: 1h", "it needs semantics: ttl"),
        ("imageHosts: [\"*\"]", "imageHosts: has no effect here"), ("plainHTTP: true", "it is for built-in APIs"),
        ("semantics: ttl, cdnCacheControl: true", "it needs semantics: rfc"),
        ("semantics: ttl, imageHosts: [\"*\"]", "imageHosts: has no effect here"),
        ("keyIn: basic", "there is no key"), ("clientSecret: abc", "mine has no sign-in"),
        ("searchURL: \"https://b\"", "mine has one host"),
    ])
    func aSettingInVainIsAnErrorThatSaysWhatIsMissing(_ setting: String, _ message: String) {
        let found = findings("providers: { mine: { kind: passthrough, baseURL: \"https://a\", \(setting) } }\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test(arguments: [
        ("itunes: { key: abc }", "itunes takes no key"),
        ("itunes: { semantics: rfc, ttl: 1h }", "it needs semantics: ttl"),
        ("jokes: { cdnCacheControl: true, semantics: rfc }", "it is for providers of your own"),
        ("tmdb: { key: abc, keyIn: query k }", "Larder knows where it takes its key"),
        ("dnd5e: { clientSecret: abc }", "dnd5e has no sign-in"),
        ("dnd5e: { keyFields: [X-A] }", "Larder makes the requests to dnd5e itself"),
        ("itunes: { keyCredentials: false }", "Larder makes the requests to itunes itself"),
    ])
    func soItIsForBuiltInProviders(_ text: String, _ message: String) {
        let found = findings("providers: { \(text) }\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func whatHasAnEffectIsTaken() throws {
        let rules = "semantics: ttl, ttl: 1h, emptyTTL: 1s, negativeTTL: 1s, staleFor: 1h, staleWhileRefresh: 1s"
        let own = "kind: passthrough, baseURL: \"https://a\", key: abc, keyIn: query k, rate: 1/s, quota: 9/day"
        #expect(findings("providers: { mine: { \(own), \(rules) } }\n").isEmpty)
        #expect(findings("providers: { mine: { \(own), cdnCacheControl: true, staleFor: 1h, ttl: 1h } }\n").isEmpty)
        for about in ProviderRegistry.builtIn.map(\.about) {
            #expect(findings("providers: { \(about.name): { \(rules), imageHosts: [], plainHTTP: true } }\n").isEmpty)
        }
        #expect(findings("providers: { tmdb: { key: abc }, imgur: { key: abc, clientSecret: abc } }\n").isEmpty)
    }

    @Test func aWordThatIsNoneIsTheOnlyMistakeTold() {
        let found = findings(
            "providers: { m: { kind: passthrough, baseURL: \"https://a\", semantics: tll, ttl: 1h } }\n")
        #expect(found.count == 1 && found.first?.contains("is not one of ttl, rfc") == true, "\(found)")
    }

    @Test(arguments: ["newsapi: { ", "mine: { kind: passthrough, baseURL: \"https://a\", "])
    func aKeyFileThatIsNotThereYetLeavesItsProviderUnconfigured(_ start: String) throws {
        try withScratchDirectory { directory in
            let path = "\(directory)/later.key"
            let text = "providers: { \(start)key: \"file:\(path)\" } }\n"
            let name = String(start.prefix { $0 != ":" })
            var environment = plainEnvironment
            environment["NEWSAPI_KEY"] = "another"
            let early = try load(text, environment: environment)
            #expect(early.providers[name]?.key == nil && early.providers[name]?.keyFileProblem == .absent)
            #expect(early.notes.count == 1 && early.notes.first?.contains("\(path) does not exist") == true)
            #expect(
                early.secretFiles == [
                    SecretFile(setting: "providers.\(name).key", path: path, credential: "\(name).key")
                ])
            try write("the-key\n", to: path)
            let later = try load(text, environment: environment)
            #expect(later.providers[name]?.key == "the-key" && later.providers[name]?.keyFileProblem == nil)
            #expect(later.notes.isEmpty)
        }
    }

    @Test func aCredentialMakesUpForAFileThatIsNotThere() throws {
        try withScratchDirectory { directory in
            try write("from-credential\n", to: "\(directory)/newsapi.key")
            var environment = plainEnvironment
            environment["CREDENTIALS_DIRECTORY"] = directory
            let settings = try load("providers: { newsapi: { key: \"file:/nowhere/k\" } }\n", environment: environment)
            #expect(settings.providers["newsapi"]?.key == "from-credential" && settings.notes.isEmpty)
        }
    }

    @Test func aPipeThatNobodyWritesIsWaitedForBriefly() throws {
        try withScratchDirectory { directory in
            let path = "\(directory)/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            let settings = try load("providers: { newsapi: { key: \"file:\(path)\" } }\n")
            #expect(settings.providers["newsapi"]?.key == nil)
            #expect(settings.providers["newsapi"]?.keyFileProblem == .silent)
            #expect(settings.notes.first?.contains("\(path) is a pipe that gave nothing") == true, "\(settings.notes)")
        }
    }

    @Test func aPipeIsReadToItsEnd() throws {
        try withScratchDirectory { directory in
            let path = "\(directory)/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            Thread.detachNewThread {
                let descriptor = open(path, O_WRONLY)
                for piece in ["a-k", "ey\n"] {
                    _ = piece.utf8CString.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count - 1) }
                }
                close(descriptor)
            }
            let bytes = try ConfigurationFile.read(path, limit: 100, patience: .seconds(60))
            #expect(bytes == Bytes(text: "a-key\n"))
        }
    }

    @Test func aKeyFileThatHoldsNoKeyIsAMistakeAsBefore() throws {
        try withScratchDirectory { directory in
            try write("two words\n", to: "\(directory)/k")
            let found = findings("providers: { newsapi: { key: \"file:\(directory)/k\" } }\n")
            #expect(found.count == 1 && found.first?.contains("spaces") == true, "\(found)")
        }
    }
}
