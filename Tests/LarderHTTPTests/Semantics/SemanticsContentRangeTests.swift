// Content-Range, the position of a part (RFC 9110 §14.4).
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0, 1, 1), ("bytes 4-9/10", 4, 10, 10), ("BYTES 4-9/11", 4, 10, 11),
            ("bytes 0-4/*", 0, 5, nil),
        ] as [(String, Int64, Int64, Int64?)])
    func whatAPartHoldsIsRead(_ text: String, _ first: Int64, _ end: Int64, _ length: Int64?) {
        let read = ContentRange(["Content-Range": text])
        #expect(read?.range == first..<end)
        #expect(read?.length == length)
    }

    @Test(arguments: [
        "bytes 5-4/10", "bytes 4-9/9", "bytes 4-9/5", "bytes */10", "bytes 4-9", "bytes 4/10", "items 4-9/10",
        "bytes=4-9/10",
        "bytes 4-9/", "bytes -4/10", "bytes 4-/10", "bytes +4-9/10", "bytes 4-9/10/11", "bytes 4-9/10 x", "4-9/10", "",
        "bytes 4-9223372036854775807/*", "bytes 4-99999999999999999999/*",
    ])
    func whatCannotBeIsNone(_ text: String) {
        #expect(ContentRange(["Content-Range": text]) == nil)
    }

    @Test func twoLinesAreNone() {
        #expect(ContentRange(["Content-Range": "bytes 0-1/10", "content-range": "bytes 0-1/10"]) == nil)
    }

    @Test(arguments: [
        ("items=0-1", true), ("x=", true), ("bytes=0-1", false), ("Bytes=0-1", false), ("bytes 0-1", false),
        ("=0-1", false), ("a b=1", false),
    ])
    func aUnitThatIsNotBytesIsTold(_ text: String, _ isOther: Bool) {
        #expect(ByteRange.hasOtherUnit(["Range": text]) == isOther)
    }
}
