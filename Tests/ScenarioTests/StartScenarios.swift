// What the surroundings of a process do to `larder serve`: signals that mean nothing to it, and libraries that are
// loaded first.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct StartScenarios {
    private func launch(_ directory: TemporaryDirectory) -> LarderLaunch {
        LarderLaunch(
            """
            listen: ["127.0.0.1:0"]
            cache: { path: "\(directory.path)/cache" }
            state: { path: "\(directory.path)/state" }
            """)
    }

    @Test func signalsThatMeanNothingToTheDaemonAreIgnored() async throws {
        let directory = TemporaryDirectory()
        try await onOwnThread {
            let larder = try LarderProcess(launch(directory), in: directory)
            let address = try larder.listening()[0]
            for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR] {
                larder.signal(number)
                #expect(try LarderProcess.get("/healthz", at: address).status == 200, "signal \(number)")
            }
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
        }
    }

    private static let hasCompiler = access("/usr/bin/cc", X_OK) == 0
    /// A sanitizer wants to be the first library.
    private static let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil

    /// `setenv` in a constructor moves the environment away from the words of the program.
    @Test(.enabled(if: hasCompiler && !isSanitized))
    func theWordsOfTheProgramAreThereThoughALibraryMovesTheEnvironment() async throws {
        let directory = TemporaryDirectory()
        let source = directory.write(
            "moves.c",
            """
            #include <stdlib.h>
            __attribute__((constructor)) static void move(void) {
                setenv("MOVED_ONE", "1", 1);
                setenv("MOVED_TWO", "2", 1);
            }
            """)
        var launch = launch(directory)
        launch.prelude = """
            PATH=/usr/bin:/bin cc -shared -fPIC -o "\(directory.path)/moves.so" "\(source)" || exit 9
            export LD_PRELOAD="\(directory.path)/moves.so"
            """
        try await onOwnThread { [launch] in
            let larder = try LarderProcess(launch, in: directory)
            let address = try larder.listening()[0]
            #expect(try LarderProcess.get("/healthz", at: address).status == 200)
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
        }
    }
}
