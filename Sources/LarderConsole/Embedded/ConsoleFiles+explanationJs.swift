// Files/explanation.js. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let explanationJs: StaticString = #"""
        // Why an answer was what it was: the sentences of `/v1/explain`, its sources, and what took how long.
        import { el, show } from "./dom.js";
        import { milliseconds, moment, relative, words } from "./format.js";
        import { term } from "./terms.js";
        import { ask, told } from "./ask.js";
        import { openDialog } from "./dialog.js";

        /** Opens the explanation of a request. */
        export async function explain(id, title = "Why this answer") {
          const content = openDialog(title);
          show(content, el("p", { class: "soft" }, "Looking it up…"));
          try {
            show(content, ...drawn(await ask("/v1/explain/" + encodeURIComponent(id))));
          } catch (error) {
            show(content, el("p", { class: "bad" }, told(error)));
          }
        }

        function drawn(answer) {
          const parts = [
            el("p", { class: "mono" }, [answer.method, answer.path].filter(Boolean).join(" ")),
            facts([
              ["at", answer.at && moment(answer.at)], ["status", answer.status], ["route", answer.route],
              ["client", answer.client], ["took", milliseconds(answer.milliseconds)], ["trace", answer.trace],
              ["request id", answer.requestId],
            ]),
          ];
          if (answer.problem) parts.push(el("p", { class: "bad" }, answer.problem.detail));
          if (answer.timeline && answer.timeline.length) parts.push(el("h3", {}, "Duration of the stages"), timeline(answer.timeline),
            answer.timelineLeftOut ? el("p", { class: "soft" }, answer.timelineLeftOut + " more stages were left out.") : "");
          for (const source of answer.sources || []) {
            parts.push(el("h3", {}, source.provider || "Larder itself", " ", term(source.outcome, words(source.outcome), { className: "pill " + source.outcome })));
            parts.push(el("ul", { class: "sentences" }, ...(source.explanation || []).map((sentence) => el("li", {}, sentence))));
            const key = Object.entries(source.key || {});
            if (key.length) {
              parts.push(el("details", {}, el("summary", {}, "The request, as the cache names it"),
                facts(key.map(([name, value]) => [name, value]))));
            }
          }
          if (!(answer.sources || []).length && !answer.problem) {
            parts.push(el("p", { class: "soft" }, "No provider took part in this answer."));
          }
          return parts;
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


        """#
}
