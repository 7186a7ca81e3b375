// The composer: the draft of each conversation, the keys that send it, its files, and stopping.

import { guarded } from "../dom.js";
import { attachMenu } from "../menu.js";
import { emit, on, state } from "../state.js";
import { t } from "../words.js";

const draft = document.getElementById("draft");

/** Loaded with the first keystroke, not with the page. */
const loadSend = () => import("./send.js");

/** Files are loaded with the first one. */
let filesModule = null;
const loadFiles = () => (filesModule ??= import("./attachments.js"));

/** Loaded with the first model that is picked for one message. */
const loadMessageModel = () => import("./message_model.js");

/** Puts text into the draft. */
export function suggest(text) {
  draft.value = text;
  resize();
  keepDraft();
  draft.focus();
  loadSend();
}

/** Gives a message that was not sent back to the person. */
export async function putBack(text, files = [], model = null) {
  suggest([text, draft.value].filter((one) => one.trim()).join("\n\n"));
  if (model) (await loadMessageModel()).useForMessage(model);
  if (files.length) (await loadFiles()).putBackFiles(files);
}

const DRAFTS_MAX = 50;
let draftKey = "draft:";

const isTemporary = () => state.conversation?.temporary || state.newTemporary;

/** Drafts are kept in the browser, one for each conversation. */
function keepDraft() {
  try {
    localStorage.removeItem(draftKey);
    if (draft.value.trim() && !isTemporary()) localStorage.setItem(draftKey, draft.value);
    const drafts = Object.keys(localStorage).filter((key) => key.startsWith("draft:") && key !== draftKey);
    for (const key of drafts.slice(0, Math.max(0, drafts.length + 1 - DRAFTS_MAX))) localStorage.removeItem(key);
  } catch {
    /* storage may be switched off or full */
  }
}

/** Shows the draft of the conversation that is open now. */
function showDraft(conversation) {
  const key = `draft:${conversation?.id ?? ""}`;
  if (key === draftKey && draft.value) return;
  draftKey = key;
  try {
    draft.value = localStorage.getItem(key) ?? "";
  } catch {
    draft.value = "";
  }
  resize();
}

const send = guarded(async () => {
  const text = draft.value.trim();
  if (!text && !filesModule) return;
  const files = filesModule ? await (await loadFiles()).takeFiles() : [];
  if (!text && !files.length) return;
  draft.value = "";
  resize();
  keepDraft();
  const model = takeModel();
  try {
    await state.started;
    if (state.running) await (await import("./queue.js")).enqueue(text, files, model);
    else await (await loadSend()).send(text, files, model);
  } catch (fault) {
    putBack(text, files, model);
    throw fault;
  }
});

/** The model that was picked for this message alone; the next message has none. */
function takeModel() {
  const { messageModel = null } = state;
  state.messageModel = null;
  emit("message_model");
  return messageModel;
}

const pickModel = guarded(async () => (await loadMessageModel()).pickForMessage());

const addFiles = guarded(async (files) => (await loadFiles()).addFiles(files));
const pickFiles = guarded(async (how) => (await loadFiles()).pickFiles(how));

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");

/** Shows where files can be dropped; loaded with the first one that is dragged here. */
const loadDrops = guarded(async () => (await import("./drop_area.js")).showDropArea());

/** Files that are pasted into the draft or dropped on the page. */
function takeFiles() {
  draft.addEventListener("paste", (event) => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    addFiles([...event.clipboardData.files]);
  });
  document.addEventListener("dragenter", (event) => hasFiles(event) && loadDrops());
  for (const type of ["dragover", "drop"])
    document.addEventListener(type, (event) => hasFiles(event) && event.preventDefault()); // never leave the page for a file
  document.addEventListener("drop", (event) => {
    if (hasFiles(event) && !event.target.closest("dialog")) addFiles([...event.dataTransfer.files]);
  });
  const attach = document.getElementById("attach");
  if (!matchMedia("(pointer: coarse)").matches) return attach.addEventListener("click", () => pickFiles());
  return attachMenu(attach, () => [
    { icon: "file", label: t("Choose files…"), run: () => pickFiles() },
    { icon: "camera", label: t("Take a photograph…"), run: () => pickFiles({ camera: true }) },
    { icon: "sparkles", label: t("Model for this message…"), run: pickModel },
  ]);
}

/** Files of the draft that was left. */
function hasKeptFiles({ id = "" } = {}) {
  try {
    return localStorage.getItem(`files:${id}`) !== null;
  } catch {
    return false;
  }
}

/** Talking is loaded with the first click; the view is in another crate of the server. */
const talk = guarded(async () => {
  await state.started;
  await (await import("../voice/talk.js")).talk();
});

const stop = guarded(async () => (await loadSend()).stop());

const fitsItself = CSS.supports("field-sizing", "content");

/** Fits the field to its text, where the browser does not: that is two layouts for each key. */
function resize() {
  if (fitsItself) return;
  draft.style.height = "auto";
  draft.style.height = `${Math.min(draft.scrollHeight, innerHeight * 0.4)}px`;
}

export function startComposer() {
  const touch = matchMedia("(pointer: coarse)");
  document
    .getElementById("composer")
    .addEventListener("submit", (event) => (event.preventDefault(), send()));
  document.getElementById("stop").addEventListener("click", stop);
  document.getElementById("talk").addEventListener("click", talk);
  document.getElementById("message-model").addEventListener("click", pickModel);
  draft.addEventListener("input", resize);
  draft.addEventListener("input", keepDraft);
  showDraft({ id: location.hash.startsWith("#/") ? decodeURIComponent(location.hash.slice(2)) : "" });
  on("conversation", showDraft);
  takeFiles();
  on("conversation", (conversation) => hasKeptFiles(conversation ?? {}) && loadFiles());
  draft.addEventListener("input", loadSend, { once: true });
  draft.addEventListener("keydown", (event) => {
    const sends = event.ctrlKey || event.metaKey || (!touch.matches && !event.shiftKey);
    if (event.key !== "Enter" || !sends || event.isComposing) return;
    event.preventDefault();
    send();
  });
  document.addEventListener("keydown", (event) => {
    const isBusy = document.querySelector("dialog[open], .menu") || event.target.closest?.(".editing, .widget");
    if (event.key === "Escape" && state.running && !isBusy) stop();
    // By its place on the keyboard, for layouts without this letter.
    const isM = event.code === "KeyM" || event.key.toLowerCase() === "m";
    if (!isM || !event.altKey || event.ctrlKey || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    pickModel();
  });
}
