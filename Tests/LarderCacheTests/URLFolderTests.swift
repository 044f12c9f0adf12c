// The folders above a URL.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct URLFolderTests {
    private func names(_ path: String, hasQuery: Bool = false) -> [String] {
        URLFolder(of: "p").all(above: path, hasQuery: hasQuery).map { String($0.text.dropFirst(2)) }
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
        let one = URLFolder(of: "p").folder("/a/b")
        #expect(one == URLFolder(of: "p").folder("/a/b/"))
        #expect(URLFolder(of: "p").all(above: "/a/b/c", hasQuery: false).last == one)
        #expect(one.digest != URLFolder(of: "q").folder("/a/b").digest)
        #expect(one.digest != URLFolder(of: "p").folder("/a/c").digest)
    }

    @Test(arguments: ["", "/", "//"])
    func theRootIsAboveEveryPath(_ root: String) {
        #expect(URLFolder(of: "p").all(above: "/a/b", hasQuery: false).first == URLFolder(of: "p").folder(root))
    }

    @Test func onlyTheRootHasAllOfItsProvidersURLs() {
        #expect(URLFolder(of: "p").all(above: "/a/b/", hasQuery: false).map(\.isRoot) == [true, false, false])
    }

    @Test func belowTheLimitTheOneAboveStandsForAFolder() {
        let deep = String(repeating: "/a", count: 40)
        let folders = URLFolder(of: "p").all(above: deep + "/x", hasQuery: false)
        #expect(folders.count == 1 + URLFolder.most && URLFolder(of: "p").folder(deep) == folders.last)
    }

    /// The list that was made last is used again, so each path is asked for after each other one.
    @Test func theKeptListIsThatOfThePath() {
        let paths = ["/", "/a", "/a/", "/a/b", "/a/b/", "/a/bc", "/ab/c", "//", "/a//b", "x", ""]
        let kept = URLFolders(of: "p")
        for one in paths {
            for other in paths {
                for hasQuery in [true, false] {
                    _ = kept.above(one, hasQuery: !hasQuery)
                    _ = kept.above(one, hasQuery: hasQuery)
                    #expect(
                        kept.above(other, hasQuery: hasQuery)
                            == URLFolder(of: "p").all(above: other, hasQuery: hasQuery))
                }
            }
        }
    }
}
