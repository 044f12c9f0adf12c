// An answer on the page: a line about it, a mark for each source, tabs, cards, and pages of them.
import { byId, el, show } from "./dom.js";
import { count, milliseconds, plural, readable, relative, words } from "./format.js";
import { term } from "./terms.js";
import { card } from "./result.js";
import { toAddress } from "./question.js";
import { titleOf } from "./titles.js";

/** Cards of one page. */
const pageSize = 24;

/** The line that says how a search stands. */
export function outcome(text, isUnderWay = false, isBad = false) {
  show(byId("outcome"), text);
  byId("outcome").classList.toggle("working", isUnderWay);
  byId("outcome").classList.toggle("bad", isBad);
  byId("outcome").classList.remove("warn");
  byId("help").hidden = true;
}

export function drawNothing() {
  for (const name of ["sources", "tabs", "results", "pages", "help"]) show(byId(name));
  for (const name of ["tabs", "pages"]) byId(name).hidden = true;
  outcome("");
}

const hasFailed = (source) => source.state === "failed" || Boolean(source.error);

/** @param go takes a change of what is shown: a kind, a source, a page. */
export function drawAnswer(answer, state, go) {
  const shown = answer.results.filter((result) =>
    (!state.kind || result.kind === state.kind) && (!state.from || result.provider === state.from));
  const pages = Math.max(1, Math.ceil(shown.length / pageSize));
  const page = Math.min(state.page, pages);
  outcome("");
  show(byId("outcome"), ...line(answer));
  byId("outcome").classList.toggle("working", !answer.isWhole && !answer.note);
  byId("outcome").classList.toggle("warn", answer.sources.some(hasFailed));
  drawSources(answer);
  drawTabs(answer, state, go);
  show(byId("results"), shown.slice((page - 1) * pageSize, page * pageSize).map((result) => card(result, answer)));
  drawPages(page, pages, state, go);
  if (!shown.length && answer.isWhole) drawEmpty(answer, state, go);
}

/** What to do next where nothing was found. */
function drawEmpty(answer, state, go) {
  const way = (label, change) => link({ ...state, page: 1, ...change }, () => go(change), {}, label);
  const isNarrowed = state.kind || state.from;
  byId("help").hidden = false;
  show(byId("help"),
    el("h2", {}, isNarrowed ? "No result is of this kind and source" : "Nothing was found for “" + state.q + "”"),
    isNarrowed ? null : el("p", {}, "Fewer or shorter words find more."),
    el("p", { class: "next" },
      isNarrowed ? way("Show all results", { kind: "", from: "" }) : null,
      state.source ? way("Search all sources", { source: "" }) : null,
      way(state.where ? "Ask the sources" : "Search what is stored", { where: state.where ? "" : "stored" })));
}

/**
 * Says that no source answered, with the state of each.
 * @param stored how many stored results there are; null if that is not known.
 */
export function drawFailure(problem, sources, stored, state, go) {
  outcome(sources.length > 1 ? "None of the " + sources.length + " sources answered."
    : sources.length ? titleOf(sources[0].provider) + " gave no answer." : readable(problem.detail || problem.title || "Failed."), false, true);
  const change = { where: "stored" };
  byId("help").hidden = false;
  show(byId("help"),
    el("ul", { class: "states failed" }, sources.map((source) => {
      const reason = (source.error && source.error.class) || "failed";
      return el("li", {}, el("div", { class: "line" }, el("b", {}, titleOf(source.provider)), term(reason, words(reason), { className: "pill bad" })),
        el("p", {}, readable((source.error && source.error.detail) || "It gave no answer.")));
    })),
    el("div", { class: "panel next" },
      stored ? link({ ...state, ...change }, () => go(change), { class: "act" }, "Show " + plural(stored, "stored result")) : null,
      el("button", { type: "submit", form: "search", class: stored ? "quiet" : null }, "Try again"),
      el("a", { href: "/providers" }, "State of the providers"),
      stored === 0 ? el("p", { class: "soft" }, "Nothing that is stored matches.") : null));
}

function line(answer) {
  if (answer.isProvisional) {
    return [term("provisional", "Meanwhile"), " what is known for “" + answer.provisionalTerm + "”: " + plural(answer.results.length, "result")];
  }
  const awaited = answer.sources.filter((source) => source.state === "loading").map((source) => titleOf(source.provider));
  const failures = answer.sources.filter(hasFailed).length;
  const stored = failures && failures === answer.sources.length;
  const said = [plural(answer.results.length, stored ? "stored result" : "result")];
  if (failures) said[0] += "; " + count(failures) + " of " + plural(answer.sources.length, "source") + " failed";
  else if (answer.milliseconds !== null) said.push("in " + milliseconds(answer.milliseconds));
  if (awaited.length) said.push("· waiting for " + awaited.join(", "));
  const how = failures ? null : origin(answer.headers);
  const parts = [said.join(" ")];
  if (how) parts.push(" · ", how);
  if (answer.note) parts.push(" · " + answer.note);
  return parts;
}

/** Cache-Status (RFC 9211) in words: how the answer came to be. */
function origin(headers) {
  const said = (headers && headers.get("Cache-Status")) || "";
  const detail = (/; *detail=([^;]*)/.exec(said) || [])[1];
  const left = (/; *ttl=([^;]*)/.exec(said) || [])[1];
  if (detail === "local") return term("fullText", "from stored results");
  if (/; *hit/.test(said)) return left < 0 ? term("stale", "stored, stale") : term("hit", "from the cache");
  if (!/; *fwd=/.test(said)) return null;
  return /; *collapsed/.test(said) ? term("joined", "shared a fetch") : term("miss", "fetched just now");
}

/** The sources that answer, each as a mark; those that failed in one line, which unfolds. */
function drawSources(answer) {
  const failures = answer.sources.filter(hasFailed);
  const isOpen = Boolean(byId("sources").querySelector("details[open]"));
  show(byId("sources"),
    answer.sources.filter((source) => !hasFailed(source)).map((source) =>
      el("li", { class: "mark " + (source.state === "loading" ? "loading" : "") }, titleOf(source.provider) + " ",
        el("b", {}, source.state === "loading" ? "…" : count(source.count || 0)))),
    failures.length ? el("li", { class: "failures" }, el("details", { open: isOpen },
      el("summary", {}, plural(failures.length, "source") + " failed"),
      el("ul", {}, failures.map((source) => el("li", { title: readable(source.error?.detail || "") || null },
        el("b", {}, titleOf(source.provider)), ": " + shortly(source.error || {})))))) : null);
}

const causes = { unreachable: "not reached", timedOut: "no answer in time", limited: "no calls left for now", broken: "its answer could not be used",
  suspended: "not called for a while", refused: "it refused the call", notConfigured: "not configured" };

/** A failure of a source in a few words. */
function shortly({ class: name, retryAt }) {
  const next = Date.parse(retryAt) > Date.now() ? ", next try " + relative(retryAt) : "";
  return (causes[name] || words(name || "failed")) + next;
}

function tally(results, member) {
  const found = new Map();
  for (const result of results) found.set(result[member], (found.get(result[member]) || 0) + 1);
  return [...found].filter(([name]) => name).sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
}

function drawTabs(answer, state, go) {
  const groups = [["Kind", "kind", tally(answer.results, "kind")], ["From", "from", tally(answer.results, "provider")]];
  byId("tabs").hidden = !answer.results.length;
  show(byId("tabs"), groups.map(([label, member, choices]) => {
    const all = answer.results.length;
    const tab = (name, text, number) => link({ ...state, page: 1, [member]: name }, () => go({ [member]: name }),
      { class: "tab", "aria-current": state[member] === name ? "true" : null }, text, el("span", { class: "tally" }, count(number)));
    return el("div", { class: "tabs", role: "group", "aria-label": label },
      el("span", { class: "label" }, label), tab("", "All", all), ...choices.map(([name, number]) => tab(name, member === "from" ? titleOf(name) : name, number)));
  }));
}

function drawPages(page, pages, state, go) {
  byId("pages").hidden = pages < 2;
  if (pages < 2) return show(byId("pages"));
  const to = (number, text, label) => (number < 1 || number > pages ? null
    : link({ ...state, page: number }, () => go({ page: number }),
      { class: "tab", "aria-label": label, "aria-current": text === String(page) ? "page" : null }, text));
  show(byId("pages"), to(page - 1, "‹", "Page before"),
    ...Array.from({ length: pages }, (_, at) => to(at + 1, String(at + 1), "Page " + (at + 1))),
    to(page + 1, "›", "Page after"));
}

/** A link that the page follows by itself, unless it is to open elsewhere. */
function link(target, act, attributes, ...children) {
  const made = el("a", { href: toAddress(target), ...attributes }, ...children);
  made.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    act();
  });
  return made;
}

