// `larder demo` and `larder origin` as processes: what they print leads to what they started, and however their reader
// ends, they leave no daemon and no directory behind.
import Glibc
import LarderCore
import LarderIO
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

    @Test func aDemoThatKeepsRunningTakesAnotherPortIfTheUsualOneIsTakenAndSaysSo() async throws {
        let directory = TemporaryDirectory()
        // If this machine has a program on the port already, that is as good.
        let taken = try? Socket.listen(on: try Address("127.0.0.1:8787"))
        defer { if let taken { Syscall.close(taken) } }
        try await onOwnThread {
            let demo = try CommandProcess(["demo", "--keep"], in: directory)
            try blockUntil("the address") { demo.output.contains("Ctrl-C ends everything.") }
            let told = try #require(demo.output.firstRange(of: "are answered on "))
            let address = String(demo.output[told.upperBound...].prefix { $0 != "\n" }.dropLast())
            #expect(!address.hasSuffix(":8787"))
            #expect(demo.output.contains("Port 8787 is in use"))
            let answer = try LarderProcess.get("/v1/search?q=jack+johnson&source=itunes", at: address)
            #expect(answer.status == 200)
            demo.signal(SIGINT)
            #expect(demo.waitForEnd() == .exited(128 + SIGINT))
            #expect(access("/tmp/larder-demo-\(demo.pid)", F_OK) != 0)
        }
    }

    @Test func whatTheStandInPrintsIsTheConfigurationOfADaemonThatAsksIt() async throws {
        let directory = TemporaryDirectory()
        try await onOwnThread {
            let origin = try CommandProcess(["origin"], in: directory)
            // The configuration is written at once, and tvmaze is its last provider.
            try blockUntil("the configuration") {
                origin.output.contains("  tvmaze:") && origin.output.last == "\n"
            }
            let launch = LarderLaunch(
                """
                listen: ["127.0.0.1:0"]
                cache: { path: "\(directory.path)/cache", minFree: 0 }
                state: { path: "\(directory.path)/state" }
                \(origin.output)
                """)
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening()[0]
            let answer = try LarderProcess.get("/v1/search?q=jack+johnson&source=itunes", at: address)
            #expect(answer.status == 200)
            #expect(answer.text.contains("\"state\":\"results\""))
            // The covers of albums and of books are not in the answers: their URLs are made from ids.
            for query in ["lantern&source=imgur", "lantern&source=openlibrary", "jack+johnson&source=itunes"] {
                let found = try LarderProcess.get("/v1/search?q=\(query)", at: address).json()
                let covers = found["results"]?.elements.compactMap { $0["artwork"]?["small"]?.string } ?? []
                #expect(!covers.isEmpty, "\(query)")
                for cover in covers {
                    #expect(try LarderProcess.get(cover, at: address).status == 200, "\(query)")
                }
            }
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            origin.signal(SIGTERM)
            #expect(origin.waitForEnd() == .exited(128 + SIGTERM))
        }
    }
}
