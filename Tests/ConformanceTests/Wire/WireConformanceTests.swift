// Every clause of the tables, through both doors.
import LarderTestSupport
import Testing

@Suite struct MessageConformance {
    @Test(arguments: WireClauses.messages, Door.allCases)
    func messages(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.forwarding, Door.allCases)
    func forwarding(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.uploads, Door.allCases)
    func uploads(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.failures, Door.allCases)
    func failures(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.codings, Door.allCases)
    func codings(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }
}

@Suite struct FramingConformance {
    @Test(arguments: WireClauses.requestFraming, Door.allCases)
    func requests(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.answerFraming, Door.allCases)
    func answers(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.connections, Door.allCases)
    func connections(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.streams, Door.allCases)
    func streams(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }
}

@Suite struct SelectionConformance {
    @Test(arguments: WireClauses.conditional, Door.allCases)
    func conditions(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }

    @Test(arguments: WireClauses.ranges, Door.allCases)
    func ranges(_ clause: WireClause, _ door: Door) async throws { try await Stand.show(clause, through: door) }
}
