// The composer: a draft, the keys that send it, and the way to stop.

import { guarded } from "../dom.js";
import { state } from "../state.js";

const draft = document.getElementById("draft");

/** What sends and stops is fetched when it is first wanted. */
const sending = () => import("./send.js");

/** Puts a text into the draft, to be changed or sent. */
export function suggest(text) {
  draft.value = text;
  grow();
  draft.focus();
  sending();
}

const send = guarded(async () => {
  const text = draft.value.trim();
  if (!text || state.running) return;
  draft.value = "";
  grow();
  try {
    await state.started;
    await (await sending()).send(text);
  } catch (fault) {
    draft.value = text;
    grow();
    throw fault;
  }
});

const stop = guarded(async () => (await sending()).stop());

function grow() {
  draft.style.height = "auto";
  draft.style.height = `${Math.min(draft.scrollHeight, innerHeight * 0.4)}px`;
}

export function startComposer() {
  const fine = matchMedia("(pointer: fine)");
  document
    .getElementById("composer")
    .addEventListener("submit", (event) => (event.preventDefault(), send()));
  document.getElementById("stop").addEventListener("click", stop);
  draft.addEventListener("input", grow);
  draft.addEventListener("input", sending, { once: true });
  draft.addEventListener("keydown", (event) => {
    const meant = event.ctrlKey || event.metaKey || (fine.matches && !event.shiftKey);
    if (event.key !== "Enter" || !meant || event.isComposing) return;
    event.preventDefault();
    send();
  });
  document.addEventListener("keydown", (event) => {
    const busy = document.querySelector("dialog[open], .menu") || event.target.closest?.(".editing, .widget");
    if (event.key === "Escape" && state.running && !busy) stop();
  });
}
