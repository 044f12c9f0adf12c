// The folders above a URL.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct URLFolderTests {
    private func names(_ path: String, hasQuery: Bool = false) -> [String] {
        URLFolder.all(above: path, hasQuery: hasQuery, of: "p").map { String($0.text.dropFirst(2)) }
    }

    @Test(arguments: [
        ("", []), ("/", []), ("/a", []), ("/a/", ["/a"]), ("/a/b", ["/a"]), ("/a/b/", ["/a", "/a/b"]),
        ("/a//b", ["/a"]), ("//a", []),
    ])
    func everySlashEndsTheNameOfOneBelowTheRoot(_ path: String, _ folders: [String]) {
        #expect(names(path) == [""] + folders)
    }

    @Test func aURLWithAQueryLiesBelowItsPath() {
        #expect(names("/a/b", hasQuery: true) == ["", "/a", "/a/b"])
        #expect(names("/", hasQuery: true) == [""])
    }

    @Test func aFolderIsTheSameWithAndWithoutItsSlash() {
        let one = URLFolder("/a/b", of: "p")
        #expect(one == URLFolder("/a/b/", of: "p"))
        #expect(URLFolder.all(above: "/a/b/c", hasQuery: false, of: "p").last == one)
        #expect(one.digest != URLFolder("/a/b", of: "q").digest && one.digest != URLFolder("/a/c", of: "p").digest)
    }

    @Test(arguments: ["", "/", "//"])
    func theRootIsAboveEveryPath(_ root: String) {
        #expect(URLFolder.all(above: "/a/b", hasQuery: false, of: "p").first == URLFolder(root, of: "p"))
    }

    @Test func belowTheLimitTheOneAboveStandsForAFolder() {
        let deep = String(repeating: "/a", count: 40)
        let folders = URLFolder.all(above: deep + "/x", hasQuery: false, of: "p")
        #expect(folders.count == 1 + URLFolder.most && URLFolder(deep, of: "p") == folders.last)
    }
}
