// The keys of the page, as a list and as a sheet.

import { open } from "../dialog.js";
import { h } from "../dom.js";
import { t } from "../words.js";

const KEYS = [
  ["Enter", t("Send; on a touch screen Ctrl Enter")],
  ["Shift Enter", t("New line")],
  ["Esc", t("Stop the answer, or close a dialog or an artifact")],
  ["Alt M", t("Model for this message")],
  ["Ctrl K", t("Search conversations")],
  ["Ctrl Shift O", t("New conversation")],
  ["↑ ↓", t("Move in lists and menus")],
  ["← →", t("Other versions of a message or an artifact, at its version buttons")],
  ["?", t("This list, outside of text fields")],
];

export function shortcutList() {
  return h(
    "dl",
    { class: "keys" },
    KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
  );
}

export function showShortcuts() {
  open({ title: t("Keyboard shortcuts"), size: "sm" }, shortcutList());
}
