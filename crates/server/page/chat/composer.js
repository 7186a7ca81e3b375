// The composer: the draft, the keys that send it, and stopping.

import { guarded } from "../dom.js";
import { state } from "../state.js";

const draft = document.getElementById("draft");

/** Loaded with the first keystroke, not with the page. */
const loadSend = () => import("./send.js");

/** Puts text into the draft. */
export function suggest(text) {
  draft.value = text;
  resize();
  draft.focus();
  loadSend();
}

const send = guarded(async () => {
  const text = draft.value.trim();
  if (!text || state.running) return;
  draft.value = "";
  resize();
  try {
    await state.started;
    await (await loadSend()).send(text);
  } catch (fault) {
    draft.value = text;
    resize();
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
  const mouse = matchMedia("(pointer: fine)");
  document
    .getElementById("composer")
    .addEventListener("submit", (event) => (event.preventDefault(), send()));
  document.getElementById("stop").addEventListener("click", stop);
  document.getElementById("talk").addEventListener("click", talk);
  draft.addEventListener("input", resize);
  draft.addEventListener("input", loadSend, { once: true });
  draft.addEventListener("keydown", (event) => {
    const sends = event.ctrlKey || event.metaKey || (mouse.matches && !event.shiftKey);
    if (event.key !== "Enter" || !sends || event.isComposing) return;
    event.preventDefault();
    send();
  });
  document.addEventListener("keydown", (event) => {
    const isBusy = document.querySelector("dialog[open], .menu") || event.target.closest?.(".editing, .widget");
    if (event.key === "Escape" && state.running && !isBusy) stop();
  });
}
