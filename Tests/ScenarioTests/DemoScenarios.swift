// `larder demo` as a process: whatever becomes of its reader, it leaves no daemon and no directory behind.
import Glibc
import LarderTestSupport
import Testing

@Suite struct DemoScenarios {
    @Test func aDemoWhoseReaderGoesClearsEverythingAway() async throws {
        let directory = TemporaryDirectory()
        try await onOwnThread {
            // As in `larder demo | head -1`: the first line that is written finds nobody.
            let demo = try CommandProcess(["demo"], hasReader: false, in: directory)
            #expect(demo.waitForEnd() == .exited(0))
            #expect(access("/tmp/larder-demo-\(demo.pid)", F_OK) != 0)
        }
    }
}
