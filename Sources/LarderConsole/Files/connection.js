// Whether the daemon answers. Each second it is asked, each time for less than one: a daemon that is gone or stands still is
// said within two seconds, and what waits for its return is called when it is back.
import { byId } from "./dom.js";

let lostSince = null;
const returns = [];

/** Calls back each time that the daemon is back, or the page is looked at again. */
export function onReturn(act) {
  returns.push(act);
}

async function watch() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(900) });
    await answer.arrayBuffer();
  } catch (error) {
    // A browser has six connections for a host: behind pictures that are slow to come, a late answer says nothing.
    const isBusy = [...document.images].some((image) => !image.complete && image.loading !== "lazy");
    if (lostSince || (error.name === "TimeoutError" && isBusy)) return;
    lostSince = new Date();
    const banner = byId("lost");
    banner.textContent = "Larder does not answer since " + lostSince.toLocaleTimeString()
      + ". This page shows the state before that, and updates itself when Larder is back.";
    banner.hidden = false;
    document.documentElement.dataset.connection = "lost";
    return;
  }
  if (!lostSince) return;
  lostSince = null;
  byId("lost").hidden = true;
  delete document.documentElement.dataset.connection;
  for (const act of returns) act();
}

/** Begins to watch. */
export function watchConnection() {
  setInterval(watch, 1000);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    watch();
    for (const act of returns) act();
  });
}

/** Looks at once, when something else has failed. */
export const suspect = watch;
