// The loops of a process are as many as the cores that it may use.
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@Suite struct UsableCoresTests {
    /// nproc(1) of coreutils counts the cores that its process may use, and a process inherits that set.
    @Test func asManyCoresCountAsTheKernelPermits() async throws {
        let counted = try await ToolProcess.run(["nproc"])
        #expect(counted.text == "\(UsableCores.count)\n")
    }
}
