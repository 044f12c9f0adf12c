// Hop-by-hop fields, Vary, and Cache-Status with its grammar.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsFieldsTests {
    @Test(arguments: ["keep-alive", "Close", "close"])
    func aFieldOfTheNameOfAnOptionIsRemovedToo(_ option: String) {
        let fields: HeaderFields = ["Connection": option, "Keep-Alive": "5", "Close": "1", "Age": "2"]
        let kept = HopByHop.endToEnd(fields).map(\.name)
        #expect(kept == (option == "keep-alive" ? ["Close", "Age"] : ["Age"]))
    }

    @Test func fieldsOfTheConnectionAreLeftOut() {
        let fields = HeaderFields([
            HeaderField("Connection", "close, X-Trace"), HeaderField("connection", "\"odd\", y-trace"),
            HeaderField("Keep-Alive", "timeout=5"), HeaderField("Proxy-Connection", "close"),
            HeaderField("Transfer-Encoding", "chunked"), HeaderField("TE", "trailers"), HeaderField("Trailer", "X"),
            HeaderField("Upgrade", "h2c"), HeaderField("Proxy-Authenticate", "Basic"),
            HeaderField("Proxy-Authorization", "x"), HeaderField("Proxy-Authentication-Info", "x"),
            HeaderField("x-trace", "1"), HeaderField("Y-Trace", "2"), HeaderField("Content-Type", "a/b"),
            HeaderField("Via", "1.1 a"), HeaderField("Content-Type", "c/d"),
        ])
        #expect(HopByHop.endToEnd(fields).map(\.name) == ["Content-Type", "Via", "Content-Type"])
    }

    @Test func varyListsItsNames() {
        #expect(Vary([:]) == .names([]))
        #expect(Vary(["Vary": "Accept-Encoding, accept , ACCEPT"]) == .names(["accept", "accept-encoding"]))
        #expect(Vary(["Vary": "A", "vary": "b"]) == .names(["a", "b"]))
        #expect(Vary(["Vary": "*"]) == .any)
        #expect(Vary(["Vary": "a, *"]) == .any)
        #expect(Vary(["Vary": "a b"]) == .any)
        #expect(Vary(["Vary": "Accept-Encoding"]).dependsOnly(on: ["accept-encoding"]))
        #expect(Vary([:]).dependsOnly(on: []))
        #expect(!Vary(["Vary": "Accept-Encoding, Origin"]).dependsOnly(on: ["accept-encoding"]))
        #expect(!Vary(["Vary": "*"]).dependsOnly(on: ["*"]))
    }

    @Test func varyMatchesEqualSelectingFields() {
        let vary = Vary(["Vary": "Accept-Language, X"])
        #expect(vary.matches(["Accept-Language": "de,en"], ["accept-language": "de , en", "Y": "1"]))
        #expect(!vary.matches(["Accept-Language": "de,en"], ["Accept-Language": "en,de"]))
        #expect(!vary.matches(["Accept-Language": ""], [:]))
        #expect(vary.matches([:], [:]))
        #expect(!vary.matches([:], ["X": "1"]))
        #expect(!Vary.any.matches([:], [:]))
    }

    @Test func cacheStatusReadsAsInTheContract() {
        #expect(CacheStatus.render(outcome: .hit, ttl: 123) == "larder; hit; ttl=123")
        #expect(CacheStatus.render(outcome: .stale, ttl: -5) == "larder; hit; ttl=-5")
        #expect(
            CacheStatus.render(outcome: .miss, fwdStatus: 200, stored: true)
                == "larder; fwd=uri-miss; fwd-status=200; stored")
        #expect(
            CacheStatus.render(outcome: .joined, fwdStatus: 200, fwdReason: .stale)
                == "larder; fwd=stale; fwd-status=200; collapsed")
        #expect(CacheStatus.render(outcome: .bypass) == "larder; fwd=bypass")
        #expect(CacheStatus.render(outcome: .bypass, fwdReason: .request) == "larder; fwd=request")
        #expect(CacheStatus.render(outcome: .negative, ttl: 9) == "larder; hit; ttl=9; detail=negative")
        #expect(CacheStatus.render(outcome: .none) == "larder")
        #expect(
            CacheStatus.render(outcome: .hit, detail: "a \"b\" \\ \u{E9}\n") == #"larder; hit; detail="a \"b\" \\ ??""#)
    }

    /// RFC 9211 §2 over all combinations: never both hit and fwd; parameters of one side never appear on the other;
    /// every parameter occurs once; every value is an item of RFC 8941.
    @Test(arguments: CacheOutcome.allCases)
    func cacheStatusKeepsItsGrammar(_ outcome: CacheOutcome) throws {
        let details: [String?] = [nil, "", "word", "two words", "9lives", "q\"uote", "caf\u{E9}", "a;b=c, hit; fwd=x"]
        for ttl in [nil, Int64.min, -1, 0, 5, Int64.max] as [Int64?] {
            for status in [nil, 0, 99, 200, 999, 1000] as [Int?] {
                for stored in [nil, false, true] as [Bool?] {
                    for reason in [nil] + CacheStatus.ForwardReason.allCases as [CacheStatus.ForwardReason?] {
                        for detail in details {
                            for collapsed in [false, true] {
                                let text = CacheStatus.render(
                                    outcome: outcome, ttl: ttl, fwdStatus: status, stored: stored, collapsed: collapsed,
                                    fwdReason: reason, detail: detail)
                                try check(text)
                            }
                        }
                    }
                }
            }
        }
    }

    func check(_ text: String) throws {
        let names = try parameters(of: text)
        #expect(Set(names).count == names.count, "\(text)")
        if names.contains("hit") {
            for name in ["fwd", "fwd-status", "stored", "collapsed"] where names.contains(name) {
                Issue.record("\(name) beside hit: \(text)")
            }
        }
        for name in ["fwd-status", "stored", "collapsed"] where names.contains(name) {
            #expect(names.contains("fwd"), "\(text)")
        }
        if names.contains("ttl") { #expect(names.contains("hit"), "\(text)") }
    }

    /// Parses one member with parameters by RFC 8941 §3.1.2 and §3.3, and returns the names of the parameters.
    func parameters(of text: String) throws -> [String] {
        var rest = Substring(text)
        func take(_ prefix: String) -> Bool {
            guard rest.hasPrefix(prefix) else { return false }
            rest.removeFirst(prefix.count)
            return true
        }
        try #require(take("larder"))
        var names: [String] = []
        while take(";") {
            while take(" ") {}
            let name = rest.prefix { $0.isLowercase && $0.isASCII || $0 == "-" }
            try #require(!name.isEmpty)
            names.append(String(name))
            rest.removeFirst(name.count)
            guard take("=") else { continue }
            if take("\"") {
                while let next = rest.first, next != "\"" {
                    try #require(next.isASCII && next >= " ")
                    rest.removeFirst(next == "\\" ? 2 : 1)
                }
                try #require(take("\""))
            } else if let first = rest.first, first.isNumber || first == "-" {
                let digits = rest.drop { $0 == "-" }.prefix { $0.isNumber }
                try #require((1...15).contains(digits.count))
                _ = take("-")
                rest.removeFirst(digits.count)
            } else {
                let token = rest.utf8.prefix { ASCII.isToken($0) || $0 == 0x3A || $0 == 0x2F }
                try #require(!token.isEmpty)
                rest = rest[token.endIndex...]
            }
        }
        try #require(rest.isEmpty, "left over: \(rest)")
        return names
    }
}
