// The table of routes as README shows it: a row for each group. Parameters
// stand in `Docs/reference.md` (`RouteReference`). README is a file like any other; a test holds it to this, and
// `make routes` writes it.
import LarderCore

extension RouteTable {
    /// The lines of README's table, its head included.
    static func markdown() -> String {
        var out = "| Route | Answers |\n|---|---|\n"
        for group in groups {
            let routes = group.routes.filter(\.isDescribed)
            guard !routes.isEmpty else { continue }
            let authority = routes.contains { !$0.needsAuthority } ? "" : "; over the Unix socket, or with a token"
            out += "| \(cell(routes, below: group.root)) | \(group.line)\(authority) |\n"
        }
        return out
    }

    /// Methods are written where they change, and the root of the group once.
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
