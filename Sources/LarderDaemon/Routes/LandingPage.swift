// The page that an API sends the browser back to. The result is in the fragment, which browsers never send to a server,
// so a short script posts it here. Nothing from another origin is loaded, and the address bar is cleared at once.
import LarderCore
import LarderServer

enum LandingPage {
    static func response(_ part: OwnPagePart, route: RouteName) -> ServerResponse {
        var response = own.response(part, route: route)
        // The window that opened this page must not control it (HTML, cross-origin opener policies).
        response.fields.set(.crossOriginOpenerPolicy, "same-origin")
        return response
    }

    private static let own = OwnPage(
        page: page, style: style, script: script, permits: "form-action 'none'", cacheControl: "no-store")

    private static let page: StaticString = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Larder: sign in</title>
        <link rel="stylesheet" href="callback.css">
        <script src="callback.js" defer></script>
        </head>
        <body>
        <main>
        <h1>Larder</h1>
        <p id="word" role="status">Finishing the sign-in…</p>
        <noscript><p>This page needs JavaScript, because only a script can read the sign-in's result.</p></noscript>
        </main>
        </body>
        </html>

        """

    private static let style: StaticString = """
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 32rem; padding: 0 1rem;
          color-scheme: light dark; }
        .failed { font-weight: bold; }

        """

    /// `state` is in the query according to Imgur's documentation, and in the fragment according to the standard (RFC
    /// 6749 §4.2.2), so the script looks at both. The post keeps fetch's usual mode, "cors". In any other mode a page
    /// with this referrer policy would send "null" as its Origin (Fetch, "append a request Origin header").
    private static let script: StaticString = """
        "use strict";
        (async () => {
          const word = document.getElementById("word");
          const tell = (text, failed) => {
            word.textContent = text;
            word.className = failed ? "failed" : "";
          };
          const found = new URLSearchParams(location.search);
          for (const [name, value] of new URLSearchParams(location.hash.slice(1))) found.set(name, value);
          // Neither the history nor whoever looks over a shoulder needs what stood there.
          history.replaceState(null, "", location.pathname);
          const names = ["state", "error", "code", "access_token", "refresh_token", "expires_in", "token_type",
            "account_username", "account_id"];
          const body = {};
          for (const name of names) if (found.has(name)) body[name] = found.get(name);
          if (!body.error && !body.code && !body.access_token) {
            return tell("The sign-in returned nothing. Begin again.", true);
          }
          try {
            const reply = await fetch("tokens", {
              method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
              credentials: "omit", cache: "no-store", redirect: "error" });
            const answer = await reply.json();
            if (!reply.ok) return tell(answer.detail || "The sign-in failed.", true);
            tell("Signed in" + (answer.account ? " as " + answer.account : "") + ". You can close this page.", false);
          } catch (error) {
            tell("Larder could not be reached.", true);
          }
        })();

        """
}
