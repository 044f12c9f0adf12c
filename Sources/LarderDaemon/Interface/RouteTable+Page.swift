// The table of all routes at the top of `Docs/reference.md`: one row per group. The sections below it have the
// parameters (`RouteReference`). `make routes` writes the page, and a test checks that it is current.
import LarderCore

extension RouteTable {
    /// The lines of the table, including its header.
    func markdown() -> String {
        var out = "| Route | Answers |\n|---|---|\n"
        for group in groups {
            let routes = group.routes.filter(\.isDescribed)
            guard !routes.isEmpty else { continue }
            let authority = routes.contains { !$0.needsAuthority } ? "" : "; over the Unix socket, or with a token"
            out += "| \(Self.cell(routes, below: group.root)) | \(group.line)\(authority) |\n"
        }
        return out
    }

    /// The routes of a group as one cell. A method is written when it changes, and the root of the group once.
    private static func cell(_ routes: [Route], below root: String) -> String {
        var cell = ""
        var method: String?
        for route in routes {
            let name = (route.methods.first ?? .get).name
            let isBelow = method != nil && !root.isEmpty && route.path.hasPrefix(root + "/")
            let path = isBelow ? String(route.path.dropFirst(root.count)) : route.path
            cell += (method == nil ? "" : ", ") + "`" + (name == method ? "" : "\(name) ") + path + "`"
            method = name
        }
        return cell.replacing("|", with: "\\|")
    }
}
