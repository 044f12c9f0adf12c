// Figures and times as a person reads them.

const sizes = ["B", "KiB", "MiB", "GiB", "TiB"];

export function size(bytes) {
  let at = 0;
  while (bytes >= 1024 && at < sizes.length - 1) {
    bytes /= 1024;
    at += 1;
  }
  return (at && bytes < 100 ? bytes.toFixed(1) : Math.round(bytes)) + " " + sizes[at];
}

const units = [[86400, "d"], [3600, "h"], [60, "min"]];

/** A span of seconds in its greatest unit. */
export function span(seconds) {
  const unit = units.find(([length]) => seconds >= 2 * length) || [1, "s"];
  return Math.floor(seconds / unit[0]) + " " + unit[1];
}

/** How long ago, or in how long. */
export function relative(instant, now = Date.now()) {
  const seconds = (now - Date.parse(instant)) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 0 && seconds > -1) return "in <1 s";
  if (seconds >= 0 && seconds < 2) return "just now";
  return seconds > 0 ? span(seconds) + " ago" : "in " + span(-seconds);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const minutes = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const days = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

const years = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

export const timeOfDay = (instant) => clock.format(new Date(instant));
export const hourAndMinute = (instant) => minutes.format(new Date(instant));
export const day = (instant) => days.format(new Date(instant));
/** Date and time, with the year where it is another one; what is no instant stays as it is. */
export function moment(instant) {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return String(instant);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? day(instant) : years.format(date)) + ", " + timeOfDay(instant);
}

const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Why a provider was asked (RFC 9211 §2.2), in words. */
const reasons = { request: "because the client asked for a new answer", "uri-miss": "because nothing was stored for it",
  "vary-miss": "because no stored variant fits", miss: "because nothing stored fits", partial: "because only a part was stored",
  stale: "because the stored answer is stale", method: "because of its method" };

/** A sentence of the daemon as a person reads it: local times, spans in two units, reasons in words. */
export function readable(sentence) {
  return sentence.replace(instants, (one) => (Number.isNaN(Date.parse(one)) ? one : moment(one)))
    .replace(/ \(([a-z-]+)\)/g, (whole, name) => (Object.hasOwn(reasons, name) ? " " + reasons[name] : whole))
    .replace(/\b(\d{3,}) s\b/g, (whole, seconds) => longSpan(Number(seconds)));
}

/** A span of seconds in its two greatest units: "22 h 32 min". */
function longSpan(seconds) {
  const at = units.findIndex(([length]) => seconds >= length);
  if (at < 0) return seconds + " s";
  const [length, name] = units[at];
  const [next, nextName] = units[at + 1] || [1, "s"];
  const rest = Math.floor(seconds % length / next);
  return Math.floor(seconds / length) + " " + name + (rest ? " " + rest + " " + nextName : "");
}

const counts = new Intl.NumberFormat("en");

export const count = (number) => counts.format(number);

export function milliseconds(time) {
  if (time === undefined || time === null) return "";
  if (time >= 10000) return (time / 1000).toFixed(1) + " s";
  return (time >= 100 ? Math.round(time) : Number(time.toPrecision(3))) + " ms";
}

export const plural = (number, one, many = one + "s") => count(number) + " " + (number === 1 ? one : many);

/** "lastFailure" → "last failure". */
export const words = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
