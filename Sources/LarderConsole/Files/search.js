// The search page: what is asked, and what becomes of it. A search runs by itself only where the page says that this
// origin or the address bar led here; a link from elsewhere fills the field in and waits for a click.
import "./page.js";
import { byId } from "./dom.js";
import { fromAddress, isStored, recordRoute, route, toAddress } from "./question.js";
import { drawAnswer, drawFailure, drawNothing, outcome } from "./answer.js";
import { follow } from "./stream.js";
import { onReturn, suspect } from "./connection.js";
import { ask, urgent } from "./ask.js";
import { readable } from "./format.js";
import { drawStart, note } from "./start.js";

let state = fromAddress(location.search);
/** The answer that is shown, and the answers of this page by their routes, for Back and Forward. */
let answer = null;
const known = new Map();
const keptAnswers = 20;

/** The latest question got no answer, since the daemon was not reached: it is asked again when that is back. */
let wasUnreachable = false;

/** The number of the latest question: what comes for another is not shown. */
let latest = 0;
let underWay = null;
let leave = null;
/** A name that nobody else has, so that only this page's own questions take each other's place (Docs/typing.md). */
const session = "console-" + Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36)).join("");

const form = byId("search");

function readForm() {
  return { ...state, q: byId("q").value.trim(), source: byId("source").value, sort: byId("sort").value,
    where: byId("where").checked ? "stored" : "" };
}

function fillForm() {
  byId("q").value = state.q;
  byId("source").value = state.source;
  byId("sort").value = state.sort;
  byId("where").checked = isStored(state);
  document.title = (state.q ? state.q + " · " : "") + "Larder";
}

function draw() {
  drawStart(!state.q);
  if (answer) drawAnswer(answer, state, go);
  else drawNothing();
}

/** Shows another part of the same answer: a kind, a source, a page. A change of the question is another search. */
function go(change) {
  const path = route(state);
  state = { ...state, page: 1, ...change };
  history.pushState(null, "", toAddress(state));
  if (route(state) !== path) {
    fillForm();
    return search();
  }
  draw();
  if (change.page) byId("results").scrollIntoView({ block: "start" });
}

function take(path, made) {
  answer = made;
  if (made.isWhole) {
    known.delete(path);
    known.set(path, made);
    if (known.size > keptAnswers) known.delete(known.keys().next().value);
  }
  draw();
}

/** An answer as this page keeps it. */
function made(asked, envelope, reply, extra = {}) {
  return {
    sources: envelope.sources || [], results: envelope.results || [], total: envelope.total,
    requestId: asked.requestId || reply.headers.get("X-Request-Id"), headers: reply.headers,
    milliseconds: performance.now() - asked.begun, isWhole: true,
    recordsAt: isStored(asked.state) ? null : (result) => recordRoute(asked.state, result.provider), ...extra,
  };
}

function begin() {
  if (leave) leave();
  leave = null;
  // It would be answered that it was superseded.
  underWay?.abort();
  underWay = new AbortController();
  wasUnreachable = false;
  return { signal: underWay.signal, number: ++latest, begun: performance.now(), path: route(state), state: { ...state } };
}

/** Numbered, since an older question may reach the daemon after a newer one, on another connection. */
const sessionOf = (asked) => ({ "X-Larder-Session": session + ";seq=" + asked.number });

const isLatest = (asked) => asked.number === latest;

// MARK: Searching

/** Asks the question that the form holds, and shows each source when it has answered. */
async function search() {
  const asked = begin();
  if (!state.q) {
    answer = null;
    return draw();
  }
  answer = null;
  drawStart(false);
  note(state.q);
  outcome("Searching…", true);
  await question(asked, isStored(asked.state) ? {} : { Prefer: "respond-async", ...sessionOf(asked) });
}

// Each search asks Larder, whose answer after a purge is another. With `no-store` a browser sends `Cache-Control: no-cache`, and
// each search would call every API, unless the request has a directive of its own (Fetch, HTTP-network-or-cache fetch).
const fromLarder = { cache: "no-store", headers: { "Cache-Control": "max-stale=0" } };

async function question(asked, headers) {
  let reply, envelope;
  try {
    reply = await fetch(asked.place || asked.path,
      { ...fromLarder, headers: { ...fromLarder.headers, ...urgent, ...headers }, signal: asked.signal });
    envelope = await reply.json();
  } catch {
    if (isLatest(asked)) unreachable();
    return;
  }
  const place = reply.status === 202 ? "/v1/searches/" + envelope.id : null;
  if (!isLatest(asked)) {
    if (place) cancel(place);
    return;
  }
  asked.requestId = asked.requestId || reply.headers.get("X-Request-Id");
  if (place) return live(asked, place, envelope);
  if (reply.status === 409 && envelope.code === "superseded") return;
  const problem = reply.ok ? envelope.problem : envelope;
  if (problem) return failed(asked, problem, envelope.sources);
  take(asked.path, made(asked, envelope, reply));
}

function unreachable() {
  wasUnreachable = true;
  suspect();
  outcome("Larder cannot be reached. The search runs again when it is back.");
}

function cancel(place) {
  fetch(place, { method: "DELETE" }).catch(() => {});
}

/** Follows a search that goes on by itself; at its end all of it is shown in its order. */
function live(asked, place, begun) {
  const growing = { sources: begun.sources || [], results: begun.results || [], requestId: asked.requestId, isWhole: false,
    recordsAt: null, milliseconds: null };
  const grow = () => {
    growing.milliseconds = performance.now() - asked.begun;
    take(asked.path, growing);
  };
  const stream = follow(place + "/events", {
    state(search) {
      if (search.state === "loading") {
        if (!growing.results.length) growing.sources = search.sources;
        return grow();
      }
      end();
      question({ ...asked, place }, {});
    },
    source(source) {
      growing.sources = growing.sources.map((one) => (one.provider === source.provider ? source : one));
      if (!growing.sources.includes(source)) growing.sources.push(source);
      growing.results.push(...(source.results || []));
      grow();
    },
    failed(status) {
      if (status === null) {
        wasUnreachable = true;
        return;
      }
      // No stream is to be had: the usual way joins what is under way.
      end();
      question(asked, {});
    },
  }, { again: false });
  const end = () => {
    stream.close();
    leave = null;
  };
  leave = () => {
    end();
    cancel(place);
  };
  grow();
}

/**
 * No source gave anything. Each is shown with its state, and what is stored may still hold something.
 * @param sources the sources with their errors, if the answer named them; otherwise the explanation does.
 */
async function failed(asked, problem, sources) {
  const shown = state;
  answer = null;
  draw();
  outcome(readable(problem.detail || problem.title || "Failed."), false, true);
  if (isStored(asked.state) || problem.status === 400) return;
  try {
    const [explained, stored] = await Promise.all([
      sources?.length ? null : ask("/v1/explain/" + encodeURIComponent(problem.requestId || asked.requestId)).catch(() => null),
      ask(route({ ...asked.state, where: "stored" })).catch(() => null),
    ]);
    if (!isLatest(asked)) return;
    const known = sources?.length ? sources : (explained?.sources || []).map((source) =>
      ({ provider: source.provider, error: { class: source.class, detail: source.detail || source.explanation?.[0] } }));
    drawFailure(problem, known, stored && stored.results.length, shown, go);
  } catch {
    if (isLatest(asked)) unreachable();
  }
}

// MARK: Typing

/** Each letter takes the place of the one before; meanwhile the answer to what was typed before is shown. */
async function type() {
  const next = readForm();
  const isFirst = !history.state || !history.state.isTyping;
  if (next.q === state.q && next.source === state.source) return;
  state = { ...next, kind: "", from: "", page: 1 };
  document.title = (state.q ? state.q + " · " : "") + "Larder";
  history[isFirst ? "pushState" : "replaceState"]({ isTyping: true }, "", toAddress(state));
  const asked = begin();
  drawStart(!state.q);
  if (!state.q) {
    answer = null;
    return draw();
  }
  if ([...state.q].length < 2) return;
  if (known.has(asked.path)) return take(asked.path, known.get(asked.path));
  outcome("Searching…", true);
  const headers = sessionOf(asked);
  if (isStored(asked.state)) return question(asked, headers);
  try {
    const reply = await fetch(asked.path, { ...fromLarder,
      headers: { ...fromLarder.headers, ...urgent, ...headers, Prefer: "provisional" }, signal: asked.signal });
    const envelope = await reply.json();
    if (!isLatest(asked) || reply.status === 409) return;
    if (!envelope.provisional) {
      if (!reply.ok) return failed(asked, envelope, null);
      return take(asked.path, made(asked, envelope, reply));
    }
    answer = made(asked, envelope, reply, { isWhole: false, isProvisional: true, provisionalTerm: envelope.provisionalTerm });
    draw();
  } catch {
    if (isLatest(asked)) unreachable();
    return;
  }
  await question(asked, headers);
}

// MARK: Beginning

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const next = { ...readForm(), kind: "", from: "", page: 1 };
  const isNew = toAddress(next) !== toAddress(state) || location.pathname + location.search !== toAddress(next);
  state = next;
  history[isNew ? "pushState" : "replaceState"](null, "", toAddress(state));
  fillForm();
  if (state.q) note(state.q);
  const path = route(state);
  // What typing has brought already is the answer.
  if (!isNew && answer && answer.isWhole && known.get(path) === answer) return draw();
  search();
});
byId("q").addEventListener("input", type);
for (const name of ["source", "sort", "where"]) {
  byId(name).addEventListener("change", () => { if (byId("q").value.trim()) form.requestSubmit(); });
}

addEventListener("popstate", () => {
  const path = route(state);
  state = fromAddress(location.search);
  fillForm();
  const asked = route(state);
  if (asked === path && answer) return draw();
  if (known.has(asked)) {
    begin();
    return take(asked, known.get(asked));
  }
  search();
});

onReturn(() => { if (state.q && wasUnreachable) search(); });

fillForm();
drawStart(!state.q);
// A page that led here must not spend calls: the daemon says whether this navigation was our own.
if (state.q && document.documentElement.dataset.search === "runs") search();
else if (state.q) outcome("Not searched yet: press Search.");
