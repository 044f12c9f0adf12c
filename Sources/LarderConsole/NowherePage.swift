// The page that a browser gets for a path at which this daemon has nothing.

public enum NowherePage {
    /// - Parameter path: the path as it was requested.
    public static func render(path: String) -> String {
        ConsolePage.document(nil, title: "Nothing here · Larder") { main in
            main.add("h1", text: "Nothing here")
            main.add("p") { line in
                line.add(
                    "This is Larder, a local cache for the APIs that the programs on this machine use. It has nothing at "
                )
                line.add("code", text: path)
                line.add(".")
            }
            main.add("ul") { list in
                for (path, what) in [
                    ("/", "search, and see what Larder does"), ("/providers", "the APIs that it knows"),
                    ("/openapi.json", "every route, for programs"),
                ] {
                    list.add("li") { item in
                        item.add("a", ["href": path], text: path)
                        item.add(": \(what)")
                    }
                }
            }
        }
    }
}
