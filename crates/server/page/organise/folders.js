// What can be done with a folder of conversations: rename and delete.

import { path, put, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { guarded, h, toast } from "../dom.js";
import { emit } from "../state.js";

/** Entries of the menu of a folder that shows so many conversations. */
export const folderEntries = (folder, count) => [
  { icon: "edit", label: "Rename folder…", run: () => rename(folder) },
  { icon: "trash", label: "Delete folder…", run: guarded(() => removeFolder(folder, count)) },
];

function rename({ id, name }) {
  const input = h("input", { type: "text", required: true, maxlength: "60", "aria-label": "Name of the folder", value: name });
  const save = guarded(async (event) => {
    event.preventDefault();
    await put(path`/folders/${id}`, { name: input.value });
    dialog.close();
    emit("conversations");
  });
  const dialog = open(
    { title: "Rename folder", size: "sm" },
    h("form", { class: "stack", onsubmit: save }, input, h("div", { class: "row end" }, h("button", { class: "primary" }, "Rename"))),
  );
  input.select();
}

async function removeFolder({ id, name }, count) {
  const text = count
    ? `The folder “${name}” is deleted. Its conversations are kept: they move out of the folder, back into the list.`
    : `The folder “${name}” is deleted. It has no conversations.`;
  if (!(await confirmDialog("Delete this folder?", text, "Delete folder"))) return;
  await remove(path`/folders/${id}`);
  toast("Folder deleted");
  emit("conversations");
}
