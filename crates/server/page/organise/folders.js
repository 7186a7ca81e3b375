// What can be done with a folder of conversations: rename and delete.

import { path, put, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { guarded, h, toast } from "../dom.js";
import { emit } from "../state.js";
import { t } from "../words.js";

/** Entries of the menu of a folder that shows so many conversations. */
export const folderEntries = (folder, count) => [
  { icon: "edit", label: t("Rename folder…"), run: () => rename(folder) },
  { icon: "trash", label: t("Delete folder…"), run: guarded(() => removeFolder(folder, count)) },
];

function rename({ id, name }) {
  const input = h("input", { type: "text", required: true, maxlength: "60", "aria-label": t("Name of the folder"), value: name });
  const save = guarded(async (event) => {
    event.preventDefault();
    await put(path`/folders/${id}`, { name: input.value });
    dialog.close();
    emit("conversations");
  });
  const dialog = open(
    { title: t("Rename folder"), size: "sm" },
    h("form", { class: "stack", onsubmit: save }, input, h("div", { class: "row end" }, h("button", { class: "primary" }, t("Rename")))),
  );
  input.select();
}

async function removeFolder({ id, name }, count) {
  const text = count
    ? t("The folder “{name}” is deleted. Its conversations are kept: they move out of the folder, back into the list.", { name })
    : t("The folder “{name}” is deleted. It has no conversations.", { name });
  if (!(await confirmDialog(t("Delete this folder?"), text, t("Delete folder")))) return;
  await remove(path`/folders/${id}`);
  toast(t("Folder deleted"));
  emit("conversations");
}
