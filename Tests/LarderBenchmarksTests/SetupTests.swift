// If larder refuses a configuration, or reads it in another sense, every figure measures something else.
import Testing

@testable import LarderBenchmarks

@Suite struct SetupTests {
    private func lines(_ setup: LarderSetup) -> [Substring] {
        setup.configuration(directory: "/nowhere", origin: 1).split(separator: "\n")
    }

    @Test func aPatientSetupWithAConnectTimeoutHasOneFetchKey() {
        let lines = lines(LarderSetup(isPatient: true, connectTimeout: "1s"))
        #expect(lines.count { $0 == "fetch:" } == 1)
    }

    @Test func whatBothSayOfFetchesStandsBelowItsKey() throws {
        let lines = lines(LarderSetup(isPatient: true, connectTimeout: "1s"))
        let key = try #require(lines.firstIndex(of: "fetch:"))
        #expect(lines[(key + 1)...].prefix(3) == ["  deadline: 10min", "  maxBody: 1 GiB", "  connectTimeout: 1s"])
    }

    @Test func aPlainSetupHasNoFetchKey() {
        #expect(!lines(LarderSetup()).contains("fetch:"))
    }

    @Test func noTopKeyIsWrittenTwice() {
        var setup = LarderSetup(memorySize: "0", maxSize: "1 GiB", maxObject: "1 MiB", isPatient: true)
        (setup.hasOwnListener, setup.hasITunes, setup.connectTimeout, setup.adminToken) = (true, true, "1s", "token")
        (setup.sharedURL, setup.iTunesRate) = ("unix:/nowhere/engine", "1/h")
        setup.passthrough = [("one", "http://one.invalid"), ("two", "http://two.invalid")]
        let keys = lines(setup).filter { !$0.hasPrefix(" ") }.compactMap { $0.split(separator: ":").first }
        #expect(Set(keys).count == keys.count)
    }
}
