// The page at `/`: a search over all sources and the state of the house, drawn by a small script from the same routes
// that every tool uses. Text from answers is only ever set as text, never as markup.
import LarderCore
import LarderHTTP
import LarderServer

enum Dashboard {
    static let own = OwnPage(
        page: page, style: style, script: script, icon: icon, permits: "img-src 'self'; form-action 'self'",
        cacheControl: "no-cache")

    /// A jar.
    private static let icon: StaticString = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
        <rect x="8" y="2" width="16" height="5" rx="1.5" fill="#8a5a2b"/>
        <path d="M9 8h14c3 2 4 4 4 7v11a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V15c0-3 1-5 4-7z" fill="#d9e6e2"/>
        <path d="M7 18h18v8a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2z" fill="#c4572e"/>
        </svg>

        """

    private static let page: StaticString = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Larder</title>
        <link rel="icon" href="/dashboard.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/dashboard.css">
        <script src="/dashboard.js" defer></script>
        </head>
        <body>
        <header>
        <h1>Larder</h1>
        <form id="search" role="search">
        <input id="term" name="q" type="search" placeholder="Search all sources" autofocus aria-label="Search term">
        <select id="source" name="source" aria-label="Source"><option value="">all sources</option></select>
        <select id="sort" name="sort" aria-label="Order">
        <option>relevance</option><option>name</option><option>date</option><option>price</option>
        </select>
        <button>Search</button>
        </form>
        </header>
        <main>
        <p id="outcome" role="status"></p>
        <ul id="results"></ul>
        <h2>Providers</h2>
        <table>
        <thead><tr><th>Provider</th><th>State</th><th>Calls left</th><th>Last answer</th><th>Answers</th></tr></thead>
        <tbody id="providers"></tbody>
        </table>
        <h2>Larder itself</h2>
        <dl id="house"></dl>
        <p class="links"><a href="/v1/status">status</a> <a href="/metrics">metrics</a>
        <a href="/openapi.json">interface</a></p>
        </main>
        </body>
        </html>

        """

    private static let style: StaticString = """
        :root { color-scheme: light dark; --line: #8884; --soft: #888; --accent: #b4552d; }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 66rem; padding: 1rem; font: 16px/1.45 system-ui, sans-serif; }
        header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; }
        h1 { margin: 0; font-size: 1.5rem; color: var(--accent); }
        h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
        form { display: flex; flex: 1; gap: .5rem; flex-wrap: wrap; }
        input, select, button { font: inherit; padding: .35rem .6rem; border: 1px solid var(--line); border-radius: 6px; }
        input { flex: 1; min-width: 12rem; }
        button { background: var(--accent); color: #fff; border-color: transparent; cursor: pointer; }
        #outcome { color: var(--soft); min-height: 1.5em; }
        #results { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem;
          grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); }
        #results li { display: flex; gap: .75rem; border: 1px solid var(--line); border-radius: 8px; padding: .6rem; }
        #results img { width: 64px; height: 64px; object-fit: cover; border-radius: 4px; background: var(--line); }
        #results strong { display: block; overflow-wrap: anywhere; }
        #results small { color: var(--soft); display: block; }
        table { width: 100%; border-collapse: collapse; }
        th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
        th { font-weight: 600; color: var(--soft); }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 0; }
        dt { color: var(--soft); }
        dd { margin: 0; }
        .bad { color: #c0392b; }
        .links a { margin-right: 1rem; }

        """

    private static let script: StaticString = #"""
        "use strict";
        const byId = (id) => document.getElementById(id);
        const element = (name, text, className) => {
          const made = document.createElement(name);
          if (text !== undefined && text !== null) made.textContent = String(text);
          if (className) made.className = className;
          return made;
        };
        const size = (bytes) => {
          const units = ["B", "KiB", "MiB", "GiB", "TiB"];
          let at = 0;
          while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; at += 1; }
          return (at ? bytes.toFixed(1) : bytes) + " " + units[at];
        };

        function card(result) {
          const item = element("li");
          if (result.artwork && result.artwork.small) {
            const image = element("img");
            image.src = result.artwork.small;
            image.alt = "";
            image.loading = "lazy";
            // No picture says more than the sign of a broken one.
            image.addEventListener("error", () => image.remove());
            item.append(image);
          }
          const text = element("div");
          text.append(element("strong", result.title || result.id));
          const price = result.price ? result.price.amount + " " + (result.price.currency || "") : null;
          const facts = [result.creator, result.collection, result.kind, price, (result.publishedAt || "").slice(0, 10)];
          text.append(element("small", facts.filter(Boolean).join(" · ")));
          if (result.url && /^https?:/.test(result.url)) {
            const link = element("a", result.provider);
            link.href = result.url;
            link.rel = "noreferrer noopener";
            text.append(link);
          }
          item.append(text);
          return item;
        }

        let latest = 0;
        let leave = null;
        async function search(event) {
          event.preventDefault();
          const term = byId("term").value.trim();
          if (!term) return;
          history.replaceState(null, "", "/?" + new URLSearchParams({ q: term }));
          if (leave) leave();
          const asked = { number: ++latest, begun: performance.now() };
          const query = new URLSearchParams({ q: term, sort: byId("sort").value });
          if (byId("source").value) query.set("source", byId("source").value);
          asked.path = "/v1/search?" + query;
          byId("outcome").textContent = "Searching…";
          await ask(asked, { headers: { Prefer: "respond-async" } });
        }

        // A search that goes on by itself is followed; whatever else comes is the answer.
        async function ask(asked, options) {
          let reply, answer;
          try {
            reply = await fetch(asked.path, options);
            answer = await reply.json();
          } catch (error) {
            if (asked.number === latest) byId("outcome").textContent = "Larder cannot be reached.";
            return;
          }
          const place = reply.status === 202 ? "/v1/searches/" + answer.id : null;
          if (asked.number !== latest) {
            if (place) cancel(place);
          } else if (place) {
            follow(asked, place);
          } else {
            show(asked, reply, answer);
          }
        }

        function cancel(place) {
          fetch(place, { method: "DELETE" }).catch(() => {});
        }

        // Each source's results are shown when they arrive; at the end all of them in their order.
        function follow(asked, place) {
          const stream = new EventSource(place + "/events");
          const come = [];
          let awaited = [];
          const tell = () => {
            const rest = awaited.length ? ["waiting for " + awaited.join(", ")] : [];
            byId("outcome").textContent = [...come, ...rest].join(" · ");
          };
          const end = () => {
            stream.close();
            leave = null;
          };
          leave = () => {
            end();
            cancel(place);
          };
          byId("results").replaceChildren();
          stream.addEventListener("source", (event) => {
            const source = JSON.parse(event.data);
            awaited = awaited.filter((name) => name !== source.provider);
            come.push(source.provider + " " + (source.state === "failed" ? source.error.class : source.count));
            byId("results").append(...source.results.map(card));
            tell();
          });
          stream.addEventListener("state", (event) => {
            const search = JSON.parse(event.data);
            if (search.state === "loading") {
              awaited = search.sources.filter((one) => one.state === "loading").map((one) => one.provider);
              tell();
              return;
            }
            end();
            ask({ ...asked, path: place });
          });
          stream.addEventListener("error", () => {
            if (stream.readyState !== EventSource.CLOSED) return;
            // No stream is to be had: the usual way joins what is under way.
            end();
            ask(asked);
          });
        }

        function show(asked, reply, answer) {
          const time = (performance.now() - asked.begun).toFixed(0) + " ms";
          const list = byId("results");
          list.replaceChildren();
          const problem = reply.ok ? answer.problem : answer;
          if (problem || !answer.results) {
            byId("outcome").textContent = (problem && (problem.detail || problem.title)) || "Failed.";
            return;
          }
          const failed = answer.sources.filter((source) => source.error);
          const notes = failed.map((source) => source.provider + ": " + source.error.detail);
          const how = (reply.headers.get("Cache-Status") || "").replace("larder; ", "");
          byId("outcome").textContent = [answer.count + " results in " + time, how, ...notes].join(" · ");
          list.append(...answer.results.map(card));
        }

        function row(provider) {
          const line = element("tr");
          const budget = Object.entries(provider.budget).map(([name, one]) => one.remaining + (one.limit ? " of " + one.limit : "") + " (" + name.replace(/(.+)Credits$/, "$1, says the API") + ")");
          const answers = Object.entries(provider.answers).filter(([, count]) => count > 0)
            .map(([name, count]) => count + " " + (name === "memoryHit" ? "hit in memory" : name));
          const plain = (instant) => (instant ? instant.replace("T", " ").replace("Z", " UTC") : "");
          line.append(
            element("td", provider.title || provider.name),
            element("td", provider.state + (provider.suspendedUntil ? " until " + plain(provider.suspendedUntil) : ""),
              provider.state === "ready" ? "" : "bad"),
            element("td", budget.join(", ") || "no limit"),
            element("td", plain(provider.lastSuccess) || provider.lastFailureDetail || "none yet"),
            element("td", answers.join(", ") || "none yet"));
          return line;
        }

        // Many things may happen to providers at once: one look at a time shows them all.
        let looking = false;
        async function refresh() {
          if (looking) return;
          looking = true;
          let status;
          try {
            status = await (await fetch("/v1/status")).json();
          } catch (error) {
            return;
          } finally {
            looking = false;
          }
          byId("providers").replaceChildren(...status.providers.map(row));
          const choice = byId("source");
          if (choice.options.length === 1) {
            for (const provider of status.providers) {
              if (provider.kind === "builtIn") choice.append(element("option", provider.name));
            }
          }
          const facts = [
            ["version", status.version], ["up since", status.startedAt],
            ["store", status.store.entries + " entries, " + size(status.store.liveBytes) + " of " + size(status.store.maxBytes)],
            ["memory", status.memory.entries + " answers, " + size(status.memory.bytes) + " of " + size(status.memory.maxBytes)],
          ];
          if (status.store.degraded) facts.push(["degraded", status.store.degraded]);
          byId("house").replaceChildren(...facts.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
        }

        byId("search").addEventListener("submit", search);
        refresh();
        const asked = new URLSearchParams(location.search).get("q");
        if (asked) {
          byId("term").value = asked;
          search(new Event("submit"));
        }
        setInterval(refresh, 5000);
        // A browser has six connections to a house for all its pages: one that nobody looks at keeps none of them.
        let events = null;
        function listen() {
          if (events) events.close();
          events = document.hidden ? null : new EventSource("/v1/events");
          if (!events) return;
          for (const name of ["reachability", "suspension", "budget"]) events.addEventListener(name, refresh);
        }
        document.addEventListener("visibilitychange", listen);
        listen();

        """#
}
