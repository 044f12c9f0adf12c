// Providers as they are now. A change is told by the daemon's events; besides, all is looked at every few seconds.
import "./page.js";
import { button, byId, el, show } from "./dom.js";
import { count, moment, readable, relative, size, span, words } from "./format.js";
import { term } from "./terms.js";
import { ask, told } from "./ask.js";
import { hasToken, onToken } from "./token.js";
import { follow } from "./stream.js";
import { onReturn } from "./connection.js";
import { facts } from "./explanation.js";

let status = null;

const ago = (instant) => el("time", { datetime: instant, title: moment(instant) }, relative(instant));

function budget(name, one, isIdle) {
  const label = name.endsWith("Credits") ? term("credits", words(name.slice(0, -7)) + " credits") : term(name, name);
  const left = one.limit ? count(one.remaining) + " of " + count(one.limit) + " left" : count(one.remaining) + " left";
  const per = one.windowSeconds ? ", per " + span(one.windowSeconds) : "";
  const resets = one.resetsAt && Date.parse(one.resetsAt) > Date.now()
    ? [" · ", "resets ", el("time", { datetime: one.resetsAt, title: moment(one.resetsAt) }, relative(one.resetsAt))] : [];
  return el("div", { class: "budget" },
    el("div", { class: "line" }, label, el("span", { class: "soft" }, left, per, ...resets)),
    one.limit ? el("meter", { class: isIdle ? "idle" : null, min: 0, max: one.limit, low: one.limit / 5, optimum: one.limit, value: one.remaining,
      "aria-label": words(name) + ": " + left }) : null);
}

function answers(provider) {
  const said = Object.entries(provider.answers || {}).filter(([, value]) => value > 0);
  return said.length ? el("p", { class: "counts" }, said.map(([name, value]) =>
    el("span", {}, el("b", {}, count(value)), " ", term(name, name === "memoryHit" ? "from memory" : words(name), { focus: false }))))
    : el("p", { class: "soft" }, provider.lastFailure || provider.lastSuccess ? "No answer given since the start." : "Not called yet.");
}

/** The calls by tool; nothing if no setting tells tools apart. */
function tools(provider) {
  const list = provider.tools || [];
  if (list.every((one) => ["other", "larder"].includes(one.tool))) return null;
  return el("table", { class: "rows" }, el("caption", { class: "apart" }, "Calls by tool"),
    el("thead", {}, el("tr", {}, ["Tool", "Calls", "Refused"].map((name) =>
      el("th", { scope: "col", class: name === "Tool" ? null : "number" }, name)))),
    el("tbody", {}, list.map((one) => el("tr", {},
      el("td", { "data-name": "Tool" }, one.tool),
      el("td", { "data-name": "Calls", class: "number" }, count(one.calls)),
      el("td", { "data-name": "Refused", class: "number" }, count(one.refused))))));
}

/** The last changes; not that a rate is whole again, which follows each burst of calls, nor what the card says already. */
function recent(provider) {
  const changes = (provider.recent || []).filter((one) =>
    !(one.event === "budget" && /^The rate is whole/.test(one.detail)) && !(one.detail && one.detail === provider.lastFailureDetail));
  if (!changes.length) return null;
  return el("details", { "data-of": provider.name }, el("summary", {}, "Recent changes"),
    el("ul", { class: "events" }, changes.map((one) =>
      el("li", {}, ago(one.at), " ", term(one.event, words(one.event), { focus: false }), one.detail ? ": " + readable(one.detail) : ""))));
}

function act(provider) {
  if (!["builtIn", "described", "passthrough"].includes(provider.kind)) return null;
  const rests = provider.state === "suspended" || provider.state === "probing";
  const verb = rests ? "resume" : "suspend";
  if (provider.state === "off" || provider.state === "notConfigured") return null;
  const label = provider.state === "probing" ? "Try now" : rests ? "Resume" : "Suspend 10 min";
  return button(label, { class: "quiet small", disabled: !hasToken(),
    title: hasToken() ? null : "This needs the token. Its form is below.", "aria-label": label + ": " + (provider.title || provider.name) },
    () => change(provider.name, verb));
}

async function change(name, verb) {
  const word = byId("word");
  try {
    const path = "/v1/providers/" + encodeURIComponent(name) + "/" + verb;
    const answer = await ask(verb === "suspend" ? path + "?for=10m" : path, { method: "POST" });
    word.textContent = verb === "suspend" ? name + " is suspended until " + moment(answer.until) + "." : name + " is called again.";
  } catch (error) {
    word.textContent = told(error);
  }
  refresh();
}

function card(provider) {
  // Only a provider whose last call was answered is green.
  const isAway = provider.state === "ready" && provider.reachable === false;
  const shown = isAway ? "unreachable" : provider.state;
  const colour = { ready: "good", unreachable: "bad", off: "", notConfigured: "warn", probing: "warn" }[shown] ?? "bad";
  const isFailing = Date.parse(provider.lastFailure) > Date.parse(provider.lastSuccess || 0);
  return el("article", { class: "panel provider", "data-provider": provider.name, "aria-label": provider.title || provider.name },
    el("header", {},
      el("h2", {}, provider.title || provider.name, provider.title && provider.title !== provider.name ? el("small", { class: "soft" }, " " + provider.name) : null),
      term(shown, shown === "probing" ? "waiting for a trial" : words(shown), { className: "pill " + colour })),
    provider.missing ? el("p", {}, provider.missing)
      : el("p", {}, provider.reachability === shown ? null
        : [term(provider.reachability || "unknown", words(provider.reachability || "unknown"), { className: provider.reachable === false ? "bad" : "" }), " · "],
      provider.lastSuccess ? ["last answer ", ago(provider.lastSuccess)] : "no answer yet"),
    provider.configurationProblem ? el("p", { class: "bad" }, provider.configurationProblem) : null,
    provider.state === "suspended" && provider.suspendedUntil
      ? el("p", { class: "bad" }, "Suspended until ", el("time", { datetime: provider.suspendedUntil }, moment(provider.suspendedUntil)),
        provider.suspensionReason && !isFailing ? ": " + words(provider.suspensionReason) : "") : null,
    provider.lastFailure && provider.lastFailureDetail !== provider.configurationProblem ? el("p", { class: isFailing ? "bad" : null }, el("span", { class: isFailing ? null : "soft" }, "Last error ", ago(provider.lastFailure), ": "),
      readable(provider.lastFailureDetail || words(provider.lastFailureClass || ""))) : null,
    provider.missing || provider.state === "off" ? null : [
      el("div", { class: "budgets" }, Object.entries(provider.budget || {}).map(([name, one]) => budget(name, one, colour !== "good"))), answers(provider)],
    tools(provider), recent(provider),
    el("footer", {}, provider.attribution ? el("small", { class: "soft" }, provider.attribution) : el("span"), act(provider)));
}

function tier(shared) {
  const asked = shared.hits + shared.misses;
  return facts([
    ["engine", shared.url],
    ["connection", shared.connected ? "stands" : el("span", { class: "bad" }, "none")],
    ["breaker", term("breaker-" + shared.breaker, shared.breaker, { className: "pill " + (shared.breaker === "closed" ? "good" : "bad") })],
    ["open since", shared.openSince && ago(shared.openSince)],
    ["last failure", shared.lastFailure && words(shared.lastFailure)],
    ["removals", shared.removalWaiting ? el("span", { class: "bad" }, "one is not yet sent: the tier is not used until then")
      : shared.following ? "received from the other hosts" : el("span", { class: "bad" }, "not received from the other hosts")],
    ["answers found there", count(shared.hits) + " of " + count(asked) + " look-ups"],
    ["answers stored there", count(shared.published)],
  ]);
}

function host(one) {
  const calls = Object.entries(one.calls || {}).map(([name, value]) => name + " " + count(value)).join(", ");
  return el("tr", { class: one.alive ? null : "failed" },
    el("td", { "data-name": "Host" }, one.name, one.self ? el("small", { class: "soft" }, " this one") : null),
    el("td", { "data-name": "Version" }, one.version),
    el("td", { "data-name": "Last sign" }, (one.alive ? "" : "gone for ") + span(one.silentSeconds) + (one.alive ? " ago" : "")),
    el("td", { "data-name": "Calls left in leases" }, calls || "none"));
}

/** The tunnels of the proxy and the runs under way. */
function drawProxy({ tunnels, tunnelBytes, refused, runs }) {
  byId("proxy").hidden = !(tunnels || tunnelBytes || refused || runs.length);
  show(byId("tunnels"), facts([
    ["tunnels open", count(tunnels)], ["passed through them", size(tunnelBytes)], ["requests refused", count(refused)],
  ]));
  byId("runs-table").hidden = !runs.length;
  show(byId("runs"), runs.map((run) => el("tr", {},
    el("td", { "data-name": "Process", class: "number" }, String(run.process)),
    el("td", { "data-name": "Since" }, ago(run.since)),
    el("td", { "data-name": "Requests", class: "number" }, count(run.requests)),
    el("td", { "data-name": "Hits", class: "number" }, count(run.hits)))));
}

/** The tier that hosts share: its state comes with the status, the hosts from the engine. */
async function drawFleet() {
  byId("fleet").hidden = !status.shared;
  if (!status.shared) return;
  show(byId("tier"), tier(status.shared));
  const fleet = await ask("/v1/fleet", { timeout: 4000 });
  byId("hosts-table").hidden = !fleet.reached;
  show(byId("hosts"), fleet.hosts.map(host));
}

function draw() {
  if (!status) return;
  // What somebody has opened stays open, and the focus where it was.
  const opened = new Set([...document.querySelectorAll("details[data-of][open]")].map((one) => one.dataset.of));
  const focus = document.activeElement && document.activeElement.getAttribute("aria-label");
  show(byId("providers"), status.providers.map(card));
  for (const one of document.querySelectorAll("details[data-of]")) one.open = opened.has(one.dataset.of);
  if (focus && document.activeElement === document.body) {
    [...byId("providers").querySelectorAll("button, abbr, summary")].find((one) => one.getAttribute("aria-label") === focus)?.focus();
  }
  drawProxy(status.proxy);
  const { store, memory } = status;
  show(byId("house"), facts([
    ["version", status.version], ["up since", moment(status.startedAt)],
    ["store", count(store.entries) + " entries, " + size(store.liveBytes) + " of " + size(store.maxBytes)],
    ["memory", count(memory.entries) + " answers, " + size(memory.bytes) + " of " + size(memory.maxBytes)],
    ["degraded", store.degraded && el("span", { class: "bad" }, store.degraded)],
  ]));
}

let looking = false;
async function refresh() {
  if (looking || document.hidden) return;
  looking = true;
  try {
    status = await ask("/v1/status", { timeout: 4000 });
    draw();
    await drawFleet();
  } catch {
    // The watch over the connection says so.
  } finally {
    looking = false;
  }
}

onToken(draw);
onReturn(refresh);
refresh();
setInterval(refresh, 5000);
follow("/v1/events", { snapshot: refresh, reachability: refresh, suspension: refresh, budget: refresh });
