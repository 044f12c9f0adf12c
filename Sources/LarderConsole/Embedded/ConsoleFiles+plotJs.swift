// Files/plot.js. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let plotJs: StaticString = #"""
        // Plots as drawings: axes with round figures, lines or stacked bars, gaps where nothing is known, and the values under the
        // pointer. With the keyboard the arrows walk through the points.
        import { el, show, svg } from "./dom.js";

        const margin = { top: 10, right: 8, bottom: 24, left: 52 };
        const height = 170;

        /** Round figures from zero to at least `top`, about four of them. */
        export function ticks(top, isWhole = false) {
          const rough = Math.max(top, isWhole ? 1 : 1e-6) / 4;
          const magnitude = 10 ** Math.floor(Math.log10(rough));
          let step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((one) => one >= rough * 0.999);
          if (isWhole) step = Math.max(1, Math.ceil(step));
          const found = [];
          for (let value = 0; value < top + step * 0.999; value += step) found.push(Number(value.toPrecision(12)));
          return found.length < 2 ? [0, step] : found;
        }

        /** Runs of points without a gap between them. */
        export function runs(points, step) {
          const found = [];
          for (const point of points) {
            const last = found.at(-1);
            if (last && point.time - last.at(-1).time < step * 1.5) last.push(point);
            else found.push([point]);
          }
          return found;
        }

        /**
         * Draws into a figure and again whenever its width changes.
         * @param figure has a `figcaption`.
         * @returns what takes data: `points` with `time` in milliseconds and `values` by the series' names, `from`, `to` and `step`
         *   in milliseconds, `series` as `{name, label}`, `format` of a value, `label` of a time, `isStacked`, `isWhole`, `top`.
         */
        export function plot(figure) {
          const legend = el("ul", { class: "legend" });
          const canvas = el("div", { class: "canvas", tabindex: "0", role: "img" });
          const reading = el("p", { class: "reading", "aria-live": "polite" });
          figure.append(legend, canvas, reading);
          let data = null;
          let chosen = null;
          const draw = () => data && render(canvas, data, chosen);
          new ResizeObserver(draw).observe(canvas);

          function choose(index) {
            chosen = index;
            draw();
            show(reading, index === null ? [] : told(data, data.points[index]));
          }
          canvas.addEventListener("pointermove", (event) => {
            if (!data || !data.points.length) return;
            const box = canvas.getBoundingClientRect();
            const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
            choose(nearest(data.points, data.from + share * (data.to - data.from)));
          });
          canvas.addEventListener("pointerleave", () => choose(null));
          canvas.addEventListener("blur", () => choose(null));
          canvas.addEventListener("keydown", (event) => {
            const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (!move || !data || !data.points.length) return;
            event.preventDefault();
            const last = data.points.length - 1;
            choose(chosen === null ? last : Math.min(last, Math.max(0, chosen + move)));
          });

          return (next) => {
            data = next;
            if (chosen !== null && chosen >= data.points.length) chosen = null;
            canvas.setAttribute("aria-label", summary(figure, data));
            show(legend, data.series.map((series, at) => el("li", {}, el("span", { class: "swatch tone-" + at, "aria-hidden": "true" }), series.label)));
            draw();
          };
        }

        function nearest(points, time) {
          let best = 0;
          points.forEach((point, at) => {
            if (Math.abs(point.time - time) < Math.abs(points[best].time - time)) best = at;
          });
          return best;
        }

        function told(data, point) {
          const values = data.series.filter((series) => point.values[series.name] !== undefined)
            .map((series) => el("span", {}, series.plain || series.name, " ", el("b", {}, data.format(point.values[series.name]))));
          return [el("span", { class: "soft" }, data.label(point.time)), ...values];
        }

        function summary(figure, data) {
          const title = figure.querySelector("figcaption").textContent;
          const last = data.points.at(-1);
          if (!last) return title + ": no data yet.";
          const values = data.series.filter((series) => last.values[series.name] !== undefined)
            .map((series) => (series.plain || series.name) + " " + data.format(last.values[series.name]));
          return title + ", last: " + (values.join(", ") || "nothing") + ". Use the arrow keys to read the points.";
        }

        function render(canvas, data, chosen) {
          const width = canvas.clientWidth;
          if (width < 80) return;
          const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
          const sums = data.points.map((point) => {
            const values = data.series.map((series) => point.values[series.name]).filter((value) => value !== undefined);
            return data.isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
          });
          const marks = ticks(data.top || Math.max(0, ...sums), data.isWhole);
          const top = marks.at(-1);
          const x = (time) => margin.left + inner.width * (time - data.from) / (data.to - data.from);
          const y = (value) => margin.top + inner.height * (1 - value / top);
          const drawing = svg("svg", { width, height, viewBox: "0 0 " + width + " " + height, "aria-hidden": "true", focusable: "false" });
          for (const value of marks) {
            drawing.append(svg("line", { class: value === 0 ? "axis" : "scale", x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value) }),
              svg("text", { class: "tick", x: margin.left - 6, y: y(value) + 4, "text-anchor": "end" }, data.format(value)));
          }
          const times = Math.max(2, Math.min(6, Math.floor(inner.width / 90)));
          for (let at = 0; at <= times; at += 1) {
            const time = data.from + (data.to - data.from) * at / times;
            drawing.append(svg("text", { class: "tick", x: x(time), y: height - 6, "text-anchor": at === 0 ? "start" : at === times ? "end" : "middle" },
              data.label(time, true)));
          }
          if (data.isStacked) bars(drawing, data, x, y, inner.width);
          else lines(drawing, data, x, y);
          const point = chosen === null ? null : data.points[chosen];
          if (point) drawing.append(svg("line", { class: "cursor", x1: x(point.time), x2: x(point.time), y1: margin.top, y2: margin.top + inner.height }));
          show(canvas, drawing);
        }

        function lines(drawing, data, x, y) {
          data.series.forEach((series, tone) => {
            const known = data.points.filter((point) => point.values[series.name] !== undefined);
            for (const run of runs(known, data.step)) {
              const path = run.map((point, at) => (at ? "L" : "M") + x(point.time).toFixed(1) + " " + y(point.values[series.name]).toFixed(1)).join("");
              drawing.append(run.length > 1 ? svg("path", { class: "line tone-" + tone, d: path })
                : svg("circle", { class: "dot tone-" + tone, cx: x(run[0].time), cy: y(run[0].values[series.name]), r: 2 }));
            }
          });
        }

        function bars(drawing, data, x, y, width) {
          const wide = Math.max(1, width * data.step / (data.to - data.from) - 0.5);
          for (const point of data.points) {
            let sum = 0;
            data.series.forEach((series, tone) => {
              const value = point.values[series.name];
              if (!value) return;
              drawing.append(svg("rect", { class: "fill tone-" + tone, x: (x(point.time) - wide / 2).toFixed(1), width: wide.toFixed(1),
                y: y(sum + value).toFixed(1), height: Math.max(0.5, y(sum) - y(sum + value)).toFixed(1) }));
              sum += value;
            });
          }
        }

        """#
}
