// Conversations that are dragged in the list: into a folder, out of folders, into the archive. The menu of a
// row does the same without a pointer.

import { guarded } from "../dom.js";
import { t } from "../words.js";
import { organise } from "./row_menu.js";

const list = document.getElementById("conversations");
let dragged = null; // the conversation
let target = null; // the element that would take it

/** Called when a drag begins. */
export function beginDrag(conversation) {
  dragged = conversation;
  list.classList.add("dragging");
}

/** What takes a conversation at this element, and what that changes; null if it is there already. */
function changeAt(element) {
  const folder = element.closest("[data-folder]");
  if (folder) {
    const isThere = dragged.folder === folder.dataset.folder && !dragged.pinned;
    return isThere ? null : { element: folder, change: { folder: folder.dataset.folder, pinned: false }, done: t("Moved") };
  }
  const archive = element.closest(".archive-entry");
  if (archive) return { element: archive, change: { archived: true }, done: t("Archived") };
  return dragged.folder ? { element: list, change: { folder: null }, done: t("Moved out of its folder") } : null;
}

function mark(element) {
  if (element === target) return;
  target?.classList.remove("drop-here");
  element?.classList.add("drop-here");
  target = element;
}

list.addEventListener("dragover", (event) => {
  const found = dragged && changeAt(event.target);
  mark(found?.element ?? null);
  if (!found) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "move";
});
list.addEventListener("dragleave", (event) => list.contains(event.relatedTarget) || mark(null));
list.addEventListener(
  "drop",
  guarded(async (event) => {
    const found = dragged && changeAt(event.target);
    const conversation = dragged;
    end();
    if (!found) return;
    event.preventDefault();
    await organise(conversation, found.change, found.done);
  }),
);

function end() {
  dragged = null;
  mark(null);
  list.classList.remove("dragging");
}

document.addEventListener("dragend", end);
