// Files of the message that is being written: added, uploaded, shown, removed, kept with the draft.

import { Fault, faultOf, path, remove } from "../api.js";
import { announce, guarded, h, iconButton, showError } from "../dom.js";
import { on, state } from "../state.js";
import { t } from "../words.js";
import { aboutFile, fileAddress, formatBytes, thumbnail } from "./message_files.js";
import { shrunk } from "./shrink_picture.js";

const place = h("ul", { class: "files draft-files", id: "files", "aria-label": t("Attached files"), hidden: true });
const note = h("p", { class: "faint files-note", role: "status", hidden: true });

/** The files of the open draft: `{ name, size, about, progress, uploaded }`; `about` is what the server says. */
let files = [];
let key = "files:";
let wasTemporary = false;

const keyOf = (conversation) => `files:${conversation?.id ?? ""}`;

/** Adds files of a person: picked, pasted, dropped or photographed. */
export const addFiles = guarded(async (picked) => {
  await state.started;
  const { perMessageMax = 20 } = state.session.files ?? {};
  const room = perMessageMax - files.length;
  if (picked.length > room) {
    showError(new Fault(0, { message: t("A message can have {n} {n:file|files}", { n: perMessageMax }), fix: t("Send the others in another message") }));
  }
  await Promise.all([...picked].slice(0, Math.max(0, room)).map(add));
});

async function add(picked) {
  const into = key;
  const file = { name: picked.name || t("picture.png"), size: picked.size, about: null, progress: 0 };
  files.push(file);
  draw();
  file.uploaded = upload(file, picked);
  try {
    file.about = await file.uploaded;
    if (files.some((other) => other !== file && other.about?.digest === file.about.digest)) drop(file);
    announce(t("{name} attached", { name: file.name }));
  } catch (fault) {
    drop(file);
    if (fault.name !== "AbortError") showError(Object.assign(fault, { message: `${file.name}: ${fault.message}` }));
  }
  if (into === key) draw();
  keep();
}

function drop(file) {
  files = files.filter((other) => other !== file);
}

/** Stores a file that is not for the draft. */
export const uploadFile = (picked) => upload({ name: picked.name, size: picked.size }, picked);

/** Sends the bytes, and shows how far it is. */
async function upload(file, picked) {
  const body = await shrunk(picked);
  const { fileBytesMax = Infinity } = state.session.files ?? {};
  file.size = body.size;
  if (body.size > fileBytesMax) {
    throw new Fault(413, { message: t("the file has more than {size}", { size: formatBytes(fileBytesMax) }), fix: t("Use a smaller file") });
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    file.request = request;
    request.open("POST", path`/api/attachments?name=${file.name}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      file.progress = total ? loaded / total : 0;
      const bar = place.querySelector(`[data-at="${files.indexOf(file)}"] progress`);
      if (bar) bar.value = file.progress;
    };
    request.onload = () =>
      request.status === 201 ? resolve(request.response) : faultOf(request.status, request.response?.error ?? {}).then(reject);
    request.onerror = () => reject(new Fault(0, { message: t("cannot reach the server") }));
    request.onabort = () => reject(Object.assign(new Error("stopped"), { name: "AbortError" }));
    request.send(body);
  });
}

/** The files for a message, once they are uploaded; the draft has none afterwards. */
export async function takeFiles() {
  await Promise.allSettled(files.map((file) => file.uploaded));
  const taken = files.map((file) => file.about).filter(Boolean);
  files = [];
  draw();
  keep();
  return taken;
}

/** Gives the files of a message back that was not sent. */
export function putBackFiles(about) {
  files = [...about.map((one) => ({ name: one.name, size: one.bytes, about: one })), ...files];
  draw();
  keep();
}

const take = (file) => () => {
  drop(file);
  file.request?.abort();
  if (file.about) remove(path`/attachments/${file.about.digest}`).catch(() => null);
  draw();
  keep();
  announce(t("{name} removed", { name: file.name }));
  document.getElementById("draft").focus();
};

/** Files are kept in the browser by their digest, one list for each conversation. */
function keep() {
  try {
    const isTemporary = state.conversation?.temporary || state.newTemporary;
    const about = (isTemporary ? [] : files).map((file) => file.about).filter(Boolean);
    if (about.length) localStorage.setItem(key, JSON.stringify(about));
    else localStorage.removeItem(key);
  } catch {
    /* storage may be switched off or full */
  }
}

/** Shows the files of the conversation that is open now. */
function show(conversation) {
  if (keyOf(conversation) === key && files.length) return;
  // Files of a temporary conversation that were not sent are in no list of this browser.
  for (const { about } of wasTemporary ? files : []) if (about) remove(path`/attachments/${about.digest}`).catch(() => null);
  wasTemporary = Boolean(conversation?.temporary || state.newTemporary);
  key = keyOf(conversation);
  let about = [];
  try {
    about = JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    /* as if there were none */
  }
  files = about.map((one) => ({ name: one.name, size: one.bytes, about: one }));
  draw();
}

function draw() {
  place.hidden = !files.length;
  place.replaceChildren(...files.map(drawFile));
  const usual = state.conversation ? state.conversation.pictures : state.session.files?.pictures;
  const pictures = state.messageModel ? (state.messageModel.pictures ?? usual) : usual;
  const unseen = pictures === false && files.some((file) => file.about?.isPicture);
  note.hidden = !unseen;
  note.textContent = unseen ? t("This model cannot see pictures. It is told that there is one.") : "";
}

function drawFile(file, index) {
  const { name, size, about } = file;
  return h(
    "li",
    { "data-at": index, "aria-busy": about ? null : "true" },
    thumbnail(about ?? { name }),
    h(
      "span",
      { class: "grow file-words" },
      about
        ? h("a", { class: "file-name", href: fileAddress(about), target: "_blank", rel: "noopener" }, name)
        : h("span", { class: "file-name" }, name),
      about
        ? h("span", { class: "faint" }, aboutFile(about))
        : h("progress", { max: "1", value: file.progress, "aria-label": t("Uploading {name}, {size}", { name, size: formatBytes(size) }) }),
    ),
    iconButton("x", t("Remove {name}", { name }), take(file)),
  );
}

/** Opens the picker; `camera` takes a photograph where the device has a camera. */
export function pickFiles({ camera = false } = {}) {
  const input = h("input", { type: "file", hidden: true, id: "pick-files", multiple: !camera });
  if (camera) for (const [name, value] of [["accept", "image/*"], ["capture", "environment"]]) input.setAttribute(name, value);
  input.addEventListener("change", () => (addFiles(input.files), input.remove()));
  input.addEventListener("cancel", () => input.remove());
  document.body.append(input);
  input.click();
}

document.getElementById("composer").before(note, place);
on("conversation", show);
on("message_model", draw);
key = "";
show(state.conversation ?? { id: location.hash.startsWith("#/") ? decodeURIComponent(location.hash.slice(2)) : "" });
