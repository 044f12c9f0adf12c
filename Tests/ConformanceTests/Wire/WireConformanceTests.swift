// Every clause of the wire tables is a test case for each of both doors. The conformance page is generated from the
// same tables.
import LarderTestSupport
import Testing

@Suite struct WireConformanceTests {
    @Test(arguments: Tables.wire.flatMap(\.clauses), Door.allCases)
    func clause(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }
}
