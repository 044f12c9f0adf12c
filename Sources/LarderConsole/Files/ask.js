// Questions to the daemon's routes, the same that every tool asks. What a browser may keep, each answer says itself.
import { authority, hasToken, refused } from "./token.js";

/** A problem (RFC 9457) as something to be caught: `message` is its sentence. */
export class Problem extends Error {
  constructor(status, answer) {
    super((answer && (answer.detail || answer.title)) || "The answer was " + status + ".");
    this.status = status;
    this.code = answer && answer.code;
  }
}

/** A person waits for what the console asks (RFC 9218). */
export const urgent = { Priority: "u=1" };

/** What a route answers, as JSON. Throws a `Problem`, or what `fetch` throws where the daemon is not reached. */
export async function ask(path, { method = "GET", timeout = 10000 } = {}) {
  const reply = await fetch(path,
    { method, headers: { ...urgent, ...authority() }, cache: "no-store", signal: AbortSignal.timeout(timeout) });
  const text = await reply.text();
  let answer = null;
  try {
    answer = JSON.parse(text);
  } catch {
    if (reply.ok) throw new Problem(reply.status, { detail: "The answer could not be read." });
  }
  if (reply.ok) return answer;
  if ((reply.status === 401 || reply.status === 403) && hasToken()) refused(answer && answer.detail);
  throw new Problem(reply.status, answer);
}

/** A failure in words. */
export function told(error) {
  if (error instanceof Problem) return error.message;
  // What fetch throws, and the end of its patience. Anything else is a fault of this page.
  const isNetwork = error instanceof TypeError || ["AbortError", "TimeoutError"].includes(error.name);
  return isNetwork ? "Larder cannot be reached." : "This page could not show the answer: " + error.message;
}
