// Tells a person who looks elsewhere that a long answer has ended, or that something waits for them. Asks
// once whether to, after the first time that it would have been worth it.

import { guarded, h } from "../dom.js";
import { on, state } from "../state.js";
import { t } from "../words.js";

/** Milliseconds after which a person has gone on to something else. */
const LONG = 10_000;
const OFFERED = "notifications-offered";

let startedAt = 0;

export function startNotifications() {
  on("running", (isRunning) => isRunning && (startedAt = performance.now()));
  on("turn_ended", (how) => tellOfAnswer(how === "failed" ? t("The model could not answer.") : t("The answer is complete.")));
}

function tellOfAnswer(text) {
  const isLong = performance.now() - startedAt >= LONG;
  if (!isLong || document.visibilityState === "visible") return;
  const { id, title } = state.conversation ?? {};
  tell(text, { title, tag: id, hash: `#/${id}` });
}

/** Shows a notification if the person agreed. A later one with the same `tag` replaces it. */
export function tell(text, { title, tag, hash }) {
  if (!globalThis.Notification) return;
  if (Notification.permission === "default") offer();
  if (Notification.permission !== "granted") return;
  const shown = new Notification(title || "Ghostpad", { body: text, tag });
  shown.addEventListener("click", () => {
    window.focus();
    location.hash = hash;
    shown.close();
  });
}

/** A line above the composer, once in the life of this browser. */
function offer() {
  try {
    if (localStorage.getItem(OFFERED)) return;
    localStorage.setItem(OFFERED, "yes");
  } catch {
    return; // without storage it would ask again and again
  }
  const close = () => line.remove();
  const accept = guarded(async () => {
    close();
    await Notification.requestPermission();
  });
  const line = h(
    "p",
    { class: "offer", role: "status" },
    h("span", { class: "grow" }, t("Get a notification when a long answer ends or something waits for you while you look elsewhere?")),
    h("button", { type: "button", class: "ghost", onclick: close }, t("No")),
    h("button", { type: "button", class: "outline", onclick: accept }, t("Notify me")),
  );
  document.getElementById("composer").before(line);
}
