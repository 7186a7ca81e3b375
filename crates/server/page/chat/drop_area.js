// Shows where files can be dropped while some are dragged over the page: on the message, or, in a dialog, on
// what takes files there (`data-drops`).

import { h } from "../dom.js";
import { icon } from "../icon.js";
import { t } from "../words.js";

const area = h("div", { class: "drop-area", id: "drop-area", "aria-hidden": "true", hidden: true }, h("p", {}, icon("clip"), t("Drop files to attach them to the message")));
let target = null; // what the pointer is over

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
const takes = (element) => element?.closest?.("[data-drops]") ?? null;

/** Called when a drag enters the page for the first time; from then on it shows and hides itself. */
export function showDropArea() {
  if (area.isConnected) return;
  document.body.append(area);
  area.hidden = Boolean(document.querySelector("dialog[open]"));
}

function mark(element) {
  if (element === target) return;
  target?.classList.remove("drop-here");
  element?.classList.add("drop-here");
  target = element;
}

function end() {
  area.hidden = true;
  mark(null);
}

document.addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  const isDialog = document.querySelector("dialog[open]") !== null;
  area.hidden = isDialog;
  mark(isDialog ? takes(event.target) : null);
  event.dataTransfer.dropEffect = isDialog && !target ? "none" : "copy";
});
// Leaving the window has no element that is entered.
document.addEventListener("dragleave", (event) => event.relatedTarget === null && end());
document.addEventListener("drop", end);
document.addEventListener("dragend", end);
