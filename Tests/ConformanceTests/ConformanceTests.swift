// Every clause is one test case: client and origin speak raw bytes and share no line of code with the cache.
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: Tables.storing) func storing(_ clause: Clause) async throws { try await clause.run() }
}
