// Every clause is one test case: client and origin speak raw bytes and share no line of code with the cache.
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: Tables.lifetime) func lifetimes(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.age) func ages(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.heuristics) func guessedLifetimes(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.storing) func storing(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.persons) func persons(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.fields) func fields(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.parts) func parts(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.vary) func variants(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.heads) func heads(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.requests) func requests(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.stale) func staleAnswers(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.staleExtensions) func staleExtensions(_ clause: Clause) async throws {
        try await clause.run()
    }
    @Test(arguments: Tables.validation) func validation(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.absence) func absence(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.invalidation) func invalidation(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.cacheStatus) func cacheStatus(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.collapsing) func collapsing(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.targeted) func targetedFields(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.cookies) func cookies(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.digests) func digests(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.posts) func posts(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.queries) func queries(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.readOnlyPosts) func readOnlyPosts(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.languages) func languages(_ clause: Clause) async throws { try await clause.run() }
    @Test(arguments: Tables.searchVariance) func searchVariance(_ clause: Clause) async throws {
        try await clause.run()
    }
    @Test(arguments: Tables.groups) func groups(_ clause: Clause) async throws { try await clause.run() }
}
