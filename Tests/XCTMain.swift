// The entry point of the tests. Because it exists, SwiftPM does not search an index of all sources for cases of XCTest,
// of which there are none. Without the index a build takes three quarters of the time (`scripts/test`).
import Glibc
import Testing

@main
enum TestEntryPoint {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else {
            // `swift test` asks for the cases of XCTest first.
            let text: StaticString =
                "These are tests of Swift Testing: use scripts/test, or swift test --enable-swift-testing.\n"
            write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            exit(1)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
