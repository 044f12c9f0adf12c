// Requests as they happen, the newest first. The list holds the last few hundred; what was left out is counted and said.
import "./page.js";
import { button, byId, el, show } from "./dom.js";
import { count, milliseconds, moment, plural, timeOfDay } from "./format.js";
import { outcomePill, term } from "./terms.js";
import { explain } from "./explanation.js";
import { follow } from "./stream.js";
import { authority, onToken } from "./token.js";

const kept = 500;
const fields = ["provider", "outcome", "status", "client", "path", "slow"];
const form = byId("filters");
/** Whether the requests with which the console follows its own searches are shown too. */
const own = form.elements.namedItem("own");
const list = byId("requests");

let isPaused = false;
let waiting = [];
/** The stream began anew while the list was kept still: what is shown is of before. */
let beganAnew = false;
let dropped = 0;
let isRedacted = true;

function filters() {
  const query = new URLSearchParams();
  for (const name of fields) {
    const value = form.elements.namedItem(name).value.trim();
    if (value) query.set(name, value);
  }
  return query;
}

function row(request) {
  const providers = request.provider ? [request.provider] : request.providers || [];
  const label = request.method + " " + request.target;
  return el("tr", { class: request.status >= 500 ? "failed" : null },
    el("td", { "data-name": "Time" }, el("time", { datetime: request.at, title: moment(request.at) }, timeOfDay(request.at))),
    el("td", { "data-name": "Request", class: "target" },
      button(label, { class: "link mono", "aria-label": "Explain " + label, title: label }, () => explain(request.id, "Why this answer"))),
    el("td", { "data-name": "Status", class: "number" }, String(request.status)),
    el("td", { "data-name": "Outcome" },
      outcomePill(request.outcome, request.status, { focus: false }),
      request.tier ? el("small", { class: "soft" }, " ", term(request.tier, request.tier, { focus: false })) : null),
    el("td", { "data-name": "Provider" }, providers.length > 1
      ? el("span", { title: providers.join(", ") }, providers.length + " sources") : providers[0] || ""),
    el("td", { "data-name": "Took", class: "number" }, milliseconds(request.milliseconds)),
    el("td", { "data-name": "Client" }, request.client || ""));
}

/** @param requests the oldest first. */
function add(requests) {
  const fresh = requests.map(row).reverse();
  // A row that has the focus is not taken from under it.
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  list.prepend(...fresh);
  while (list.rows.length > kept) list.lastElementChild.remove();
  if (focused && focused.isConnected && document.activeElement !== focused) focused.focus();
  byId("none").hidden = list.rows.length > 0;
}

function tell() {
  const parts = [];
  if (isPaused) parts.push("Paused; " + plural(waiting.length, "request") + " waiting.");
  if (dropped) parts.push(count(dropped) + " came too fast and are left out.");
  byId("stream").textContent = parts.join(" ");
}

function take(batch) {
  if (batch.dropped !== undefined) dropped = batch.dropped;
  if (batch.redacted !== undefined && batch.redacted !== isRedacted) isRedacted = batch.redacted;
  // A failure is shown whoever asked.
  const requests = own.checked ? batch.requests
    : batch.requests.filter((request) => request.route !== "searches" || request.status >= 400);
  if (isPaused) waiting = unlike(requests).slice(-kept);
  else add(requests);
  tell();
}

/** What waits, with those that it does not hold yet: a stream that begins anew tells the last ones again. */
function unlike(requests) {
  const mark = (request) => request.id + " " + request.at;
  // The newer telling counts: with a token it says more.
  const told = new Set(requests.map(mark));
  return [...waiting.filter((request) => !told.has(mark(request))), ...requests];
}

const path = () => "/v1/requests/events?" + new URLSearchParams([...filters(), ["last", "200"]]);

const stream = follow(path, {
  opened() {
    if (isPaused) {
      beganAnew = true;
    } else {
      show(list);
      byId("none").hidden = false;
    }
    dropped = 0;
    byId("refusal").textContent = "";
    tell();
  },
  requests: take,
  failed(status) {
    if (status === 400) byId("refusal").textContent = "This filter is not valid. A status is like 200 or 4xx, a time like 100ms.";
    else if (status === 503) byId("refusal").textContent = "Too many open pages follow requests. This page tries again.";
  },
}, { headers: authority });

function refilter() {
  const query = new URLSearchParams([...filters(), ...(own.checked ? [["own", "1"]] : [])]).toString();
  history.replaceState(null, "", query ? "/now?" + query : "/now");
  // Other requests are asked for: those that wait are not of them.
  if (isPaused) goOn();
  stream.reopen();
}

let timer = null;
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(refilter, 250);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  refilter();
});
onToken(() => stream.reopen());

const pause = byId("pause");
pause.hidden = false;
pause.addEventListener("click", () => {
  if (isPaused) return goOn();
  isPaused = true;
  drawPause();
});

function drawPause() {
  pause.setAttribute("aria-pressed", String(isPaused));
  pause.textContent = isPaused ? "Go on" : "Pause";
  tell();
}

function goOn() {
  isPaused = false;
  if (beganAnew) show(list);
  add(waiting);
  waiting = [];
  beganAnew = false;
  drawPause();
}
