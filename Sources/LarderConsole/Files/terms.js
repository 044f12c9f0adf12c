// Technical words and their explanations: on hover, on focus and on a tap. Escape hides one (WCAG 2.2, §1.4.13).
import glossary from "./glossary.js";
import { el } from "./dom.js";
import { words } from "./format.js";

/**
 * A word with its explanation.
 * @param focus whether it is a stop of the Tab key: in long lists it is not, since its column's head is one.
 */
export function term(name, label = name, { focus = true, className = "" } = {}) {
  const told = Object.hasOwn(glossary, name) ? glossary[name] : null;
  if (!told) return el("span", { class: className || null }, label);
  return el("abbr", { class: ("term " + className).trim(), title: told, tabindex: focus ? "0" : null }, label);
}

/** The outcome of a request as a pill. An error is never shown as a success. */
export function outcomePill(name, status = 200, options = {}) {
  const shown = name !== "none" ? name : status >= 500 ? "failed" : status === 404 ? "notFound" : status >= 400 ? "refused" : name;
  return term(shown, words(shown), { className: "pill " + (status >= 500 ? "bad" : status >= 400 ? "warn" : name), ...options });
}

export const explained = (name) => (Object.hasOwn(glossary, name) ? glossary[name] : null);

const tip = el("div", { id: "tip", role: "tooltip", hidden: true });
let shown = null;

function open(word) {
  if (word === shown) return;
  close();
  // The browser's own would stand beside it.
  if (word.title) {
    word.dataset.told = word.title;
    word.removeAttribute("title");
  }
  if (!word.dataset.told) return;
  shown = word;
  // A dialog lies above everything else, so the explanation of its words lies in it.
  (word.closest("dialog") || document.body).append(tip);
  tip.textContent = word.dataset.told;
  word.setAttribute("aria-describedby", "tip");
  tip.hidden = false;
  const box = word.getBoundingClientRect();
  const width = tip.offsetWidth;
  const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8));
  const below = box.bottom + tip.offsetHeight + 12 < innerHeight;
  tip.style.left = left + "px";
  tip.style.top = (below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + "px";
}

function close() {
  if (!shown) return;
  shown.removeAttribute("aria-describedby");
  shown.title = shown.dataset.told;
  shown = null;
  tip.hidden = true;
}

const wordOf = (event) => (event.target instanceof Element
  ? event.target.closest("abbr.term") || event.target.closest("th a")?.querySelector("abbr.term") : null);

/** Begins to explain the words of this page. */
export function explainTerms() {
  document.addEventListener("pointerover", (event) => {
    const word = wordOf(event);
    if (word) open(word);
    else if (shown && event.target !== tip && document.activeElement !== shown) close();
  });
  document.addEventListener("focusin", (event) => (wordOf(event) ? open(wordOf(event)) : close()));
  document.addEventListener("click", (event) => { if (wordOf(event)) open(wordOf(event)); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown) return;
    close();
    event.preventDefault();
  });
  document.addEventListener("scroll", close, { passive: true, capture: true });
}
