// Keys: `/` to the search, `j` and `k` through a list, `?` for this list. Keys of one character can be switched off, since
// speech input may press them (WCAG 2.2, §2.1.4).
import { byId, button, el, show } from "./dom.js";
import { openDialog } from "./dialog.js";
import { keep, kept } from "./kept.js";

const told = [["/", "to the search, or to the first filter"], ["j", "next result or row"], ["k", "the one before"],
  ["Enter", "open it"], ["Esc", "close"], ["?", "this list"]];

/** What `j` and `k` walk through: the first thing to use of each result, row or card. */
function stops() {
  return [...document.querySelectorAll("#results > li, .lines tbody tr, .provider")]
    .map((one) => one.querySelector("a[href], button, [tabindex]")).filter(Boolean);
}

function walk(step) {
  const all = stops();
  const here = document.activeElement?.closest("li, tr, article");
  const at = all.findIndex((one) => here && here.contains(one));
  all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
}

function find() {
  const field = byId("q") || byId("path") || byId("prefix");
  if (!field) return location.assign("/");
  field.focus();
  field.select();
}

function list() {
  const box = el("input", { type: "checkbox", checked: kept("keys", true) });
  box.addEventListener("change", () => keep("keys", box.checked));
  show(openDialog("Keys"),
    el("dl", { class: "facts keys" }, told.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
    el("label", { class: "check" }, box, "Use keys of one character"));
}

const acts = { "/": find, "?": list, j: () => walk(1), k: () => walk(-1) };

/** Begins to listen. */
export function listenForKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(acts, event.key) || !kept("keys", true)) return;
    if (event.target.closest("input, select, textarea, [contenteditable], dialog")) return;
    event.preventDefault();
    acts[event.key]();
  });
  document.querySelector(".end").append(button("keys (?)", { class: "link" }, list));
}
