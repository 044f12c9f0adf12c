// From written values to one snapshot: which source takes precedence, and how mistakes are reported.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct SettingsLoaderTests {
    @Test func withoutAnyFileEveryDefaultHolds() throws {
        let settings = try load("")
        #expect(
            settings.listen.map(\.address) == [
                "127.0.0.1:8787", "[::1]:8787", "unix:/home/somebody/.local/state/larder/larder.sock",
            ])
        #expect(settings.listen.allSatisfy { $0.isDefault })
        #expect(settings.cache.maxSize == 2 << 30)
        #expect(settings.cache.memorySize == 64 << 20)
        #expect(settings.cache.path == "/home/somebody/.cache/larder")
        #expect(settings.statePath == "/home/somebody/.local/state/larder")
        #expect(settings.fetch.deadline == .seconds(20))
        #expect(settings.log.level == .info)
        #expect(settings.providers.keys.sorted() == ProviderRegistry.builtIn.map(\.about.name).sorted())
        #expect(settings.notes.isEmpty)
    }

    @Test func everyDefaultOfTheTableIsAValueItsSettingTakes() throws {
        for parameter in SettingsTable.all {
            guard let text = parameter.defaultText, !parameter.path.contains("<") else { continue }
            #expect(findings("", flags: [(parameter.path, text)]).isEmpty, "\(parameter.path)")
        }
    }

    @Test func everyPathIsNamedOnce() {
        let paths = SettingsTable.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(SettingsTable.parameter(at: "providers.my-own.rate")?.path == "providers.<name>.rate")
    }

    @Test func theEnvironmentOutweighsTheFileAndFlagsOutweighBoth() throws {
        let text = "cache:\n  maxSize: 3 GiB\n  maxObject: 3 MiB\n  minFree: 3 MiB\n"
        var environment = plainEnvironment
        environment["LARDER_CACHE_MAXSIZE"] = "4GiB"
        environment["LARDER_CACHE_MAXOBJECT"] = "4MiB"
        let settings = try load(text, environment: environment, flags: [("cache.maxSize", "5 GiB")])
        #expect(settings.cache.maxSize == 5 << 30)
        #expect(settings.cache.maxObject == 4 << 20)
        #expect(settings.cache.minFree == 3 << 20)
        let origins = Dictionary(uniqueKeysWithValues: settings.effective.map { ($0.path, $0.origin) })
        #expect(origins["cache.maxSize"] == .flag)
        #expect(origins["cache.maxObject"] == .environment("LARDER_CACHE_MAXOBJECT"))
        #expect(origins["cache.minFree"] == .file("larder.yaml", line: 4, column: 12))
        #expect(origins["cache.jitter"] == .standard)
    }

    @Test func allMistakesAreToldAtOnceInTheOrderOfTheFile() {
        let text = """
            lisen: ["127.0.0.1:1"]
            cache:
              maxsize: 1 GiB
              maxObject: 3 furlongs
              maxObject: 4 MiB
              jitter: 11
            fetch:
              deadline: 20
            log: { level: loud }
            """
        let found = findings(text)
        #expect(found.count == 7)
        #expect(found[0] == "larder.yaml:1:1: lisen: there is no such setting; did you mean \"listen\"?")
        #expect(found[1] == "larder.yaml:3:3: cache.maxsize: there is no such setting; did you mean \"maxSize\"?")
        #expect(found[2].hasPrefix("larder.yaml:4:14: cache.maxObject: \"furlongs\" is no unit here"))
        #expect(found[3] == "larder.yaml:5:3: cache.maxObject: is set twice; first on line 4")
        #expect(found[4] == "larder.yaml:6:11: cache.jitter: must be between 0 and 10")
        #expect(found[5].hasPrefix("larder.yaml:8:13: fetch.deadline: \"20\" lacks a unit"))
        #expect(found[6].hasPrefix("larder.yaml:9:15: log.level: \"loud\" is not one of error, warning"))
    }

    @Test(arguments: [
        ("maxSize: 1 GiB\n", "did you mean \"cache.maxSize\"?"),
        ("cache: 5\n", "must be a mapping"),
        ("cache: [path]\n", "must be a mapping"),
        ("providers: [itunes]\n", "providers: must be a mapping from names of APIs to their settings, not a list"),
        ("cache:\n  maxSize: [1, 2]\n", "must be a single value, not a list"),
        ("cache:\n  maxSize:\n", "has no value"),
        ("cache:\n  maxSize: \"\"\n", "is empty"),
        ("cache:\n  maxSize: 100 KiB\n", "must be between 1 MiB and 16 TiB"),
        ("cache:\n  maxSize: 1e9\n", "is no unit"),
        ("cache:\n  path: relative/path\n", "not an absolute path"),
        ("cache:\n  lowWater: 95\n", "must be less than cache.highWater"),
        ("cache:\n  maxSize: 2 MiB\n  maxObject: 3 MiB\n", "more than the whole cache"),
        ("fetch:\n  softDeadline: 30s\n", "must not be longer than fetch.deadline"),
        ("fetch:\n  proxy: ftp://a\n", "not a base URL"),
        ("fetch:\n  userAgent: \"Lärder\"\n", "not ASCII"),
        ("allowRemote: 1\n", "neither true nor false"),
        ("server:\n  loops: 1.5\n", "not a whole number"),
        ("server:\n  loops: -1\n", "must be between 0 and 256"),
        ("hostNames: [\"*.lan\"]\n", "not a host name"), ("hostNames: [\"larder:80\"]\n", "not a host name"),
        ("hostNames: [\"[::1]:80\"]\n", "not a host name"), ("hostNames: [\"[::1\"]\n", "not a host name"),
        ("server:\n  minimumRate: 2 GiB\n", "must be between"), ("server:\n  rateWindow: 10ms\n", "must be between"),
        ("admin:\n  users: [nobody-of-that-name]\n", "there is no user"),
        ("- a\n- b\n", "must be a mapping"),
        ("cache.maxSize: 1 GiB\n", "did you mean \"cache.maxSize\"?"),
    ])
    func aMistakeIsNamed(_ text: String, _ message: String) {
        let found = findings(text)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func aDefaultGivesWayToWhatIsWrittenBesideIt() throws {
        let text = "cache: { path: /a, maxSize: 4 MiB, highWater: 60 }\nstate: { path: /b }\nfetch: { deadline: 1s }\n"
        let settings = try SettingsLoader().load(text: Bytes(text: text), named: "f", environment: [:])
        #expect(settings.cache.maxObject == 2 << 20)
        #expect(settings.cache.lowWater == 50)
        #expect(settings.fetch.softDeadline == .seconds(1))
        #expect(settings.notes.isEmpty, "\(settings.notes)")
    }

    @Test func whatIsUnwiseButRightIsANote() throws {
        let text = "cache: { path: /a }\nstate: { path: /a }\nadmin: { token: short }\n"
        let settings = try SettingsLoader().load(text: Bytes(text: text), named: "f", environment: [:])
        #expect(settings.admin.token == "short")
        #expect(settings.notes.count == 2, "\(settings.notes)")
        #expect(!settings.notes.joined().contains("\"short\""))
    }

    @Test func listenersThatLeaveNoWayForChangesAreNoted() throws {
        let proxy = "listen: [\"127.0.0.1:8787\", { address: \"127.0.0.1:3128\", proxy: true }"
        #expect(try load("\(proxy)]\n").authorityNote != nil)
        #expect(try load("\(proxy), \"unix:/run/l.sock\"]\n").authorityNote == nil)
        #expect(try load("\(proxy)]\nadmin: { token: 0123456789abcdef }\n").authorityNote == nil)
    }

    @Test func anUnknownOptionIsAnErrorAndAnUnknownVariableANote() throws {
        #expect(
            findings("", flags: [("cache.maxSze", "1GiB")]) == [
                "command line: cache.maxSze: there is no such setting; did you mean \"cache.maxSize\"?"
            ])
        var environment = plainEnvironment
        environment["LARDER_CACHE_MAXSZE"] = "1GiB"
        environment["LARDER_URL"] = "http://127.0.0.1:1"
        environment["LARDER_CACHE_JITTER"] = ""
        let settings = try load("", environment: environment)
        #expect(
            settings.notes == [
                "the environment variable LARDER_CACHE_MAXSZE names no setting; did you mean LARDER_CACHE_MAXSIZE?"
            ])
        environment["LARDER_CACHE_JITTER"] = "99"
        #expect(
            findings("", environment: environment)
                == ["environment LARDER_CACHE_JITTER: cache.jitter: must be between 0 and 10"])
    }

    @Test func systemdsDirectoriesOutweighXDGAndHome() throws {
        let environment = [
            "HOME": "/home/somebody", "XDG_CACHE_HOME": "/xdg/cache", "XDG_STATE_HOME": "not/absolute",
            "CACHE_DIRECTORY": "/var/cache/larder:/var/cache/other", "RUNTIME_DIRECTORY": "/run/larder",
            "XDG_RUNTIME_DIR": "/run/user/1000",
        ]
        let settings = try load("", environment: environment)
        #expect(settings.cache.path == "/var/cache/larder")
        #expect(settings.statePath == "/home/somebody/.local/state/larder")
        #expect(settings.listen.last?.address == "unix:/run/larder/larder.sock")
        let bare = findings("", environment: [:])
        #expect(bare.count == 2)
        #expect(bare.allSatisfy { $0.contains("is needed") })
        let user = try load("", environment: ["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1000/"])
        #expect(user.listen.last?.address == "unix:/run/user/1000/larder/larder.sock")
    }

    @Test func withoutARuntimeDirectoryTheSocketIsBesideTheState() throws {
        let settings = try load("", environment: ["HOME": "/h"])
        #expect(settings.listen.last?.address == "unix:/h/.local/state/larder/larder.sock")
    }

    @Test func aFileThatIsNotThereIsAnError() {
        #expect {
            try SettingsLoader().load(file: "/nowhere/larder.yaml", environment: plainEnvironment)
        } throws: { error in
            "\(error)" == "/nowhere/larder.yaml does not exist"
        }
    }

    @Test func anEmptyFileIsRefusedAtAReloadAndACommentIsNot() throws {
        try withScratchDirectory { directory in
            let file = "\(directory)/larder.yaml"
            func reload() throws -> Settings {
                try SettingsLoader().load(file: file, environment: plainEnvironment, mayBeEmpty: false)
            }
            try write("", to: file)
            #expect {
                try reload()
            } throws: { error in
                "\(error)" == "\(file) is empty; write a comment into it if that is meant"
            }
            #expect(throws: Never.self) { try SettingsLoader().load(file: file, environment: plainEnvironment) }
            try write("# all defaults", to: file)
            #expect(throws: Never.self) { try reload() }
        }
    }

    @Test func theFirstStandardFileThatExistsIsTaken() throws {
        try withScratchDirectory { directory in
            let environment = ["XDG_CONFIG_HOME": directory]
            try write("", to: "\(directory)/larder/larder.yaml")
            #expect(SettingsLoader.standardFile(environment: environment) == "\(directory)/larder/larder.yaml")
            let named = environment.merging(["LARDER_CONFIG": "/named.yaml"]) { $1 }
            #expect(SettingsLoader.standardFile(environment: named) == "/named.yaml")
        }
    }
}
