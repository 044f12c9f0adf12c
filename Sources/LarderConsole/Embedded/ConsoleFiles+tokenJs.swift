// Files/token.js. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let tokenJs: StaticString = #"""
        // The admin token, held in this variable and nowhere else: not in storage, not in an address, gone with the page.
        import { byId } from "./dom.js";

        let token = null;
        const changes = [];

        export const hasToken = () => token !== null;

        /** The field that carries it, where one was given. */
        export const authority = () => (token === null ? {} : { Authorization: "Bearer " + token });

        export function onToken(act) {
          changes.push(act);
        }

        /** A token that was refused is forgotten, and that is said. */
        export function refused(detail) {
          set(null, detail || "The token was not accepted.");
        }

        function set(value, word) {
          token = value;
          const form = byId("token");
          if (form) {
            form.dataset.given = value === null ? "no" : "yes";
            byId("token-word").textContent = word;
            byId("token-forget").hidden = value === null;
          }
          for (const act of changes) act();
        }

        /** Begins to listen to the page's form. */
        export function listenForToken() {
          const form = byId("token");
          if (!form) return;
          form.hidden = false;
          form.addEventListener("submit", (event) => {
            event.preventDefault();
            const field = byId("token-field");
            const text = field.value.trim();
            field.value = "";
            // What no field of HTTP can carry would fail in every request that follows (RFC 6750 §2.1).
            if (!/^[\x21-\x7e]+$/.test(text)) return set(null, "A token has letters, digits and punctuation, and no spaces.");
            set(text, "The token is set. This page forgets it when you leave.");
          });
          byId("token-forget").addEventListener("click", () => set(null, "Forgotten."));
        }

        """#
}
