// Server-sent events (WHATWG HTML §9.2) read by fetch, since EventSource cannot send a token. A browser has six connections
// to one origin for all its pages: a page that nobody looks at keeps none of them.
import { suspect } from "./connection.js";

/**
 * Follows a stream until it is closed.
 * @param path what to ask for; a function where it changes with each connection.
 * @param handlers by the events' names, each called with the data; `opened` and `failed` tell of the connection.
 * @param again whether a stream that ended is asked for once more.
 * @returns what closes it.
 */
export function follow(path, handlers, { headers = () => ({}), again = true } = {}) {
  let controller = null;
  let timer = null;
  let lastId = null;
  let isClosed = false;

  async function open() {
    timer = null;
    if (isClosed || document.hidden) return;
    controller = new AbortController();
    const mine = controller;
    try {
      const fields = { Accept: "text/event-stream", ...headers() };
      if (lastId !== null && !again) fields["Last-Event-ID"] = lastId;
      const reply = await fetch(typeof path === "function" ? path() : path,
        { headers: fields, cache: "no-store", signal: mine.signal });
      if (reply.status !== 200) {
        await reply.body?.cancel();
        return stop(mine, reply.status);
      }
      handlers.opened?.();
      await read(reply.body, mine);
      if (!mine.signal.aborted) stop(mine, 0);
    } catch (error) {
      if (mine.signal.aborted) return;
      suspect();
      stop(mine, null);
    }
  }

  function stop(mine, status) {
    if (mine !== controller || isClosed) return;
    controller = null;
    handlers.failed?.(status);
    // What the daemon refuses it refuses a second later too, but a full house may have room.
    if (again || status === null) timer = setTimeout(open, status && status !== 503 ? 5000 : 1000);
  }

  async function read(body, mine) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || mine.signal.aborted) return;
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) deliver(block);
      if (isClosed) return;
    }
  }

  function deliver(block) {
    let name = "message";
    const data = [];
    for (const line of block.split("\n")) {
      if (line.startsWith("event:")) name = line.slice(6).trim();
      else if (line.startsWith("id:")) lastId = line.slice(3).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    }
    if (data.length) handlers[name]?.(JSON.parse(data.join("\n")));
  }

  function look() {
    if (document.hidden) {
      controller?.abort();
      controller = null;
    } else if (!controller && !timer) {
      open();
    }
  }

  document.addEventListener("visibilitychange", look);
  open();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      controller?.abort();
      document.removeEventListener("visibilitychange", look);
    },
    reopen() {
      clearTimeout(timer);
      controller?.abort();
      controller = null;
      open();
    },
  };
}
