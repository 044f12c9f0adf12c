// The OpenSearch 1.1 description, with which a browser can add the search page as a search engine.
import LarderCore

public enum OpenSearch {
    public static let type = "application/opensearchdescription+xml"

    /// - Parameter host: the value of the request's `Host` field, already checked. The description needs absolute URLs.
    public static func description(host: String) -> String {
        var page = Markup()
        page.add("OpenSearchDescription", ["xmlns": "http://a9.com/-/spec/opensearch/1.1/"]) { root in
            root.add("ShortName", text: "Larder")
            root.add("Description", text: "Search all sources of the local Larder")
            root.add("InputEncoding", text: "UTF-8")
            root.add(
                "Image", ["width": "32", "height": "32", "type": "image/svg+xml"],
                text: "http://\(host)/console/larder.svg")
            root.add(
                "Url", ["type": "text/html", "method": "get", "template": "http://\(host)/?q={searchTerms}"], text: "")
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + page.text + "\n"
    }
}
