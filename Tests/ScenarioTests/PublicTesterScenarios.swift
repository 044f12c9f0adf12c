// Public testers of described interfaces, run on a daemon in front of the samples. The testers are downloaded from the
// network, so these tests run only on request: `make public-testers`.
import Foundation
import LarderTestSupport
import Testing

@Suite struct PublicTesterScenarios {
    private static let isWanted = ProcessInfo.processInfo.environment["LARDER_PUBLIC_TESTERS"] != nil

    @Test(.enabled(if: isWanted, "make public-testers runs it"))
    func theInterfaceIsAsItIsDescribed() async throws {
        let token = "open-sesame-0123456789"
        // Each upload that is begun stays for a while.
        let settings = "admin: { token: \(token) }\nuploads: { maxEntries: 10000 }"
        try await InterfaceScenarios.withSamples(settings) { larder in
            try await run("interface", "http://\(larder.address) \(token)")
        }
    }

    @Test(.enabled(if: isWanted, "make public-testers runs it"))
    func thePublicSDKSpeaksWithTheServerForModels() async throws {
        try await InterfaceScenarios.withSamples { larder in
            try await run("mcp", "http://\(larder.address) '\(LarderProcess.program())'")
        }
    }

    private func run(_ name: String, _ words: String) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "scripts/public-testers/\(name)").path()
        let command = "exec '\(script)' \(words)"
        let status = try await onOwnThread { system(command) }
        #expect(status == 0)
    }
}
