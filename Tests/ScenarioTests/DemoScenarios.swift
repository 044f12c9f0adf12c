// `larder demo` as a process: however its reader ends, it leaves no daemon and no directory behind.
import Glibc
import LarderTestSupport
import Testing

@Suite struct DemoScenarios {
    @Test func aDemoWhoseReaderGoesClearsEverythingAway() async throws {
        let directory = TemporaryDirectory()
        try await onOwnThread {
            // As in `larder demo | head -1`: nobody reads any more when the first line is written.
            let demo = try CommandProcess(["demo"], hasReader: false, in: directory)
            #expect(demo.waitForEnd() == .exited(0))
            #expect(access("/tmp/larder-demo-\(demo.pid)", F_OK) != 0)
        }
    }
}
