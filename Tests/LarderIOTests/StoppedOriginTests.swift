// A stand-in that is stopped twice closes its descriptor once. The number may belong to another file by then, such as
// another test's database, or the descriptor that wakes another daemon's loop. If another test takes the number here,
// these tests see nothing.
import Glibc
import LarderTestSupport
import Testing

@Suite struct StoppedOriginTests {
    private func opened(_ count: Int) -> [Int32] { (0..<count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) } }

    /// Whether all descriptors are open after the stand-in was stopped a second time.
    private func leavesOthersOpen(_ stop: () -> Void) -> Bool {
        stop()
        let others = opened(64)
        defer { for descriptor in others { close(descriptor) } }
        stop()
        return others.allSatisfy { fcntl($0, F_GETFD) >= 0 }
    }

    @Test func anOriginThatIsStoppedTwiceLeavesOtherFilesOpen() {
        let origin = ScriptedOrigin(answering: "")
        #expect(leavesOthersOpen(origin.stop))
    }

    @Test func aProxyThatIsStoppedTwiceLeavesOtherFilesOpen() {
        let proxy = EngineProxy(to: "/nowhere")
        #expect(leavesOthersOpen(proxy.stop))
    }
}
