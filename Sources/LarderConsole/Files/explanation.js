// Why an answer was what it was: the sentences of `/v1/explain`, its sources, and what took how long.
import { el, show } from "./dom.js";
import { milliseconds, moment, readable, relative, words } from "./format.js";
import { outcomePill, term } from "./terms.js";
import { ask, told } from "./ask.js";
import { openDialog } from "./dialog.js";
import { titleOf } from "./titles.js";

/**
 * Opens the explanation of a request.
 * @param provider the source of the result that was asked about.
 */
export async function explain(id, title = "Why this answer", provider = null) {
  const content = openDialog(title);
  show(content, el("p", { class: "soft" }, "Looking it up…"));
  try {
    show(content, ...drawn(await ask("/v1/explain/" + encodeURIComponent(id)), provider));
  } catch (error) {
    show(content, el("p", { class: "bad" }, told(error)));
  }
}

/** First the sentence about what was asked, then the rules; all else is folded. */
function drawn(answer, provider) {
  const sources = answer.sources || [];
  const own = sources.find((source) => source.provider === provider) || (sources.length === 1 ? sources[0] : null);
  const parts = [verdict(answer, own)];
  if (own) parts.push(rules(own));
  const others = sources.filter((source) => source !== own);
  const told = others.map((source) => fold([source.provider ? titleOf(source.provider) : "Larder itself", " ", pill(source, false)], own || others.length > 3,
    el("p", {}, sentence(source)), rules(source), named(source)));
  if (own && told.length) parts.push(fold(["The other sources, " + told.length], true, ...told));
  else parts.push(...told);
  parts.push(fold(["Rule, key and fields"], true, facts([
    ["request", [answer.method, answer.path].filter(Boolean).join(" ")], ["at", answer.at && moment(answer.at)], ["status", answer.status], ["route", answer.route],
    ["client", answer.client], ["took", milliseconds(answer.milliseconds)], ["trace", answer.trace],
    ["request id", answer.requestId],
  ]), own && named(own)));
  if (answer.timeline && answer.timeline.length) {
    parts.push(fold(["Stages", answer.milliseconds === undefined ? "" : ", " + milliseconds(answer.milliseconds) + " in all"], true,
      timeline(answer.timeline), answer.timelineLeftOut ? el("p", { class: "soft" }, answer.timelineLeftOut + " more stages were left out.") : ""));
  }
  return parts;
}

const pill = (source, focus = true) => (source.class && source.outcome === "none"
  ? term(source.class, words(source.class), { className: "pill bad", focus }) : outcomePill(source.outcome, 200, { focus }));

/** What became of a source, in one sentence. */
const sentence = (source) => readable((source.outcome === "none" && source.detail) || (source.explanation || [])[0] || "");

function verdict(answer, own) {
  if (own && !(answer.problem && own.outcome !== "none")) return el("p", { class: "verdict" }, pill(own), " ", sentence(own));
  if (answer.problem) return el("p", { class: "verdict bad" }, readable(answer.problem.detail || answer.problem.title || "Failed."));
  const asked = answer.sources || [];
  if (!asked.length) return el("p", { class: "verdict" }, "No provider took part in this answer.");
  return el("p", { class: answer.status >= 500 ? "verdict bad" : "verdict" }, "Several sources were asked: ",
    asked.map((source, at) => [at ? ", " : "", titleOf(source.provider) + " ", words(source.class || source.outcome)]).flat(), ".");
}

function rules(source) {
  const rest = (source.explanation || []).map(readable).filter((one) => one !== sentence(source));
  return rest.length ? el("ul", { class: "sentences" }, rest.map((one) => el("li", {}, one))) : "";
}

function named(source) {
  const key = Object.entries(source.key || {});
  return key.length ? el("div", {}, el("h3", {}, "The request, as the cache names it"), facts(key)) : "";
}

function fold(summary, isFolded, ...content) {
  return el("details", { open: !isFolded }, el("summary", {}, ...summary), ...content);
}

/** Names and values; those without a value are left out. */
export function facts(pairs) {
  return el("dl", { class: "facts" }, ...pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value instanceof Node ? value : String(value))]));
}

/** Stages as bars on one scale. */
function timeline(stages) {
  const end = Math.max(...stages.map((stage) => stage.startMilliseconds + stage.milliseconds), 0.001);
  const rows = stages.map((stage) => {
    const bar = el("span", { class: "bar stage-" + stage.stage });
    bar.style.insetInlineStart = (100 * stage.startMilliseconds / end) + "%";
    bar.style.inlineSize = Math.max(0.6, 100 * stage.milliseconds / end) + "%";
    return el("tr", {},
      el("th", { scope: "row" }, term(stage.stage, words(stage.stage)),
        stage.provider ? el("small", {}, " " + stage.provider) : null),
      el("td", { class: "lane" }, bar),
      el("td", { class: "number" }, milliseconds(stage.milliseconds)));
  });
  return el("table", { class: "timeline" },
    el("caption", { class: "apart" }, "Stages of the request, in the order in which they began"),
    el("thead", { class: "apart" }, el("tr", {}, el("th", { scope: "col" }, "Stage"), el("th", { scope: "col" }, "When"),
      el("th", { scope: "col" }, "Took"))),
    el("tbody", {}, ...rows));
}

/** Age and lifetime of something stored, in words. */
export function lifetime(fetchedAt, freshUntil) {
  const said = [];
  if (fetchedAt) said.push("fetched " + relative(fetchedAt));
  if (freshUntil) {
    said.push(Date.parse(freshUntil) > Date.now() ? "fresh for " + relative(freshUntil).replace(/^in /, "")
      : "stale for " + relative(freshUntil).replace(/ ago$/, ""));
  }
  return said.join(", ");
}

