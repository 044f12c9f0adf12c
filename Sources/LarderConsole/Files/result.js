// One result as a card: what it is, how old it is, why it is here, and the provider's own record.
import { button, el, picture, show, webAddress } from "./dom.js";
import { relative } from "./format.js";
import { term } from "./terms.js";
import { explain, lifetime } from "./explanation.js";
import { openDialog } from "./dialog.js";
import { titleOf } from "./titles.js";

/**
 * @param result as the daemon gives it.
 * @param answer the answer that it stands in: `sources`, `requestId`, and `recordsAt`, where its provider's record is had.
 */
export function card(result, answer) {
  const source = answer.sources.find((one) => one.provider === result.provider);
  const link = webAddress(result.url);
  const title = result.title || result.id;
  const price = result.price ? [result.price.amount, result.price.currency].filter((part) => part !== undefined).join(" ") : null;
  const facts = [result.creator, result.collection, price, (result.publishedAt || "").slice(0, 10)].filter(Boolean).join(" · ");
  const acts = [];
  if (answer.requestId) {
    acts.push(button("Why", { class: "quiet small", "aria-label": "Why this answer: " + title },
      () => explain(answer.requestId, "Why this result of " + titleOf(result.provider), result.provider)));
  }
  if (answer.recordsAt) {
    acts.push(button("Record", { class: "quiet small", "aria-label": "The provider's own record: " + title },
      () => record(result, answer.recordsAt(result))));
  }
  return el("li", { class: "card", "data-id": result.id },
    el("div", { class: "frame", "aria-hidden": "true" }, picture(result.artwork && result.artwork.small, 72, initial(result.kind))),
    el("div", { class: "told" },
      el("h2", {}, link ? el("a", { href: link, rel: "noreferrer noopener" }, title) : title),
      facts && el("p", { class: "soft" }, facts),
      result.summary && el("p", { class: "summary" }, result.summary),
      el("p", { class: "foot" },
        el("span", { class: "pill" }, result.kind || "result"),
        el("span", { class: "source" }, titleOf(result.provider)),
        age(result, source),
        el("span", { class: "acts" }, ...acts))));
}

const initial = (kind) => (kind || "?").slice(0, 1).toUpperCase();

function age(result, source) {
  const at = result.fetchedAt || (source && source.fetchedAt);
  if (!at) return null;
  const until = source && source.freshUntil;
  const isStale = source && source.stale;
  return el("span", { class: isStale ? "age warn" : "age", title: lifetime(at, until) },
    el("time", { datetime: at, "data-relative": "" }, relative(at)), isStale ? [", ", term("stale", "stale", { focus: false })] : null);
}

/** Shows the provider's own record. It is read from what is stored: looking costs no call. */
async function record(result, path) {
  const content = openDialog("Record of " + titleOf(result.provider));
  show(content, el("p", { class: "soft" }, "Looking it up…"));
  try {
    const reply = await fetch(path, { headers: { "Cache-Control": "only-if-cached" }, cache: "no-store", signal: AbortSignal.timeout(10000) });
    const answer = await reply.json();
    const found = reply.ok ? answer.results.find((one) => one.id === result.id) : null;
    show(content,
      el("p", { class: "soft" }, "The record from " + titleOf(result.provider) + " that Larder made the result from."),
      found && found.source !== undefined ? el("pre", {}, JSON.stringify(found.source, null, 2))
        : el("p", {}, "The provider's own record is no longer stored."));
  } catch {
    show(content, el("p", { class: "bad" }, "Larder cannot be reached."));
  }
}
