// The composer: a draft, sent to the open conversation or to a new one; and the way to stop.

import { path, post } from "./api.js";
import { complain, guarded } from "./dom.js";
import { draw } from "./entry.js";
import { asLive, live, log, running, toBottom } from "./log.js";
import { emit, state } from "./state.js";

const draft = document.getElementById("draft");

/** Puts a text into the draft, to be changed or sent. */
export function suggest(text) {
  draft.value = text;
  grow();
  draft.focus();
}

async function send(openTalk) {
  const text = draft.value.trim();
  if (!text || state.running) return;
  draft.value = "";
  grow();
  try {
    if (!state.talk) {
      const { id } = await post("/conversations", newTalk());
      history.replaceState(null, "", `#/${id}`);
      await openTalk(id);
      emit("talks");
    }
    log.querySelector(":scope > .first")?.remove();
    const node = asLive(draw({ entry: "user", text }));
    live.set("user", { node, kind: "user" });
    log.append(node);
    toBottom();
    running(true);
    await post(path`/conversations/${state.talk.id}/messages`, { text });
  } catch (fault) {
    live.get("user")?.node.remove();
    live.delete("user");
    running(false);
    draft.value = text;
    grow();
    complain(fault);
  }
}

/** What a new conversation starts with: the model that was picked on the welcome page. */
function newTalk() {
  const model = document.getElementById("pick-model")?.value;
  return model ? { model } : {};
}

const stop = guarded(async () => {
  if (state.talk) await post(path`/conversations/${state.talk.id}/stop`);
});

function grow() {
  draft.style.height = "auto";
  draft.style.height = `${Math.min(draft.scrollHeight, innerHeight * 0.4)}px`;
}

/** `openTalk` shows a conversation that was just made. */
export function startComposer(openTalk) {
  const fine = matchMedia("(pointer: fine)");
  document
    .getElementById("composer")
    .addEventListener("submit", (event) => (event.preventDefault(), send(openTalk)));
  document.getElementById("stop").addEventListener("click", stop);
  draft.addEventListener("input", grow);
  draft.addEventListener("keydown", (event) => {
    const meant = event.ctrlKey || event.metaKey || (fine.matches && !event.shiftKey);
    if (event.key !== "Enter" || !meant || event.isComposing) return;
    event.preventDefault();
    send(openTalk);
  });
  document.addEventListener("keydown", (event) => {
    const busy = document.querySelector("dialog[open], .menu") || event.target.closest?.(".editing, .widget");
    if (event.key === "Escape" && state.running && !busy) stop();
  });
}
