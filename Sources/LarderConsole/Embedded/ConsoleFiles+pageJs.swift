// Files/page.js. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let pageJs: StaticString = #"""
        // What every page does, whatever it shows.
        import { explainTerms } from "./terms.js";
        import { listenForToken } from "./token.js";
        import { watchConnection } from "./connection.js";

        explainTerms();
        listenForToken();
        watchConnection();
        // Styles show what needs a script only where one runs.
        document.documentElement.classList.add("scripted");

        """#
}
