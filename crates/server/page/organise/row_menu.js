// What can be done with a conversation in the list: pin, move, tag, share, archive, delete.

import { get, patch, path, post, remove } from "../api.js";
import { confirmDialog, open } from "../dialog.js";
import { announce, guarded, h, toast } from "../dom.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";

/** Entries of the menu of a row. */
export function rowEntries(conversation) {
  const { pinned = false, archived = false } = conversation;
  const setPinned = () => organise(conversation, { pinned: !pinned }, pinned ? t("Unpinned") : t("Pinned"));
  const setArchived = () => organise(conversation, { archived: !archived }, archived ? t("Restored") : t("Archived"));
  return [
    ...(archived ? [] : [{ icon: "pin", label: pinned ? t("Unpin") : t("Pin"), run: guarded(setPinned) }]),
    { icon: "folder", label: t("Move to folder…"), run: () => move(conversation) },
    { icon: "tag", label: t("Tags…"), run: guarded(() => editTags(conversation)) },
    { icon: "share", label: t("Share…"), run: guarded(async () => (await import("./share.js")).showShares(conversation)) },
    { icon: "archive", label: archived ? t("Restore from the archive") : t("Archive"), run: guarded(setArchived) },
    { icon: "trash", label: t("Delete…"), run: guarded(() => removeConversation(conversation)) },
  ];
}

/** Changes where a conversation is, and says so. */
export async function organise({ id }, change, done) {
  await patch(path`/conversations/${id}`, change);
  if (done) toast(done);
  emit("conversations");
}

export async function removeConversation({ id, title }) {
  const confirmed = await confirmDialog(
    t("Delete this conversation?"),
    t("“{name}” and the data tools stored for it will be deleted.", { name: title || t("New conversation") }),
    t("Delete"),
  );
  if (!confirmed) return false;
  await remove(path`/conversations/${id}`);
  toast(t("Deleted"));
  forgetDraft(id);
  if (state.conversation?.id === id) location.hash = "#/";
  emit("conversations");
  return true;
}

/** What the browser keeps for a conversation. */
export function forgetDraft(id) {
  try {
    for (const key of [`draft:${id}`, `files:${id}`]) localStorage.removeItem(key);
    sessionStorage.removeItem(`queue:${id}`);
  } catch {
    /* storage may be switched off */
  }
}

const NEW = "new";

function move(conversation) {
  const folders = state.folders ?? [];
  const name = h("input", { type: "text", id: "folder-name", maxlength: "60", autocomplete: "off" });
  const nameField = h("div", { class: "field" }, h("label", { for: "folder-name" }, t("Name of the new folder")), name);
  const option = (value, text) => h("option", { value }, text);
  const select = h(
    "select",
    { id: "folder-choice" },
    option("", t("No folder")),
    folders.map((folder) => option(folder.id, folder.name)),
    option(NEW, t("New folder…")),
  );
  select.value = conversation.folder ?? (folders.length ? "" : NEW);
  const follow = () => {
    nameField.hidden = select.value !== NEW;
    name.required = select.value === NEW;
  };
  select.addEventListener("change", follow);
  follow();
  const save = guarded(async (event) => {
    event.preventDefault();
    const isNew = select.value === NEW;
    const created = isNew ? await post("/folders", { name: name.value }) : null;
    if (created) state.folders = [...folders, created];
    await organise(conversation, { folder: created?.id ?? (select.value || null) }, t("Moved"));
    dialog.close();
  });
  const dialog = open(
    { title: t("Move to folder"), size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      h("div", { class: "field" }, h("label", { for: "folder-choice" }, t("Folder")), select),
      nameField,
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("Move"))),
    ),
  );
  (nameField.hidden ? select : name).focus();
}

/** Tags are words in one field; those of other conversations are buttons. */
async function editTags(conversation) {
  const words = () => input.value.toLowerCase().split(/[\s,#]+/).filter(Boolean);
  const input = h("input", { type: "text", id: "tag-words", autocomplete: "off", maxlength: "900" });
  input.value = (conversation.tags ?? []).join(" ");
  const others = [...new Set((await get("/conversations?archived=all")).flatMap((one) => one.tags ?? []))].sort();
  const buttons = others.slice(0, 60).map((tag) => h("button", { type: "button", class: "tag", onclick: () => toggle(tag) }, tag));
  const draw = () => {
    for (const one of buttons) one.setAttribute("aria-pressed", String(words().includes(one.textContent)));
  };
  const toggle = (tag) => {
    const now = words();
    input.value = (now.includes(tag) ? now.filter((one) => one !== tag) : [...now, tag]).join(" ");
    draw();
    announce(now.includes(tag) ? t("Tag {name} removed", { name: tag }) : t("Tag {name} added", { name: tag }));
  };
  input.addEventListener("input", draw);
  draw();
  const save = guarded(async (event) => {
    event.preventDefault();
    await organise(conversation, { tags: words() }, t("Saved"));
    dialog.close();
  });
  const dialog = open(
    { title: t("Tags"), size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      h("div", { class: "field" }, h("label", { for: "tag-words" }, t("Tags, separated by spaces")), input),
      buttons.length ? h("div", { class: "row", role: "group", "aria-label": t("Tags of your conversations") }, buttons) : null,
      h("p", { class: "faint" }, t("Search for tag:name to see the conversations with a tag.")),
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("Save"))),
    ),
  );
  input.focus();
}
