// Every clause of the wire tables is a test case for each of both doors. The tables of the page are those that are run here.
import LarderTestSupport
import Testing

@Suite struct WireConformanceTests {
    @Test(arguments: Tables.wire.flatMap(\.clauses), Door.allCases)
    func clause(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }
}
