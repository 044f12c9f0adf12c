// The token. One that a person types is held in this variable and nowhere else, and is gone with the page. That of a
// link of `larder console` is kept for the tab (sessionStorage), so that the other pages have it too.
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
  if (value === null) sessionStorage.removeItem("owner");
  const form = byId("token");
  if (form) {
    form.dataset.given = value === null ? "no" : "yes";
    byId("token-word").textContent = word;
    byId("token-forget").hidden = value === null;
  }
  for (const act of changes) act();
}

const owned = "This tab is the owner's: it shows everything and may make changes, until you close it.";

/** Takes the code of a link that `larder console` made, once. */
async function openByLink(code) {
  history.replaceState(null, "", location.pathname + location.search);
  const reply = await fetch("/v1/console/tokens", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }), cache: "no-store",
  });
  const answer = await reply.json();
  if (!reply.ok) return set(null, answer.detail);
  sessionStorage.setItem("owner", answer.token);
  set(answer.token, owned);
}

/** Takes the token of the tab, and begins to listen to the page's form, if it has one. */
export function listenForToken() {
  const form = byId("token");
  if (form) form.hidden = false;
  const link = /^#owner=([\w-]{43})$/.exec(location.hash);
  const kept = sessionStorage.getItem("owner");
  if (link) openByLink(link[1]).catch(() => set(null, "Larder cannot be reached."));
  else if (kept) set(kept, owned);
  if (!form) return;
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
