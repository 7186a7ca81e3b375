// The composer: the draft of each conversation, the keys that send it, and stopping.

import { guarded } from "../dom.js";
import { on, state } from "../state.js";

const draft = document.getElementById("draft");

/** Loaded with the first keystroke, not with the page. */
const loadSend = () => import("./send.js");

/** Puts text into the draft. */
export function suggest(text) {
  draft.value = text;
  resize();
  keepDraft();
  draft.focus();
  loadSend();
}

/** Gives a text that was not sent back to the person. */
export function putBack(text) {
  suggest([text, draft.value].filter((one) => one.trim()).join("\n\n"));
}

const DRAFTS_MAX = 50;
let draftKey = "draft:";

/** Drafts are kept in the browser, one for each conversation. */
function keepDraft() {
  try {
    localStorage.removeItem(draftKey);
    if (draft.value.trim()) localStorage.setItem(draftKey, draft.value);
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
  if (!text) return;
  draft.value = "";
  resize();
  keepDraft();
  try {
    await state.started;
    if (state.running) await (await import("./queue.js")).enqueue(text);
    else await (await loadSend()).send(text);
  } catch (fault) {
    putBack(text);
    throw fault;
  }
});

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
