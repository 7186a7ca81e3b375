// The keys of the page, as a list and as a sheet.

import { open } from "../dialog.js";
import { h } from "../dom.js";

const KEYS = [
  ["Enter", "Send; on a touch screen Ctrl Enter"],
  ["Shift Enter", "New line"],
  ["Esc", "Stop the answer, or close a dialog or an artifact"],
  ["Ctrl K", "Search conversations"],
  ["Ctrl Shift O", "New conversation"],
  ["↑ ↓", "Move in lists and menus"],
  ["← →", "Other versions of a message or an artifact, at its version buttons"],
  ["?", "This list, outside of text fields"],
];

export function shortcutList() {
  return h(
    "dl",
    { class: "keys" },
    KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
  );
}

export function showShortcuts() {
  open({ title: "Keyboard shortcuts", size: "sm" }, shortcutList());
}
