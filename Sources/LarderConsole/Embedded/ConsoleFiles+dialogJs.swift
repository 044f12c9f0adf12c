// Files/dialog.js. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let dialogJs: StaticString = #"""
        // One dialog for what a person wants to look at more closely. Escape and the button close it, and the focus goes back.
        import { button, byId, el, show } from "./dom.js";

        /**
         * Opens it.
         * @returns where its content goes, which may come later.
         */
        export function openDialog(title) {
          let dialog = byId("closer");
          if (!dialog) {
            dialog = el("dialog", { id: "closer", "aria-labelledby": "closer-title" });
            document.body.append(dialog);
            // A click beside it closes it too.
            dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
          }
          const content = el("div", { class: "closer-content", tabindex: "0", role: "region", "aria-label": title });
          show(dialog,
            el("header", {}, el("h2", { id: "closer-title" }, title),
              button("Close", { class: "quiet" }, () => dialog.close())),
            content);
          if (!dialog.open) dialog.showModal();
          return content;
        }

        """#
}
