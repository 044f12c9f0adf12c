// The port of a demonstration that keeps running, and the settings that lead a daemon to the stand-in.
import LarderCore
import LarderIO
import LarderOrigin
import LarderProviders
import LarderSettings
import LarderTestSupport
import Testing

@testable import LarderCLI

@Suite struct StandInTests {
    @Test(arguments: ["127.0.0.1", "[::1]"])
    func aPortOnWhichSomebodyListensIsNotTaken(_ host: String) throws {
        guard let taken = try? Socket.listen(on: try Address("\(host):0")) else { return }
        defer { Syscall.close(taken) }
        let port = try #require(Socket.localAddress(taken)?.port)
        #expect(DaemonAddress.portIfFree(port) == 0)
    }

    @Test func aFreePortIsTaken() throws {
        // Another program may take a port between two steps, but not each of many ports.
        let found = try (0..<50).contains { _ in
            let probe = try Socket.listen(on: try Address("127.0.0.1:0"))
            let port = Socket.localAddress(probe)?.port
            Syscall.close(probe)
            return port.map { DaemonAddress.portIfFree($0) == $0 } ?? false
        }
        #expect(found)
        #expect(DaemonAddress.standardPort == 8787)
    }

    @Test(arguments: [true, false])
    func theConfigurationLeadsEveryProviderToTheStandIn(_ isLimited: Bool) throws {
        let origin = try StandIn.start(recordings: nil)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let file = directory.write("larder.yaml", StandIn.providers(origin, isLimited: isLimited))
        let settings = try SettingsLoader().load(file: file, environment: ["HOME": directory.path], flags: [])
        for provider in ProviderRegistry.builtIn.map(\.about) {
            let made = try #require(settings.providers[provider.name], "\(provider.name)")
            #expect("\(made.baseURL)".hasPrefix(origin.root), "\(provider.name)")
        }
    }

    @Test func aFolderWithoutAnIndexIsRefusedInWords() async {
        let outcome = await larder("origin", "--recordings", "/nowhere")
        #expect(outcome.status == .failed)
        #expect(outcome.err.contains("/nowhere/index.json cannot be opened"))
    }
}
