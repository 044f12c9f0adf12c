import LarderCore
import Testing

@testable import LarderEngine

@Suite struct UpstreamPathTests {
    private func isAllowed(_ path: String, isText: Bool = false) -> Bool {
        do {
            try UpstreamPath.check(path, isText: isText)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: [
        "/", "/a", "/a/b.c", "/...", "/.a", "/a.", "/a/..b", "//", "/%2E%2E%2E", "/a%2Fb", "/a+b", "/%e9",
        "/...;/a", "/;..", "/a;../b", "/a;b=c", "/%5Ca", "/a%5C...",
    ])
    func pathsThatStayBelowTheBaseAreAllowed(_ path: String) {
        #expect(isAllowed(path))
    }

    @Test(arguments: [
        "/.", "/..", "/./a", "/a/..", "/a/../b", "/%2e%2E", "/.%2e/a", "/a%2F..", "/a%2F%2e%2e%2Fb", "/a/%2E",
        "/a/..;/b", "/..;x=y", "/a/%2e%2e%3Bx/b", "/.;/a", "/a/..%5cb", "/a%5C..", "/a%5c..%5Cb", "/a/..\\b",
        "/a%5C.%5Cb",
    ])
    func segmentsOfDotsAreRefusedHoweverTheyAreSpelled(_ path: String) {
        #expect(!isAllowed(path))
    }

    @Test(arguments: ["", "*", "a", "%2Fa", "/%", "/%4", "/%4g", "/%+4", "/a%00"])
    func whatIsNoPathIsRefused(_ path: String) {
        #expect(!isAllowed(path))
    }

    @Test func bytesThatAreNoTextAreRefusedWhereTextIsWanted() {
        #expect(!isAllowed("/%FF", isText: true))
        #expect(isAllowed("/%C3%A9", isText: true))
    }
}
