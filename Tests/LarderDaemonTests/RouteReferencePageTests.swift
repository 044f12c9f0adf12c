// `Docs/reference.md` agrees with the table of routes.
import Foundation
import LarderCore
import Testing

@testable import LarderDaemon

@Suite struct RouteReferencePageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/reference.md")

    @Test func theReferenceIsWhatTheRoutesSay() throws {
        let made = RouteReference.markdown()
        if let path = ProcessInfo.processInfo.environment["LARDER_WRITE_REFERENCE"] {
            try made.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == made, "run: make routes")
    }

    @Test func everyDescribedRouteHasASection() {
        let page = RouteReference.markdown()
        for route in RouteTable.builtIn.all where route.isDescribed {
            let method = route.methods.isEmpty ? "Any method" : route.methods.map(\.name).joined(separator: ", ")
            #expect(page.contains("\n### \(method) `\(route.path)`\n"), "\(route.pattern)")
        }
    }

    @Test func aliasesStandBesideTheirParameter() {
        #expect(RouteReference.markdown().contains("| `term` or `q` | query, needed |"))
    }
}
