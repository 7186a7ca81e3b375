// The composer: the draft of each conversation, the keys that send it, its files, and stopping.

import { guarded } from "../dom.js";
import { attachMenu } from "../menu.js";
import { on, state } from "../state.js";
import { t } from "../words.js";

const draft = document.getElementById("draft");

/** Loaded with the first keystroke, not with the page. */
const loadSend = () => import("./send.js");

/** Files are loaded with the first one. */
let filesModule = null;
const loadFiles = () => (filesModule ??= import("./attachments.js"));

/** Puts text into the draft. */
export function suggest(text) {
  draft.value = text;
  resize();
  keepDraft();
  draft.focus();
  loadSend();
}

/** Gives a message that was not sent back to the person. */
export async function putBack(text, files = []) {
  suggest([text, draft.value].filter((one) => one.trim()).join("\n\n"));
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
  try {
    await state.started;
    if (state.running) await (await import("./queue.js")).enqueue(text, files);
    else await (await loadSend()).send(text, files);
  } catch (fault) {
    putBack(text, files);
    throw fault;
  }
});

const addFiles = guarded(async (files) => (await loadFiles()).addFiles(files));
const pickFiles = guarded(async (how) => (await loadFiles()).pickFiles(how));

/** Files that are pasted into the draft or dropped on the page. */
function takeFiles() {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  draft.addEventListener("paste", (event) => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    addFiles([...event.clipboardData.files]);
  });
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event) || event.target.closest("dialog")) return;
    event.preventDefault();
    addFiles([...event.dataTransfer.files]);
  });
  const attach = document.getElementById("attach");
  if (!matchMedia("(pointer: coarse)").matches) return attach.addEventListener("click", () => pickFiles());
  return attachMenu(attach, () => [
    { icon: "file", label: t("Choose files…"), run: () => pickFiles() },
    { icon: "camera", label: t("Take a photograph…"), run: () => pickFiles({ camera: true }) },
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

function resize() {
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
  });
}
