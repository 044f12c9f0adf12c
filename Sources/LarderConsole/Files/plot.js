// Plots as drawings: axes with round figures, lines or stacked bars, gaps where nothing is known. One crosshair goes through
// all plots of the page, by the pointer or the arrow keys, and each plot tells its values there.
import { el, show, svg } from "./dom.js";

const margin = { top: 8, right: 10, bottom: 22, left: 56 };
const minute = 60000;
const steps = [...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((count) => count * minute),
  ...[1, 2, 5, 7, 10].map((count) => count * 1440 * minute)];

/** Round figures from zero to at least `top`, about four of them: powers of two if they count bytes. */
export function ticks(top, isWhole = false, isBinary = false) {
  const rough = Math.max(top, isWhole || isBinary ? 1 : 1e-6) / 4;
  const base = isBinary ? 1024 : 10;
  const magnitude = base ** Math.floor(Math.log(rough) / Math.log(base) + 1e-9);
  const factors = isBinary ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] : [1, 2, 2.5, 5, 10];
  let step = factors.map((factor) => factor * magnitude).find((one) => one >= rough * 0.999);
  if (isWhole || isBinary) step = Math.max(1, Math.ceil(step));
  const found = [];
  for (let value = 0; value < top + step * 0.999; value += step) found.push(Number(value.toPrecision(12)));
  return found.length < 2 ? [0, step] : found;
}

/** Round times of the local clock, at most so many. */
export function times(from, to, most) {
  const step = steps.find((one) => (to - from) / one <= most) || steps.at(-1);
  const shift = new Date(from).getTimezoneOffset() * minute;
  const found = [];
  for (let time = Math.ceil((from - shift) / step) * step + shift; time <= to; time += step) found.push(time);
  return found;
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

/** What moves the crosshair of each plot. */
const crosshairs = [];
const cross = (time, from) => crosshairs.forEach((move) => move(time, from));

/**
 * Draws into a figure and again whenever its size changes.
 * @param figure has a `figcaption`.
 * @returns what takes data: `points` with `time` in milliseconds and `values` by the series' names, `from`, `to` and `step`
 *   in milliseconds, `series` as `{name, label}` and perhaps a `tone`, `format` of a value, `label` of a time, `isStacked`,
 *   `isWhole`, `isBinary`, `isNamed` (the series have names of their own), `top`.
 */
export function plot(figure) {
  const legend = el("ul", { class: "legend" });
  const canvas = el("div", { class: "canvas", tabindex: "0", role: "img" });
  const reading = el("p", { class: "reading" });
  const line = figure.querySelector("figcaption .soft");
  const usual = line.textContent;
  figure.querySelector("figcaption").append(reading);
  figure.append(canvas, legend);
  let data = null;
  let chosen = null;
  const draw = () => data && render(canvas, data, chosen);
  new ResizeObserver(draw).observe(canvas);

  crosshairs.push((time, from) => {
    if (!data) return;
    const point = time === null ? null : data.points.find((one) => time >= one.time && time < one.time + data.step);
    chosen = time === null ? null : point || { time: Math.floor(time / data.step) * data.step, values: {} };
    // The others follow in silence.
    if (from === canvas) reading.setAttribute("aria-live", "polite");
    else reading.removeAttribute("aria-live");
    draw();
    tell();
  });
  function tell() {
    const isOne = data.series.length < 2;
    show(legend, isOne ? [] : data.series.map((series, at) => el("li", {},
      el("span", { class: "swatch tone-" + (series.tone ?? at), "aria-hidden": "true" }), series.label, value(data, series, chosen))));
    // The caption names the only one of several that there might be.
    line.textContent = isOne && data.isNamed && data.series.length ? data.series[0].plain || data.series[0].name : usual;
    show(reading, chosen && [el("span", { class: "soft" }, data.label(chosen.time)),
      el("span", { class: isOne ? null : "apart" }, told(data, chosen))]);
  }
  canvas.addEventListener("pointermove", (event) => {
    if (!data) return;
    const box = canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
    cross(data.from + Math.min(0.9999, Math.max(0, share)) * (data.to - data.from), canvas);
  });
  canvas.addEventListener("pointerleave", () => cross(null));
  canvas.addEventListener("blur", () => cross(null));
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move || !data || !data.points.length) return;
    event.preventDefault();
    const last = data.points.length - 1;
    const at = chosen ? data.points.findIndex((point) => point.time >= chosen.time) : last - move;
    cross(data.points[Math.min(last, Math.max(0, at + move))].time, canvas);
  });

  return (next) => {
    data = next;
    canvas.setAttribute("aria-label", summary(figure, data));
    draw();
    tell();
  };
}

function value(data, series, point) {
  const known = point && point.values[series.name];
  return known === undefined || known === null ? null : [" ", el("b", {}, data.format(known))];
}

function told(data, point) {
  const known = data.series.filter((series) => point.values[series.name] !== undefined);
  if (!known.length) return "nothing";
  return known.map((series) => [data.series.length > 1 ? " " + (series.plain || series.name) : "", ...value(data, series, point)]).flat();
}

function summary(figure, data) {
  const title = figure.querySelector("figcaption b").textContent;
  const last = data.points.at(-1);
  if (!last) return title + ": no data yet.";
  const values = data.series.filter((series) => last.values[series.name] !== undefined)
    .map((series) => (series.plain || series.name) + " " + data.format(last.values[series.name]));
  return title + ", last: " + (values.join(", ") || "nothing") + ". Use the arrow keys to read the points.";
}

function render(canvas, data, chosen) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width < 80 || height < 80) return;
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const sums = data.points.map((point) => {
    const values = data.series.map((series) => point.values[series.name]).filter((value) => value !== undefined);
    return data.isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const marks = ticks(data.top || Math.max(0, ...sums), data.isWhole, data.isBinary);
  const top = marks.at(-1);
  const x = (time) => margin.left + inner.width * (time - data.from) / (data.to - data.from);
  const y = (value) => margin.top + inner.height * (1 - value / top);
  const drawing = svg("svg", { width, height, viewBox: "0 0 " + width + " " + height, "aria-hidden": "true", focusable: "false" });
  for (const value of marks) {
    drawing.append(svg("line", { class: value === 0 ? "axis" : "scale", x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: margin.left - 6, y: y(value) + 4, "text-anchor": "end" }, data.format(value)));
  }
  for (const time of times(data.from, data.to, Math.max(3, Math.floor(inner.width / 62)))) {
    drawing.append(svg("line", { class: "axis", x1: x(time), x2: x(time), y1: y(0), y2: y(0) + 4 }),
      svg("text", { class: "tick", x: Math.min(x(time), width - 18), y: height - 5, "text-anchor": "middle" }, data.label(time, true)));
  }
  if (data.isStacked) bars(drawing, data, x, y);
  else lines(drawing, data, x, y);
  if (!sums.some((sum) => sum > 0)) {
    drawing.append(svg("text", { class: "tick", x: margin.left + inner.width / 2, y: margin.top + inner.height / 2, "text-anchor": "middle" },
      data.points.some((point) => data.series.some((series) => point.values[series.name] !== undefined)) ? "none in this time" : "no data in this time"));
  }
  if (chosen) {
    const middle = x(chosen.time + data.step / 2);
    drawing.append(svg("line", { class: "cursor", x1: middle, x2: middle, y1: margin.top, y2: margin.top + inner.height }));
  }
  show(canvas, drawing);
}

function lines(drawing, data, x, y) {
  data.series.forEach((series, at) => {
    const tone = series.tone ?? at;
    const known = data.points.filter((point) => point.values[series.name] !== undefined);
    const middle = (point) => x(point.time + data.step / 2);
    for (const run of runs(known, data.step)) {
      const path = run.map((point, at) => (at ? "L" : "M") + middle(point).toFixed(1) + " " + y(point.values[series.name]).toFixed(1)).join("");
      drawing.append(run.length > 1 ? svg("path", { class: "line tone-" + tone, d: path })
        : svg("circle", { class: "dot tone-" + tone, cx: middle(run[0]), cy: y(run[0].values[series.name]), r: 2 }));
    }
  });
}

function bars(drawing, data, x, y) {
  for (const point of data.points) {
    const left = x(point.time);
    const wide = Math.max(1, x(point.time + data.step) - left - 0.5);
    let sum = 0;
    data.series.forEach((series, at) => {
      const value = point.values[series.name];
      if (!value) return;
      drawing.append(svg("rect", { class: "fill tone-" + (series.tone ?? at), x: left.toFixed(1), width: wide.toFixed(1),
        y: y(sum + value).toFixed(1), height: Math.max(0.5, y(sum) - y(sum + value)).toFixed(1) }));
      sum += value;
    });
  }
}
