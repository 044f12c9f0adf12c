// The titles of the providers, as the page's choice of a source tells them. A page without a choice shows the names.
const choices = document.querySelectorAll("#source option, #provider option");
const titles = new Map([...choices].filter((one) => one.value).map((one) => [one.value, one.textContent]));

export const titleOf = (name) => titles.get(name) || name;
