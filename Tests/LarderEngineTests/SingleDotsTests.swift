import Testing

@testable import LarderEngine

@Suite struct SingleDotsTests {
    @Test(
        arguments: [
            ("/./a", "/a"), ("/a/./b", "/a/b"), ("/a/.", "/a/"), ("/.", "/"), ("/././", "/"), ("/a/././b/.", "/a/b/"),
            ("/%2e/a", "/a"), ("/a/%2E", "/a/"), ("/.//a", "//a"),
        ])
    func segmentsOfOneDotAreTakenOut(_ path: String, _ wanted: String) {
        #expect(UpstreamPath.withoutSingleDots(path) == wanted)
    }

    @Test(
        arguments: ["/", "/a", "/a/", "//", "/.a", "/a.", "/...", "/..", "/a/../b", "/%2e%2e/a", "/a%2F./b", "*", ""])
    func everythingElseStays(_ path: String) {
        #expect(UpstreamPath.withoutSingleDots(path) == path)
    }
}
