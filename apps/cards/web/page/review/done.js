// When no card is left: what was done, and when the next one comes.

import { h } from "../../dom.js";
import { icon } from "../../icon.js";
import { locale, t } from "../words.js";

export function done({ state, canUndo, nextAt }, undo) {
  const { today, later } = state;
  const at = nextAt();
  const next = at && new Date(at);
  const sameDay = next && next.toDateString() === new Date().toDateString();
  const when = next && (sameDay ? next.toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" }) : next.toLocaleDateString(locale(), { day: "numeric", month: "long" }));
  return h(
    "div",
    { class: "all-done" },
    h("span", { class: "round" }, icon("check")),
    h("h2", {}, t(today ? "allDone" : "nothingDue")),
    h("p", { class: "faint" }, [today > 0 && t("today", { n: today }), when && t("nextAt", { when }), later > 0 && t("newLater", { n: later })].filter(Boolean).join(" · ")),
    h(
      "div",
      { class: "row center" },
      h("a", { href: "#", class: "button" }, t("toTexts")),
      canUndo() && h("button", { type: "button", class: "ghost sm", "data-act": "undo", onclick: undo }, t("undoAnswer")),
    ),
  );
}
