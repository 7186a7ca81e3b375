// The page that a login at another service returns to. The browser did not send its cookie with that
// request, because it came from another site; this request of our own page has it.

import { post } from "../api.js";
import { t } from "../words.js";

const RETURN_TO = "mcp-login-return";
const shown = document.getElementById("login-state");
const query = location.search.slice(1);

// The code is used once and must not stay in the history.
history.replaceState(null, "", location.pathname);

async function finish() {
  try {
    const { server } = await post("/mcp-login", { query });
    shown.textContent = t("You are logged in to {name}.", { name: server });
    location.replace(`/#/${encodeURIComponent(takeReturn())}`);
  } catch (fault) {
    shown.setAttribute("role", "alert");
    shown.textContent = [fault.message, fault.fix].filter(Boolean).join(". ");
  }
}

/** The conversation that was open before, if any. */
function takeReturn() {
  try {
    const id = sessionStorage.getItem(RETURN_TO) ?? "";
    sessionStorage.removeItem(RETURN_TO);
    return id;
  } catch {
    return "";
  }
}

finish();
