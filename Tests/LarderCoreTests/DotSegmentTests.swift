import LarderCore
import Testing

@Suite struct DotSegmentTests {
    @Test(arguments: [".", "..", ".;", "..;a=b", "..;.."])
    func dotsWithOrWithoutParametersAreOne(_ segment: String) {
        #expect(DotSegment.matches(Bytes(text: segment)))
    }

    @Test(arguments: ["", "...", "a", ".a", "a..", "..a;", ";..", "%2e"])
    func otherNamesAreNone(_ segment: String) {
        #expect(!DotSegment.matches(Bytes(text: segment)))
    }

    @Test(arguments: ["/a/./b", "/a\\..\\c", "/..;x/d", "/a/..", ".", "/.\\"])
    func oneIsFoundBehindEitherSlash(_ path: String) {
        #expect(DotSegment.occurs(in: Bytes(text: path)))
    }

    @Test(arguments: ["", "/", "//a/...//", "/a.b/.c", "/a;../b"])
    func aPathOfOtherNamesHasNone(_ path: String) {
        #expect(!DotSegment.occurs(in: Bytes(text: path)))
    }
}
