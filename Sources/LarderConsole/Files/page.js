// What every page does, whatever it shows.
import { explainTerms } from "./terms.js";
import { listenForToken } from "./token.js";
import { watchConnection } from "./connection.js";
import { listenForKeys } from "./keys.js";

explainTerms();
listenForToken();
watchConnection();
listenForKeys();
// Styles show what needs a script only where one runs.
document.documentElement.classList.add("scripted");
