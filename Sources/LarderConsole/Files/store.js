// What is stored: lists, one entry, and removing. A removal is done only after a second click.
import "./page.js";
import { button, byId, el, show } from "./dom.js";
import { count, moment, plural, relative, size, words } from "./format.js";
import { term } from "./terms.js";
import { ask, told } from "./ask.js";
import { hasToken, onToken } from "./token.js";
import { openDialog } from "./dialog.js";
import { facts } from "./explanation.js";
import { onReturn } from "./connection.js";

const form = byId("filters");
const names = ["order", "provider", "prefix"];

const at = (instant) => (instant ? el("time", { datetime: instant, title: moment(instant) }, relative(instant)) : "");

/** The address without its origin, which `bases` tells once. */
const path = (label) => label.replace(/^https?:\/\/[^/]+(?=\/)/, "");

/** The origins of the entries, each once. */
function bases(entries) {
  const found = Map.groupBy(entries, (entry) => (/^https?:\/\/[^/]+(?=\/)/.exec(entry.label || "") || [])[0]);
  found.delete(undefined);
  if (found.size === 1) {
    return show(byId("bases"), el("span", {}, "All addresses begin with ", el("span", { class: "mono" }, [...found.keys()][0])));
  }
  show(byId("bases"), [...found].map(([origin, those]) => {
    const names = [...new Set(those.map((entry) => entry.provider))];
    return el("span", {}, (names.length > 2 ? names.length + " providers" : names.join(", ")) + " ", el("span", { class: "mono" }, origin));
  }));
}

function row(entry) {
  const label = entry.label || entry.key || "";
  return el("tr", {},
    el("td", { "data-name": "Entry", class: "target" }, entry.key
      ? button(path(label), { class: "link mono", title: label, "aria-label": "Look at " + label }, () => go(entry.key))
      : el("span", { class: "mono", title: label }, path(label))),
    el("td", { "data-name": "Provider" }, entry.provider),
    el("td", { "data-name": "Kind" }, term(entry.kind, words(entry.kind || ""), { focus: false, className: "pill" })),
    el("td", { "data-name": "Size", class: "number" }, size(entry.bytes)),
    el("td", { "data-name": "Uses", class: "number" }, entry.uses === undefined ? "" : count(entry.uses)),
    el("td", { "data-name": "Stored" }, at(entry.receivedAt)),
    el("td", { "data-name": "Fresh until" }, fresh(entry)),
    el("td", { "data-name": "Last used" }, at(entry.lastUsedAt)));
}

function fresh(entry) {
  if (!entry.freshUntil) return "";
  const isPast = Date.parse(entry.freshUntil) <= Date.now();
  return el("span", { class: isPast ? "warn" : null }, at(entry.freshUntil));
}

function query() {
  const found = new URLSearchParams();
  for (const name of names) {
    const value = form.elements.namedItem(name).value.trim();
    if (value && !(name === "order" && value === "largest")) found.set(name, value);
  }
  return found;
}

const mostRows = 100;
// Without authority one look takes 10 ms at most and says where the next one begins.
const mostLooks = 10;
const orders = {
  largest: (one, other) => other.bytes - one.bytes,
  recentlyUsed: (one, other) => Date.parse(other.lastUsedAt) - Date.parse(one.lastUsedAt),
};

const headers = [...document.querySelectorAll("th a[data-order]")];

/** Marks the column that the entries are sorted by. */
function mark() {
  const order = query().get("order") || "largest";
  for (const link of headers) {
    if (link.dataset.order === order) link.parentElement.setAttribute("aria-sort", "descending");
    else link.parentElement.removeAttribute("aria-sort");
  }
}

for (const link of headers) {
  link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    form.elements.namedItem("order").value = link.dataset.order;
    address();
  });
}

let latest = 0;
async function refresh() {
  mark();
  const mine = ++latest;
  try {
    const question = { order: "largest", ...Object.fromEntries(query()), limit: String(mostRows) };
    let entries = [];
    let answer = {};
    for (let looks = 0; looks < mostLooks && (looks === 0 || answer.next); looks += 1) {
      const after = answer.next ? { after: answer.next } : {};
      answer = await ask("/v1/entries?" + new URLSearchParams({ ...question, ...after }));
      if (mine !== latest) return;
      // Each look gives the first of what it examined.
      entries = entries.concat(answer.entries).sort(orders[question.order]).slice(0, mostRows);
    }
    show(byId("entries"), entries.map(row));
    bases(entries);
    const filters = query();
    filters.delete("order");
    byId("none").textContent = filters.toString() ? "No entry is like this. Other filters may find some." : "Nothing is stored.";
    byId("none").hidden = entries.length > 0;
    byId("refusal").textContent = answer.complete === false ? "There was no time to examine all entries. These are the first of those examined." : "";
  } catch (error) {
    if (mine === latest) byId("refusal").textContent = told(error);
  }
}

let timer = null;
function later() {
  clearTimeout(timer);
  timer = setTimeout(address, 250);
}

function setAddress() {
  const text = query().toString();
  history.replaceState(null, "", text ? "/store?" + text : "/store");
}

function address() {
  setAddress();
  refresh();
}

// MARK: One entry

/** Each entry has an address: the list's, with the entry's key. */
function go(key) {
  const found = query();
  found.set("entry", key);
  history.pushState(null, "", "/store?" + found);
  look();
}

/** Shows the entry of the address. */
async function look() {
  const key = new URLSearchParams(location.search).get("entry");
  if (!key) return byId("closer")?.close();
  const content = openDialog("One entry");
  // Without the token the address stays, for when it is there.
  byId("closer").onclose = () => { if (hasToken() && location.search.includes("entry=")) setAddress(); };
  if (!hasToken()) {
    return show(content, el("p", {}, "This needs the token. Close this, and enter the token in the form at the end of the page."));
  }
  show(content, el("p", { class: "soft" }, "Looking it up…"));
  try {
    show(content, ...drawn(await ask("/v1/entries/" + encodeURIComponent(key))));
  } catch (error) {
    show(content, el("p", { class: "bad" }, told(error)));
  }
}

function drawn(entry) {
  const parts = [
    el("p", { class: "mono" }, entry.label || ""),
    facts([
      ["provider", entry.provider], ["kind", term(entry.kind, words(entry.kind || ""))], ["status", entry.status], ["size", size(entry.bytes)],
      ["uses", entry.uses], ["stored", entry.receivedAt && moment(entry.receivedAt)],
      ["fresh until", entry.freshUntil && moment(entry.freshUntil)], ["usable until", entry.staleUntil && moment(entry.staleUntil)],
      ["last used", entry.lastUsedAt && moment(entry.lastUsedAt)], ["key", entry.key],
    ]),
    el("p", {}, button("Choose for removal…", { class: "quiet" }, () => {
      byId("closer").close();
      fill("key", entry.key);
    })),
  ];
  if (entry.fields && entry.fields.length) {
    parts.push(el("h3", {}, "Stored head"), facts(entry.fields));
  }
  if (entry.preview) parts.push(el("h3", {}, "Beginning of the body"), preview(entry));
  for (const [member, label] of [["parents", "Made from"], ["children", "Made from it"], ["variants", "Variants"]]) {
    const others = entry[member] || [];
    if (!others.length) continue;
    parts.push(el("h3", {}, label), el("ul", {}, others.map((other) => el("li", {}, other.key
      ? button(other.label || other.key, { class: "link mono" }, () => go(other.key)) : other.label, " ", el("small", { class: "soft" }, words(other.kind || ""))))));
  }
  return parts;
}

function preview(entry) {
  const { type, text, truncated } = entry.preview;
  if (typeof text !== "string") return el("p", { class: "soft" }, type === "image" ? "A picture of " + size(entry.bytes) + "." : "Not text.");
  let shown = text;
  if (!truncated) {
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // It is shown as it is stored.
    }
  }
  return el("pre", { tabindex: "0" }, shown + (truncated ? "\n…" : ""));
}

// MARK: Removing

const purge = byId("purge");
let armed = null;

function fill(selector, value) {
  byId("purge-by").value = selector;
  byId("purge-value").value = value;
  disarm();
  purge.scrollIntoView({ block: "center" });
  byId("purge-try").focus();
}

function selectors() {
  const by = byId("purge-by").value;
  const found = new URLSearchParams();
  if (by === "all") found.set("all", "1");
  else found.set(by, byId("purge-value").value.trim());
  if (byId("purge-soft").checked) found.set("soft", "1");
  return found;
}

function disarm() {
  armed = null;
  byId("purge-do").hidden = true;
  show(byId("purge-word"));
}

function permit() {
  byId("purge-needs").hidden = hasToken();
  byId("purge-value").disabled = byId("purge-by").value === "all";
  disarm();
}

purge.addEventListener("input", permit);
purge.addEventListener("submit", (event) => {
  event.preventDefault();
  disarm();
  const value = byId("purge-value").value.trim();
  const isAll = byId("purge-by").value === "all";
  if (!isAll && !value) return say("Enter what to remove.", "bad");
  if (!hasToken()) return say("This needs the token. Enter it in the form at the end of the page.", "bad");
  armed = selectors();
  const verb = armed.has("soft") ? "Expire" : "Remove";
  say(verb + " " + byId("purge-by").selectedOptions[0].text + (isAll ? "?" : ": " + value));
  const confirm = byId("purge-do");
  confirm.textContent = verb;
  confirm.hidden = false;
  confirm.focus();
});

byId("purge-do").addEventListener("click", async () => {
  const chosen = armed;
  disarm();
  if (!chosen) return;
  try {
    const answer = await ask("/v1/cache?" + chosen, { method: "DELETE" });
    say(plural(answer.purged, "entry", "entries") + (answer.soft ? " expired." : " removed.") + (answer.reason ? " " + answer.reason : ""));
    refresh();
  } catch (error) {
    say(error.status === 401 || error.status === 403 ? "This needs the token: " + told(error) : told(error), "bad");
  }
  byId("purge-try").focus();
});

function say(text, name = null) {
  show(byId("purge-word"), el("p", { class: name }, text));
}

form.addEventListener("input", later);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  later();
});
onToken(() => {
  permit();
  refresh();
  if (hasToken()) look();
});
onReturn(refresh);
// Not under somebody's hands: what has the focus stays.
setInterval(() => { if (!document.hidden && !byId("entries").contains(document.activeElement)) refresh(); }, 10000);
addEventListener("popstate", look);
purge.hidden = false;
permit();
look();
refresh();
