// The table in README agrees with the table of routes.
import Foundation
import LarderServer
import Testing

@testable import LarderDaemon

@Suite struct RouteTablePageTests {
    private static let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "README.md")

    /// The range of the table in a page.
    private static func table(in page: String) -> Range<String.Index>? {
        guard let head = page.range(of: "| Route | Answers |\n"),
            let end = page[head.lowerBound...].range(of: "\n\n")
        else { return nil }
        // The first of the two newlines ends the table's last line.
        return head.lowerBound..<page.index(after: end.lowerBound)
    }

    @Test func theTableOfREADMEIsWhatTheRoutesSay() throws {
        let made = RouteTable.builtIn.markdown()
        var page = try String(contentsOf: Self.readme, encoding: .utf8)
        if let path = ProcessInfo.processInfo.environment["LARDER_WRITE_ROUTES"] {
            page.replaceSubrange(try #require(Self.table(in: page)), with: made)
            try page.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(page[try #require(Self.table(in: page))] == made, "run: make routes")
    }

    @Test func everyDescribedRouteStandsInItsTableAndNoOther() {
        let rows = RouteTable.builtIn.markdown().split(separator: "\n").dropFirst(2)
        let shown = rows.flatMap { row in
            let cell = row.split(separator: "|")[0]
            return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter {
                $0.offset % 2 == 1
            }
            .map { piece in piece.element.split(separator: " ").last?.prefix { $0 != "?" } ?? "" }
        }
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
