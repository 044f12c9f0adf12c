// What the page at `/` does. It asks the same routes as every tool; what an answer says is only ever set as text.

extension Dashboard {
    static let script: StaticString = #"""
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

        const span = (seconds) => {
          const units = [[86400, "d"], [3600, "h"], [60, "min"]];
          const unit = units.find(([length]) => seconds >= 2 * length) || [1, "s"];
          return Math.floor(seconds / unit[0]) + " " + unit[1];
        };
        // Cache-Status (RFC 9211) in words: how the answer came to be.
        function origin(reply) {
          const said = reply.headers.get("Cache-Status") || "";
          const told = (name) => (new RegExp("; *" + name + "=([^;]*)").exec(said) || [])[1];
          const left = told("ttl") === undefined ? null : Number(told("ttl"));
          const past = left < 0 ? span(-left) + " past its time" : null;
          const local = told("detail") === "local" ? ", in part by a search of what is stored" : "";
          if (/; *hit/.test(said)) {
            if (told("detail") === "negative") return "remembered as absent";
            if (left === null) return "from the cache" + local;
            return "from the cache, " + (past || "fresh for another " + span(left)) + local;
          }
          if (!told("fwd")) return "";
          if (past) return "from the cache, " + past + ", since the API did not help";
          if (/; *collapsed/.test(said)) return "fetched for another request at the same time" + local;
          return (told("fwd-status") === "304" ? "from the cache, confirmed by the API" : "fetched just now") + local;
        }

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
          const count = answer.count + (answer.count === 1 ? " result in " : " results in ");
          byId("outcome").textContent = [count + time, origin(reply), ...notes].filter(Boolean).join(" · ");
          list.append(...answer.results.map(card));
        }

        const states = {
          ready: "ready", off: "switched off", notConfigured: "needs a key", suspended: "resting after failures",
          probing: "the rest is over: the next call tries it", budgetSpent: "no calls left",
        };
        const outcomes = {
          memoryHit: "from memory", hit: "from the store", stale: "past their time", negative: "remembered as absent",
          joined: "shared a fetch", miss: "fetched", revalidated: "confirmed by the API", bypass: "passed on",
        };
        const columns = ["Provider", "State", "Calls left", "Last answer", "Answers"];
        function row(provider) {
          const line = element("tr");
          line.setAttribute("role", "row");
          const budget = Object.entries(provider.budget).map(([name, one]) => one.remaining + (one.limit ? " of " + one.limit : "") + " (" + name.replace(/(.+)Credits$/, "$1, says the API") + ")");
          const answers = Object.entries(provider.answers).filter(([, count]) => count > 0)
            .map(([name, count]) => count + " " + (outcomes[name] || name));
          const plain = (instant) => (instant ? instant.replace("T", " ").replace("Z", " UTC") : "");
          line.append(
            element("td", provider.title || provider.name),
            element("td", (states[provider.state] || provider.state)
              + (provider.state === "suspended" && provider.suspendedUntil ? " until " + plain(provider.suspendedUntil) : "")
              + (provider.configurationProblem ? ": " + provider.configurationProblem : ""),
              provider.state === "ready" ? "" : "bad"),
            element("td", budget.join(", ") || "no limit"),
            element("td", plain(provider.lastSuccess) || provider.lastFailureDetail || "none yet"),
            element("td", answers.join(", ") || "none yet"));
          [...line.children].forEach((cell, place) => {
            cell.dataset.name = columns[place];
            cell.setAttribute("role", "cell");
          });
          return line;
        }

        // Many things may happen to providers at once: one look at a time shows them all.
        let looking = false;
        async function refresh() {
          if (looking) return;
          looking = true;
          let status;
          try {
            status = await (await fetch("/v1/status", { signal: AbortSignal.timeout(4000) })).json();
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

        // Each second, each time for less than one: a daemon that is gone or stands still is said within two.
        let lostSince = null;
        async function watch() {
          if (document.hidden) return;
          try {
            await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(900) });
          } catch (error) {
            // A browser has six connections for a host: behind pictures that are slow to come, a late answer says nothing.
            const isBusy = [...document.images].some((image) => !image.complete);
            if (lostSince || (error.name === "TimeoutError" && isBusy)) return;
            lostSince = new Date();
            byId("lost").textContent = "Larder does not answer since " + lostSince.toLocaleTimeString()
              + ". What is shown here is from before.";
            byId("lost").hidden = false;
            return;
          }
          if (!lostSince) return;
          lostSince = null;
          byId("lost").hidden = true;
          refresh();
        }
        setInterval(watch, 1000);

        byId("search").addEventListener("submit", search);
        refresh();
        const asked = new URLSearchParams(location.search).get("q");
        if (asked) {
          byId("term").value = asked;
          // A page that led here must not spend calls: the daemon says whether this navigation was our own.
          if (document.documentElement.dataset.search === "runs") search(new Event("submit"));
          else byId("outcome").textContent = "Not searched yet: press Search.";
        }
        setInterval(refresh, 5000);
        // A browser has six connections to one origin for all its pages: one that nobody looks at keeps none of them.
        let events = null;
        function listen() {
          if (events) events.close();
          events = document.hidden ? null : new EventSource("/v1/events");
          if (!events) return;
          for (const name of ["reachability", "suspension", "budget"]) events.addEventListener(name, refresh);
          events.addEventListener("error", watch);
        }
        document.addEventListener("visibilitychange", listen);
        listen();

        """#
}
