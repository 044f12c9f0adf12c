// The table of all routes in the reference agrees with the routes, and README's short table names only such routes.
import Foundation
import LarderServer
import Testing

@testable import LarderDaemon

@Suite struct RouteTablePageTests {
    private static let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "README.md")

    /// The rows of README's table of routes.
    private static func rows() throws -> [Substring] {
        let page = try String(contentsOf: readme, encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "| Route | Answers |"))
        return Array(lines[(start + 2)...].prefix { $0.hasPrefix("|") })
    }

    /// What stands between backquotes in the first cell of a row, without the method.
    private static func paths(_ row: Substring) -> [Substring] {
        let cell = row.split(separator: "|")[0]
        return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { $0.element.split(separator: " ").last ?? "" }
    }

    @Test func theTableOfREADMEHasAtMostTwelveRows() throws {
        let count = try Self.rows().count
        #expect((1...12).contains(count))
    }

    @Test func everyRouteInTheTableOfREADMEExists() throws {
        let described = Set(RouteTable.builtIn.all.filter(\.isDescribed).map(\.path))
        for path in try Self.rows().flatMap(Self.paths) { #expect(described.contains(String(path)), "\(path)") }
    }

    @Test func everyDescribedRouteStandsInItsTableAndNoOther() {
        let rows = RouteTable.builtIn.markdown().split(separator: "\n").dropFirst(2)
        let shown = rows.flatMap(Self.paths)
        let described = RouteTable.builtIn.all.filter(\.isDescribed)
        #expect(shown.count == described.count)
        for (path, route) in zip(shown, described) {
            #expect(route.path.hasSuffix(path) && path.hasPrefix("/"), "\(route.pattern)")
        }
    }

    @Test func aRowTellsWhereAllItsRoutesNeedAuthority() {
        for (start, isTold) in [
            ("| `DELETE /v1/cache", true), ("| `GET /v1/imgur/oauth", false), ("| `GET /v1/status", false),
        ] {
            let row = RouteTable.builtIn.markdown().split(separator: "\n").first { $0.hasPrefix(start) }
            #expect(row?.contains("over the Unix socket, or with a token") == isTold, "\(start)")
        }
    }
}
