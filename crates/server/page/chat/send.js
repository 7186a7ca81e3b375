// Says something in the open conversation, or in a new one; stops the answer.

import { path, post } from "../api.js";
import { emit, state } from "../state.js";
import { openTalk } from "./conversation.js";
import { draw } from "./entry.js";
import { asLive, live, log, running, toBottom } from "./log.js";

export async function send(text) {
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
    throw fault;
  }
}

/** What a new conversation starts with: the model that was picked on the welcome page. */
function newTalk() {
  const model = document.getElementById("pick-model")?.value;
  return model ? { model } : {};
}

export async function stop() {
  if (state.talk) await post(path`/conversations/${state.talk.id}/stop`);
}
