// The page before a search: the last searches of this browser.
import { button, byId, el, show } from "./dom.js";
import { keep, kept } from "./kept.js";
import { empty, toAddress } from "./question.js";

const most = 8;

/** Notes a term that was searched. */
export function note(term) {
  keep("searches", [term, ...kept("searches", []).filter((one) => one !== term)].slice(0, most));
}

/** Shows the start if there is no term. */
export function drawStart(isShown) {
  byId("start").hidden = !isShown;
  const terms = kept("searches", []);
  byId("recent").hidden = !terms.length;
  show(byId("recent-terms"), terms.map((term) => el("a", { href: toAddress({ ...empty, q: term }) }, term)),
    button("Forget", { class: "quiet small", "aria-label": "Forget the recent searches" }, () => {
      keep("searches", []);
      drawStart(isShown);
    }));
}
