// Making elements. What comes from an answer is only ever set as text, or as an address that was checked.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; text children become text, null and false leave nothing. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const drawings = "http://www.w3.org/2000/svg";

/** The same for drawings. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(drawings, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    // A policy forbids styles that stand in attributes, and handlers there too: no caller may come to rely on them.
    if (name === "style" || name.startsWith("on")) throw new TypeError(name + " is no attribute to set");
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return made;
}

/** A button that does something. */
export function button(label, attributes, act) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** The address where it is one of the web, else null: nothing else becomes a link. */
export function webAddress(text) {
  return typeof text === "string" && /^https?:\/\//i.test(text) ? text : null;
}

/** A picture of this origin's artwork; where it does not come, the text that stands for it. */
export function picture(place, size, text) {
  const instead = el("span", {}, text);
  if (typeof place !== "string" || !place.startsWith("/v1/artwork/")) return instead;
  const image = el("img", { alt: "", loading: "lazy", decoding: "async", width: size, height: size, src: place });
  image.addEventListener("error", () => image.replaceWith(instead));
  return image;
}

/** Replaces the children where they differ, so that a selection or the focus in an unchanged list stays. */
export function show(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}
