// The page at `/`: a search over all sources and the state of the house, drawn by a small script from the same routes
// that every tool uses. Text from answers is only ever set as text, never as markup.
//
// A search spends upstream calls, and a link on any page may lead to `/?q=…`. The page therefore searches by itself only
// after a navigation that this origin began (`Sec-Fetch-Site: same-origin`, Fetch Metadata §2.3). After every other one it
// fills the field in and waits: cross-site and same-site links are foreign, `none` is a typed URL or a bookmark but also a
// link in a mail program, and a browser that sends no such field does not say.
import LarderCore
import LarderHTTP
import LarderServer

enum Dashboard {
    static func response(_ part: OwnPagePart, to request: ServerRequest, route: RouteName) -> ServerResponse {
        var response = own.response(part, route: route)
        guard case .page = part else { return response }
        response.fields.set("Vary", "Sec-Fetch-Site")
        if searchesByItself(request.fields) {
            response.body = .bytes(Bytes(text: "\(page)".replacing(waits, with: runs)))
        }
        return response
    }

    /// Whether `?q=` is searched for without a click.
    static func searchesByItself(_ fields: HeaderFields) -> Bool { fields.all("Sec-Fetch-Site") == ["same-origin"] }

    /// What the script reads.
    private static let waits = #"data-search="waits""#
    private static let runs = #"data-search="runs""#

    private static let own = OwnPage(
        page: page, style: style, script: script, icon: icon, permits: "img-src 'self'; form-action 'self'",
        cacheControl: "no-cache")

    /// A jar.
    private static let icon: StaticString = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
        <rect x="8" y="2" width="16" height="5" rx="1.5" fill="#8a5a2b"/>
        <path d="M9 8h14c3 2 4 4 4 7v11a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V15c0-3 1-5 4-7z" fill="#d9e6e2"/>
        <path d="M7 18h18v8a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2z" fill="#c4572e"/>
        </svg>

        """

    static let page: StaticString = """
        <!doctype html>
        <html lang="en" data-search="waits">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Larder</title>
        <link rel="icon" href="/dashboard.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/dashboard.css">
        <script src="/dashboard.js" defer></script>
        </head>
        <body>
        <header>
        <h1>Larder</h1>
        <form id="search" role="search">
        <input id="term" name="q" type="search" placeholder="Search all sources" autofocus aria-label="Search term">
        <select id="source" name="source" aria-label="Source"><option value="">all sources</option></select>
        <select id="sort" name="sort" aria-label="Order">
        <option>relevance</option><option>name</option><option>date</option><option>price</option>
        </select>
        <button>Search</button>
        </form>
        </header>
        <main>
        <p id="lost" role="alert" hidden></p>
        <p id="outcome" role="status"></p>
        <ul id="results"></ul>
        <h2>Providers</h2>
        <table role="table">
        <thead><tr><th>Provider</th><th>State</th><th>Calls left</th><th>Last answer</th><th>Answers</th></tr></thead>
        <tbody id="providers"></tbody>
        </table>
        <h2>Larder itself</h2>
        <dl id="house"></dl>
        <p class="links"><a href="/v1/status">status</a> <a href="/metrics">metrics</a>
        <a href="/openapi.json">interface</a></p>
        </main>
        </body>
        </html>

        """
}
