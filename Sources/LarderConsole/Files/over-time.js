// Figures over time, from what the daemon has written down about itself.
import "./page.js";
import { byId, el, show } from "./dom.js";
import { count, day, hourAndMinute, milliseconds, moment, size, timeOfDay, words } from "./format.js";
import { term } from "./terms.js";
import { plot } from "./plot.js";
import { ask, told } from "./ask.js";
import { onReturn } from "./connection.js";

const figures = Object.fromEntries(["requests", "errors", "ratio", "latency", "upstream", "budgets", "bytes"]
  .map((name) => [name, plot(byId("plot-" + name))]));
/** Outcomes in the order in which they are stacked: what cost nothing first, what failed last. */
const outcomes = ["hit", "negative", "joined", "stale", "revalidated", "miss", "bypass", "failed"];
const tones = { hit: 0, negative: 6, joined: 4, stale: 3, revalidated: 2, miss: 1, bypass: 5, failed: "bad" };
const saving = ["hit", "negative", "joined", "stale"];

/** The links of the ranges. Each holds the span of the history, the length and the length of a slot. */
const ranges = [...document.querySelectorAll("#spans a")];
const first = ranges.find((link) => link.getAttribute("aria-current"));
let range = first;

function series(names, label = words) {
  return names.map((name) => ({ name, label: term(name, label(name), { focus: false }), plain: label(name) }));
}

const sum = (record) => Object.values(record || {}).reduce((all, one) => all + one, 0);

/** The share of all requests, failed ones too, that needed no call of their own, in percent. */
function ratio(requests) {
  const all = sum(requests);
  return all ? 100 * saving.reduce((total, name) => total + (requests[name] || 0), 0) / all : undefined;
}

/** The tones that nobody takes for another; the grey one is that of the others. */
const distinct = [0, 1, 2, 3, 4, 5, 6, 8, 9, 7];

/** At most ten names: if there are more, the nine with the greatest sums and "others". */
function few(records) {
  const sums = {};
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) sums[name] = (sums[name] || 0) + value;
  const sorted = Object.keys(sums).sort((one, other) => sums[other] - sums[one]);
  if (sorted.length <= distinct.length) return { names: sorted.sort(), fold: (record) => record };
  const names = sorted.slice(0, distinct.length - 1).sort();
  const fold = (record) => {
    const folded = { others: 0 };
    for (const [name, value] of Object.entries(record)) folded[names.includes(name) ? name : "others"] = value + (names.includes(name) ? 0 : folded.others);
    return folded;
  };
  return { names: [...names, "others"], fold };
}

/**
 * Joins neighbours: counts are added, of percentiles the slowest stays. A stretch without a sample stays a gap.
 * @returns points with `time` in milliseconds and the members of a sample.
 */
function joined(history, step) {
  const found = new Map();
  for (const sample of history.points) {
    if (Date.parse(sample.at) < history.since) continue;
    const time = Math.floor(Date.parse(sample.at) / step) * step;
    const point = found.get(time) || { time, requests: {}, upstream: {}, errors: 0, bytes: 0 };
    found.set(time, point);
    for (const member of ["requests", "upstream"]) {
      for (const [name, value] of Object.entries(sample[member] || {})) point[member][name] = (point[member][name] || 0) + value;
    }
    for (const member of ["errors", "bytes"]) point[member] += sample[member] || 0;
    for (const member of ["p50", "p90", "p99"]) {
      if (sample[member] !== undefined) point[member] = Math.max(point[member] || 0, sample[member]);
    }
  }
  return [...found.values()].sort((one, other) => one.time - other.time);
}

/**
 * The share of each budget that the calls of its last window took, in percent. A window that is shorter than two samples, or
 * of which the span shows too little, says nothing here: each span shows the windows that fit twice into it.
 */
function budgets(history, step) {
  const from = Date.parse(history.from);
  const shown = (history.budgets || []).filter(({ windowSeconds }) => {
    const window = windowSeconds * 1000;
    return window >= 2 * history.stepSeconds * 1000 && window <= (Date.parse(history.to) - from) / 2 + step;
  });
  const found = new Map();
  for (const { provider, calls, windowSeconds } of shown) {
    const name = provider + " " + count(calls) + " " + period(windowSeconds);
    const window = windowSeconds * 1000;
    let sum = 0;
    let first = 0;
    history.points.forEach((sample, at) => {
      const time = Date.parse(sample.at);
      sum += (sample.upstream || {})[provider] || 0;
      for (; first < at && Date.parse(history.points[first].at) <= time - window; first += 1) {
        sum -= (history.points[first].upstream || {})[provider] || 0;
      }
      if (time < history.since || time - window < from) return;
      const place = Math.floor(time / step) * step;
      const point = found.get(place) || { time: place, values: {} };
      found.set(place, point);
      point.values[name] = Math.max(point.values[name] || 0, 100 * sum / calls);
    });
  }
  const points = [...found.values()].sort((one, other) => one.time - other.time);
  const names = [...new Set(points.flatMap((point) => Object.keys(point.values)))].sort()
    .filter((name) => points.some((point) => point.values[name]));
  return { points, names };
}

const period = (seconds) => ({ 1: "a second", 60: "a minute", 3600: "an hour", 86400: "a day" })[seconds] || "in " + seconds + " s";

function draw(history) {
  const step = range.dataset.slot * 1000;
  const length = range.dataset.seconds * 1000;
  const end = Math.ceil(Date.parse(history.to) / step) * step;
  history.since = end - length;
  const all = joined(history, step);
  const isLong = length > 2 * 86400000;
  const frame = {
    from: history.since, to: end, step,
    label: (time, isShort) => (isShort ? (isLong ? day(time) : hourAndMinute(time)) : length > 3600000 ? moment(time) : timeOfDay(time)),
  };
  const points = (values) => all.map((point) => ({ time: point.time, values: values(point) }));
  const used = (member, order = null) => {
    const found = new Set(all.flatMap((point) => Object.keys(point[member])));
    return order ? order.filter((name) => found.has(name)) : [...found].sort();
  };
  const whole = (value) => (value >= 1e6 ? +(value / 1e6).toPrecision(3) + " M" : value >= 1e4 ? +(value / 1e3).toPrecision(3) + " k" : count(value));
  figures.ratio({ ...frame, top: 100, format: (value) => +value.toFixed(1) + " %",
    series: [{ name: "ratio", label: term("hitRatio", "hit ratio"), plain: "hit ratio" }], points: points((point) => ({ ratio: ratio(point.requests) })) });
  figures.requests({ ...frame, isNamed: true, isStacked: true, isWhole: true, format: whole, series: series(used("requests", outcomes)).map((one) => ({ ...one, tone: tones[one.name] })),
    points: points((point) => point.requests) });
  const called = few(all.map((point) => point.upstream));
  figures.upstream({ ...frame, isNamed: true, isStacked: true, isWhole: true, format: whole,
    series: called.names.map((name, at) => ({ name, label: name, tone: distinct[at] })), points: points((point) => called.fold(point.upstream)) });
  const spent = budgets(history, step);
  byId("plot-budgets").hidden = !spent.names.length;
  figures.budgets({ ...frame, isNamed: true, top: Math.max(100, ...spent.points.flatMap((point) => Object.values(point.values))),
    format: (value) => +value.toFixed(1) + " %", series: spent.names.map((name, at) => ({ name, label: name, tone: distinct[at] ?? 7 })), points: spent.points });
  figures.latency({ ...frame, format: milliseconds, series: series(["p50", "p90", "p99"], (name) => name),
    points: points(({ p50, p90, p99 }) => ({ p50, p90, p99 })) });
  figures.bytes({ ...frame, isBinary: true, format: (value) => size(value).replace(".0 ", " "), series: [{ name: "bytes", label: "bytes" }], points: points(({ bytes }) => ({ bytes })) });
  figures.errors({ ...frame, isStacked: true, isWhole: true, format: whole, series: [{ name: "errors", label: "errors", tone: "bad" }],
    points: points(({ errors }) => ({ errors })) });
  totals(history);
}

function totals({ points, since, saved }) {
  const history = { points: points.filter((point) => Date.parse(point.at) >= since), saved };
  const requests = {};
  for (const point of history.points) {
    for (const [name, value] of Object.entries(point.requests || {})) requests[name] = (requests[name] || 0) + value;
  }
  const share = ratio(requests);
  const errors = history.points.reduce((all, point) => all + (point.errors || 0), 0);
  show(byId("totals"),
    tile("Requests", count(sum(requests))), tile(term("hitRatio", "Hit ratio"), share === undefined ? "–" : share.toFixed(1) + " %"),
    tile(term("upstream", "Upstream calls"), count(history.points.reduce((all, point) => all + sum(point.upstream), 0))),
    tile(term("errors", "Errors"), el("span", { class: errors ? "bad" : null }, count(errors))),
    tile(term("bytes", "Sent"), size(history.points.reduce((all, point) => all + (point.bytes || 0), 0))));
  const most = Math.max(1, ...Object.values(saved || {}));
  const sorted = Object.entries(saved || {}).sort((one, other) => other[1] - one[1]);
  byId("saved-none").hidden = sorted.length > 0;
  show(byId("saved"), sorted.map(([name, value]) => {
    const bar = el("meter", { min: 0, max: most, value, "aria-label": name + ": " + count(value) + " calls saved" });
    return el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "wide" }, bar), el("td", { class: "number" }, count(value)));
  }));
}

const tile = (label, value) => el("div", { class: "tile" }, el("dt", {}, label), el("dd", {}, value));

let looking = false;
async function refresh() {
  if (looking || document.hidden) return;
  looking = true;
  try {
    draw(await ask("/v1/history?span=" + range.dataset.source));
    byId("refusal").textContent = "";
  } catch (error) {
    byId("refusal").textContent = told(error);
  } finally {
    looking = false;
  }
}

for (const link of ranges) {
  link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", link.getAttribute("href"));
    choose();
  });
}

function choose() {
  range = ranges.find((link) => link.search === location.search) || first;
  for (const link of ranges) {
    if (link === range) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  refresh();
}

addEventListener("popstate", choose);
onReturn(refresh);
choose();
setInterval(refresh, 5000);
