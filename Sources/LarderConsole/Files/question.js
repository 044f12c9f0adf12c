// What the search page shows, as its address says it. The address says all of it, so Back works and links hold.

/** The narrowing of an answer asks nothing anew; the first four make the question. */
export const empty = { q: "", source: "", where: "", sort: "relevance", kind: "", from: "", page: 1 };

export function fromAddress(search) {
  const query = new URLSearchParams(search);
  const state = { ...empty };
  for (const name of Object.keys(empty)) {
    if (query.has(name)) state[name] = query.get(name);
  }
  state.q = state.q.trim();
  state.page = Math.max(1, Number.parseInt(state.page, 10) || 1);
  return state;
}

export function toAddress(state) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value !== empty[name] && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? "/?" + text : "/";
}

export const isStored = (state) => state.where === "stored";

/** The route that answers the question. */
export function route(state) {
  const query = new URLSearchParams({ q: state.q });
  if (state.source) query.set("source", state.source);
  if (isStored(state)) return "/v1/local?" + new URLSearchParams([...query, ["limit", "200"]]);
  if (state.sort !== empty.sort) query.set("sort", state.sort);
  return "/v1/search?" + query;
}

/** Where the record of one result is had. */
export function recordRoute(state, provider) {
  return "/v1/search?" + new URLSearchParams({ q: state.q, source: provider, include: "source", fields: "id" });
}
