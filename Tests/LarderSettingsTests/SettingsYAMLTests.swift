// The tree of a YAML text, and the parts of YAML that are refused.
@testable import LarderCore
import LarderYAML
import Testing

@testable import LarderSettings

struct SettingsYAMLTests {
    private func fault(_ text: String) -> YAMLError? {
        do throws(YAMLError) {
            _ = try YAMLReader.read(Bytes(text: text))
            return nil
        } catch {
            return error
        }
    }

    @Test func everyValueKeepsItsTextAndItsPlace() throws {
        let root = try YAMLReader.read(Bytes(text: "a: no\nb:\n  - 1:30\n  - \"0x10\"\n"))
        let expected = YAMLNode(
            content: .mapping([
                YAMLMember(
                    key: "a", mark: YAMLMark(line: 1, column: 1),
                    value: YAMLNode(content: .scalar("no", isPlain: true), mark: YAMLMark(line: 1, column: 4))),
                YAMLMember(
                    key: "b", mark: YAMLMark(line: 2, column: 1),
                    value: YAMLNode(
                        content: .sequence([
                            YAMLNode(content: .scalar("1:30", isPlain: true), mark: YAMLMark(line: 3, column: 5)),
                            YAMLNode(content: .scalar("0x10", isPlain: false), mark: YAMLMark(line: 4, column: 5)),
                        ]), mark: YAMLMark(line: 3, column: 3))),
            ]), mark: YAMLMark(line: 1, column: 1))
        #expect(root == expected)
    }

    @Test(arguments: ["", "# only a comment\n", "---\n...\n", "\u{FEFF}"])
    func nothingWrittenIsNoError(_ text: String) throws {
        let root = try YAMLReader.read(Bytes(text: text))
        #expect(root.content == .mapping([]) || root.isAbsent)
    }

    @Test(arguments: [
        ("a: &x 1\n", 1, 4, "anchors"),
        ("a: 1\nb: *x\n", 2, 4, "aliases"),
        ("a: !!int 1\n", 1, 4, "tags"),
        ("a: !own {}\n", 1, 4, "tags"),
        ("a: !own []\n", 1, 4, "tags"),
        ("a: 1\n---\nb: 2\n", 2, 1, "second document"),
        ("{ [1]: 2 }\n", 1, 3, "key"),
        ("? {a: 1}\n: 2\n", 1, 3, "key"),
        ("a: [1, 2\n", 2, 1, "not YAML"),
        ("a: 1\n\tb: 2\n", 2, 1, "not YAML"),
        ("a:\n\tb: 2\n", 2, 1, "YAML is indented by spaces, not tabs"),
        ("a: \"open\n", 2, 1, "not YAML"),
    ])
    func whatIsNotReadIsRefusedAtItsPlace(_ text: String, _ line: Int, _ column: Int, _ word: String) {
        let error = fault(text)
        #expect(error?.message.contains(word) == true, "\(String(describing: error))")
        #expect(error?.mark == YAMLMark(line: line, column: column))
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: YAMLError.self) { try YAMLReader.read([0x61, 0x3A, 0x20, 0xFF, 0xFE]) }
        #expect(throws: YAMLError.self) { try YAMLReader.read([0x61, 0x3A, 0x20, 0x00]) }
    }

    @Test func depthSizeAndNumberAreBounded() {
        let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
        #expect(fault(deep)?.message.contains("nested") == true)
        let wide = "[" + String(repeating: "1,", count: YAMLReader.maxNodes) + "1]"
        #expect(fault(wide)?.message.contains("more than") == true)
        let large = "#" + String(repeating: "x", count: YAMLReader.maxBytes)
        #expect(fault(large)?.message.contains("larger") == true)
    }
}

struct SettingsNearestNameTests {
    @Test(arguments: [
        ("maxsize", "maxSize"), ("maxSzie", "maxSize"), ("memory", "memorySize"), ("maxObjct", "maxObject"),
    ])
    func aSlipFindsTheName(_ typed: String, _ meant: String) {
        let names = ["path", "maxSize", "memorySize", "maxObject", "minFree"]
        #expect(NearestName.find(typed, among: names) == (typed == "memory" ? nil : meant))
    }

    @Test func aSwapOfNeighboursIsOneSlip() {
        #expect(NearestName.distance(Array("szie".unicodeScalars), Array("size".unicodeScalars)) == 1)
        #expect(NearestName.distance(Array("abc".unicodeScalars), []) == 3)
        #expect(NearestName.distance(Array("kitten".unicodeScalars), Array("sitting".unicodeScalars)) == 3)
    }

    @Test func nothingIsGuessedFromAFarName() {
        #expect(NearestName.find("zzzz", among: ["path", "listen"]) == nil)
        #expect(NearestName.find("a", among: ["b"]) == nil)
        #expect(NearestName.find("foo", among: ["log", "fetch"]) == nil, "one letter of three is no slip")
    }
}
