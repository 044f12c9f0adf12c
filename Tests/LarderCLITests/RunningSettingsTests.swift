// The comparison of the configuration file with the settings in force, setting by setting.
import LarderCore
import LarderSettings
import Testing

@testable import LarderCLI

@Suite struct RunningSettingsTests {
    private func written(_ path: String, _ value: String?) -> EffectiveSetting {
        EffectiveSetting(path: path, value: value, defaultText: nil, origin: .standard)
    }

    @Test func equalValuesAreNoDifference() {
        let running = RunningSettings([("cache.maxSize", "1GiB")])
        #expect(running.differences(from: [written("cache.maxSize", "1GiB")]) == [])
    }

    @Test func aSettingThatOnlyOneKnowsIsNoDifference() {
        let running = RunningSettings([("cache.maxSize", "1GiB")])
        #expect(running.differences(from: [written("cache.other", "1")]) == [])
    }

    @Test func aReloadBringsMostSettingsIntoForce() throws {
        let running = RunningSettings([("cache.maxSize", "1GiB")])
        let lines = RunningSettings.lines(running.differences(from: [written("cache.maxSize", "2GiB")]))
        #expect(
            lines == [
                "not in force: cache.maxSize is 2GiB here and 1GiB in the running daemon: a reload is needed"
            ])
    }

    @Test func aRestartBringsTheOthersIntoForce() {
        let running = RunningSettings([("listen", "127.0.0.1:8787")])
        let lines = RunningSettings.lines(running.differences(from: [written("listen", nil)]))
        #expect(
            lines == [
                "not in force: listen is unset here and 127.0.0.1:8787 in the running daemon: a restart is needed"
            ])
    }
}
