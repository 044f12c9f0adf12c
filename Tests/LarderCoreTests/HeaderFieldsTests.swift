import Testing

@testable import LarderCore

@Suite struct HeaderFieldsTests {
    private static let mixed: HeaderFields = [
        "ETag": "\"a\"", "X-One": "1", "vary": "Accept", "x-one": "2", "Vary": "Origin",
    ]

    @Test func linesKeepTheirOrderAndSpelling() {
        #expect(Self.mixed.map(\.name) == ["ETag", "X-One", "vary", "x-one", "Vary"])
        #expect(Self.mixed.map(\.value) == ["\"a\"", "1", "Accept", "2", "Origin"])
    }

    @Test func aNameFindsItsLinesInAnyCase() {
        #expect(Self.mixed.all(.vary) == ["Accept", "Origin"])
        #expect(Self.mixed.all("VARY") == ["Accept", "Origin"])
        #expect(Self.mixed.all("X-ONE") == ["1", "2"])
        #expect(Self.mixed.combined("x-One") == "1, 2")
        #expect(Self.mixed.first(.date) == nil && Self.mixed.first("X-Two") == nil)
    }

    @Test func aSetFieldStandsWhereItsFirstLineStood() {
        var fields = Self.mixed
        fields.set("X-ONE", "3")
        fields.set(.vary, "*")
        fields.set(.age, "5")
        #expect(fields == ["ETag": "\"a\"", "X-One": "3", "vary": "*", "Age": "5"])
    }

    @Test func aRemovedNameIsNoLongerFound() {
        var fields = Self.mixed
        fields.remove(.vary)
        fields.remove("X-One")
        #expect(fields == ["ETag": "\"a\""])
        #expect(!fields.contains(.vary) && !fields.contains("x-one") && fields.count == 1)
    }

    @Test func listsThatCameAboutDifferentlyAreEqual() {
        var one: HeaderFields = ["Age": "1", "bad name": "x", "Date": "d"]
        one.remove("bad name")
        var other = HeaderFields()
        other.add(HeaderField("Age", "1"))
        other.add(["Date": "d"] as HeaderFields)
        #expect(one == other && one.hashValue == other.hashValue)
    }

    @Test func replacingPutsTheNewLinesWhereTheFirstOldOneStood() {
        var fields = Self.mixed
        fields.replace(with: ["X-New": "n", "VARY": "a", "Date": "d", "Vary": "b"])
        #expect(
            fields == [
                "ETag": "\"a\"", "X-One": "1", "VARY": "a", "Vary": "b", "x-one": "2", "X-New": "n", "Date": "d",
            ])
    }

    @Test func anyByteOfAValueIsKept() {
        let all = (0x20...0xFF as ClosedRange<UInt8>).filter { $0 != 0x7F }
        var fields = HeaderFields()
        fields.add("X-Bytes", HeaderField.text(all))
        #expect(fields.isSendable)
        fields.visit { line in
            #expect(Array(line.value) == all)
            return true
        }
    }

    @Test func theBytesOfALineAreAsItIsSent() {
        Self.mixed.visit { line in
            #expect(HeaderField.text(line.wire) == "ETag: \"a\"\r\n")
            return false
        }
        #expect(Self.mixed.wireSize == Self.mixed.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 })
    }

    @Test(arguments: [("", "a"), ("a b", "a"), ("a", "b\r\nc"), ("a", "\u{7F}"), ("\u{E9}", "b")])
    func aLineThatCannotBeSentIsNoticed(name: String, value: String) {
        var fields: HeaderFields = ["Age": "1"]
        fields.add(name, value)
        #expect(!fields.isSendable)
        #expect(!HeaderFields(fields.map { $0 }).isSendable)
        fields.remove(name)
        #expect(fields.isSendable && fields == ["Age": "1"])
    }

    @Test func randomListsBehaveLikeListsOfPairs() {
        var random = SystemRandomNumberGenerator()
        let names = ["ETag", "etag", "X-A", "x-a", "Vary", "Content_Length", "Date"]
        for _ in 0..<500 {
            var fields = HeaderFields()
            var pairs: [(String, String)] = []
            for step in 0..<12 {
                let name = names[Int.random(in: 0..<names.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0:  // A field is removed.
                    fields.remove(name)
                    pairs.removeAll { ASCII.equalFolded($0.0, name) }
                case 1:  // A field is set.
                    fields.set(name, "s\(step)")
                    let place = pairs.firstIndex { ASCII.equalFolded($0.0, name) }
                    let kept = place.map { pairs[$0].0 } ?? name
                    let before = pairs[..<(place ?? pairs.count)]
                    let after = pairs[(place ?? pairs.count)...].filter { !ASCII.equalFolded($0.0, name) }
                    pairs = before + [(kept, "s\(step)")] + after
                default:
                    fields.add(name, "\(step)")
                    pairs.append((name, "\(step)"))
                }
            }
            #expect(fields.map(\.name) == pairs.map(\.0) && fields.map(\.value) == pairs.map(\.1))
            #expect(fields.count == pairs.count)
            for name in names {
                #expect(fields.contains(name) == pairs.contains { ASCII.equalFolded($0.0, name) })
            }
        }
    }
}
