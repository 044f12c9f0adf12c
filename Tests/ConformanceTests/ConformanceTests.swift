// Every clause of the tables is one test case: client and origin speak raw bytes and share no line of code with the cache.
// The tables of the page are those that are run here, so the page cannot claim what no test proves.
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: Tables.all.flatMap(\.clauses)) func clause(_ clause: Clause) async throws {
        try await clause.run()
    }
}
