// Every clause of the tables is one test case. Client and origin send raw bytes and share no code with the cache. The
// conformance page is generated from the same tables, so it cannot claim anything that no test proves.
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: Tables.all.flatMap(\.clauses)) func clause(_ clause: Clause) async throws {
        try await clause.run()
    }
}
