// Docs/conformance.md as the tables make it. A clause that fails fails its test, so the page needs no result.
import Glibc
import Testing

enum ConformancePage {
    static func markdown() -> String {
        let count = Tables.pages.map(\.clauses.count).reduce(0, +)
        var out = """
            # Conformance

            What the standards require of a shared cache, clause by clause, and the scenario that proves each one for the
            pass-through of providers of kind `passthrough` with `semantics: rfc`. Client and origin of the scenarios speak
            raw bytes; the clock is set by hand. The page is made from the tables in `Tests/ConformanceTests/Tables`
            (`make conformance`), and every row is a test that fails when the requirement is not met: \(count) clauses.

            """
        for table in Tables.pages {
            out +=
                "\n## \(table.title)\n\n| Clause | Level | Requirement | Scenario | Result |\n|---|---|---|---|---|\n"
            for clause in table.clauses {
                let cells = [
                    "\(clause.standard) \(clause.section)", clause.level.rawValue, clause.text, clause.scenario,
                    "passes",
                ]
                out += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
            }
        }
        return out + "\n" + differences
    }

    /// What is not as the standards would allow, and why.
    private static let differences = """
        ## Deliberately different

        """

    static var path: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/Docs/conformance.md"
    }
}

@Suite struct ConformancePageTests {
    @Test func theCommittedPageIsWhatTheTablesSay() throws {
        let made = ConformancePage.markdown()
        if let name = getenv("LARDER_WRITE_CONFORMANCE") {
            let file = try #require(fopen(String(cString: name), "w"))
            fputs(made, file)
            fclose(file)
        }
        #expect(read(ConformancePage.path) == made, "run: make conformance")
    }

    @Test func noTwoClausesHaveTheSameName() {
        var seen: Set<String> = []
        let twice = Tables.pages.flatMap(\.clauses).map(\.id).filter { !seen.insert($0).inserted }
        #expect(twice == [])
    }

    @Test func everyClauseNamesStandardAndSection() {
        let nameless = Tables.pages.flatMap(\.clauses).filter {
            !$0.standard.hasPrefix("RFC ") || !$0.section.hasPrefix("§") || $0.scenario.isEmpty
                || !$0.text.hasSuffix(".")
        }
        #expect(nameless.map(\.id) == [])
    }

    private func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
