// The panel “Documents”: folders that models search, of all conversations or of the open one.

import { get, path, post, remove } from "../api.js";
import { uploadFile } from "../chat/attachments.js";
import { aboutFile, fileAddress } from "../chat/message_files.js";
import { openLoaded } from "../dialog.js";
import { announce, guarded, h, iconButton, showError, toast } from "../dom.js";
import { icon } from "../icon.js";
import { state } from "../state.js";
import { t } from "../words.js";

const STATES = { ready: t("ready") };

export const showDocuments = () =>
  openLoaded({ title: t("Documents"), kind: "panel" }, async () => {
    const list = h("div", { class: "stack", id: "folders" });
    await fill(list);
    return [intro(), newFolder(list), list];
  });

const intro = () =>
  h("p", { class: "faint" }, t("Models search these folders with the tool search_documents, and cite what they use."));

const here = () => (state.conversation ? path`?conversation=${state.conversation.id}` : "");

async function fill(list) {
  const [folders, embeddings] = await Promise.all([get(`/kb${here()}`), get("/kb/embeddings")]);
  list.replaceChildren(...(embeddings ? [drawEmbeddings(embeddings)] : []), ...folders.map((folder) => drawFolder(folder, list)));
  if (!folders.length) list.append(h("p", { class: "faint" }, t("No folders yet.")));
}

/** How far the documents can be searched by their meaning, and why not further. */
const drawEmbeddings = ({ model, passages, embedded, notice }) =>
  h(
    "div",
    { class: "stack", id: "embeddings" },
    h("p", { class: "faint" }, t("Searched by words and by meaning ({model}): {embedded} of {passages} passages.", { model, embedded, passages })),
    notice ? h("p", { role: "status" }, notice) : null,
  );

/** A form for a new folder; one of this conversation is deleted with it. */
function newFolder(list) {
  const name = h("input", { type: "text", required: true, maxlength: "100", "aria-label": t("Name of the folder"), placeholder: t("New folder") });
  const only = h("input", { type: "checkbox", id: "folder-here", disabled: !state.conversation });
  const create = guarded(async (event) => {
    event.preventDefault();
    const conversation = only.checked ? { conversation: state.conversation.id } : {};
    await post("/kb", { name: name.value.trim(), ...conversation });
    name.value = "";
    await fill(list);
  });
  return h(
    "form",
    { class: "stack", onsubmit: create },
    h("div", { class: "row" }, name, h("button", { class: "primary" }, t("Create"))),
    h("label", { class: "row", for: "folder-here" }, only, t("Only in this conversation")),
  );
}

function drawFolder(folder, list) {
  const reload = () => fill(list);
  const add = (files) => addFiles(folder, files).then(reload);
  const input = h("input", { type: "file", multiple: true, hidden: true, "data-folder": folder.id });
  input.addEventListener("change", guarded(() => add([...input.files])));
  const section = h(
    "section",
    { class: "card stack folder", "aria-label": folder.name, "data-drops": "" },
    h(
      "div",
      { class: "row" },
      h("h3", { class: "grow" }, folder.name),
      folder.conversation ? h("span", { class: "faint" }, t("only here")) : null,
      h("button", { type: "button", class: "outline sm", onclick: () => input.click() }, icon("plus"), t("Add files")),
      iconButton("trash", t("Delete the folder {name}", { name: folder.name }), guarded(() => remove(path`/kb/${folder.id}`).then(reload))),
    ),
    h("ul", { class: "files draft-files" }, folder.files.map((file) => drawFile(folder, file, reload))),
    folder.files.length ? null : h("p", { class: "faint" }, t("Drop files here, or add them.")),
    input,
  );
  section.addEventListener("drop", guarded(({ dataTransfer }) => dataTransfer.files.length && add([...dataTransfer.files])));
  return section;
}

function drawFile(folder, file, reload) {
  const take = guarded(() => remove(path`/kb/${folder.id}/files/${file.digest}`).then(reload));
  return h(
    "li",
    {},
    h("span", { class: "thumb" }, icon("file")),
    h(
      "span",
      { class: "grow file-words" },
      h("a", { class: "file-name", href: fileAddress(file), target: "_blank", rel: "noopener" }, file.name),
      h("span", { class: "faint" }, `${aboutFile(file)} · ${STATES[file.state] ?? file.state}`),
    ),
    iconButton("x", t("Remove {name}", { name: file.name }), take),
  );
}

/** Uploads files one after the other; those that are refused do not stop the others. */
async function addFiles(folder, files) {
  let added = 0;
  for (const file of files) {
    try {
      const { digest, name } = await uploadFile(file);
      await post(path`/kb/${folder.id}/files`, { digest, name });
      added += 1;
    } catch (fault) {
      showError(Object.assign(fault, { message: `${file.name}: ${fault.message}` }));
    }
  }
  if (added) toast(t("{n} {n:document|documents} added", { n: added }));
  announce(t("{n} {n:document|documents} added to {name}", { n: added, name: folder.name }));
}
