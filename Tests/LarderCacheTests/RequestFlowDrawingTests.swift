// The drawing in Docs names exactly the steps and endings of the code.
import Foundation
import Testing

@Suite struct RequestFlowDrawingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The cases of an enum, read from its source: those on lines indented as its members are.
    private func cases(of name: String) throws -> Set<String> {
        let source = try String(
            contentsOf: Self.root.appending(path: "Sources/LarderCache/RequestFlow.swift"), encoding: .utf8)
        let lines = source.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("    public enum \(name)") })
        let body = lines[(start + 1)...].prefix { $0 != "    }" }
        return Set(
            body.filter { $0.hasPrefix("        case ") }.map { String($0.dropFirst(13).prefix { $0.isLetter }) })
    }

    /// The nodes that the drawing declares under a prefix, with the labels they show.
    private func nodes(_ prefix: String) throws -> [String: String] {
        let drawing = try String(contentsOf: Self.root.appending(path: "Docs/request-flow.dot"), encoding: .utf8)
        var found: [String: String] = [:]
        for line in drawing.split(separator: "\n").map({ $0.drop { $0 == " " } })
        where line.hasPrefix(prefix) && !line.contains("->") {
            let name = String(line.dropFirst(prefix.count).prefix { $0.isLetter })
            found[name] = line.split(separator: "\"").dropFirst().first.map(String.init)
        }
        return found
    }

    @Test(arguments: [("Step", "step_"), ("Ending", "ending_")])
    func theDrawingNamesExactlyWhatTheCodeNames(_ name: String, _ prefix: String) throws {
        let inCode = try cases(of: name)
        let drawn = try nodes(prefix)
        #expect(!inCode.isEmpty)
        #expect(Set(drawn.keys) == inCode)
        #expect(drawn.allSatisfy { $0.key == $0.value })
    }
}
