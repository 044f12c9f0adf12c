// What this browser keeps of the console: the last searches, and whether keys of one character work. Nothing else is kept.
export function kept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem("larder-" + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem("larder-" + name, JSON.stringify(value));
  } catch {
    // A browser may permit no storage.
  }
}
