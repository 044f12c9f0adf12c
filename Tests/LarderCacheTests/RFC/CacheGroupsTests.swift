// Groups of stored responses (RFC 9875).
import LarderCache
import LarderCore
import Testing

@Suite struct CacheGroupsTests {
    private func groups(_ field: String, provider: String = "api", url: String = "http://a.example/x") -> [Digest] {
        CacheGroups.groups(of: ["Cache-Groups": field], provider: provider, requestURL: url)
    }

    @Test func theSameNameIsTheSameGroupWhateverItsParametersAndItsPlace() {
        #expect(groups(#""a", "b""#) == groups(#""a";x=1,"b""#))
        #expect(Set(groups(#""b","a""#)) == Set(groups(#""a","b""#)))
    }

    @Test func namesAreComparedToTheLetter() { #expect(groups(#""a""#) != groups(#""A""#)) }

    @Test func anotherOriginsGroupIsAnotherOne() {
        #expect(groups(#""a""#) != groups(#""a""#, url: "https://a.example/x"))
        #expect(groups(#""a""#) != groups(#""a""#, url: "http://a.example:81/x"))
        #expect(groups(#""a""#) == groups(#""a""#, url: "http://A.example:80/y?z"))
    }

    @Test func anotherProvidersGroupIsAnotherOne() { #expect(groups(#""a""#) != groups(#""a""#, provider: "b")) }

    @Test(arguments: ["a", "1", #""a", b"#, #"("a" "b")"#, #""a"#, ""])
    func whatIsNoListOfStringsNamesNone(_ field: String) { #expect(groups(field).isEmpty) }

    @Test func atLeastThirtyTwoOfThirtyTwoBytesAreHeeded() {
        let names = (0..<32).map { "\"\($0)\(String(repeating: "x", count: 30))\"" }
        #expect(groups(names.joined(separator: ", ")).count == 32)
    }

    @Test func namesBeyondTheBoundAreNotHeeded() {
        let names = (0..<100).map { "\"\($0)\"" }
        #expect(groups(names.joined(separator: ", ")).count == 64)
        #expect(groups("\"\(String(repeating: "x", count: 257))\"").isEmpty)
    }

    @Test(arguments: [(Method.get, 200), (.head, 200), (Method("QUERY"), 200), (.post, 404), (.post, 500)])
    func aSafeMethodOrAnErrorInvalidatesNoGroup(_ method: Method, _ status: Int) {
        #expect(
            CacheGroups.invalidated(
                method: method, status: status, fields: ["Cache-Group-Invalidation": #""a""#], provider: "api",
                requestURL: "http://a.example/x"
            ).isEmpty)
    }

    @Test func anUnsafeOneInvalidatesThoseThatItNames() {
        #expect(
            CacheGroups.invalidated(
                method: .post, status: 204, fields: ["Cache-Group-Invalidation": #""a", "c""#], provider: "api",
                requestURL: "http://a.example/y") == groups(#""a","c""#))
    }
}
