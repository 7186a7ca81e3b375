// Sends a message in the open conversation, or in a new one; stops a running turn.

import { path, post } from "../api.js";
import { emit, state } from "../state.js";
import { openConversation } from "./conversation.js";
import { drawEntry } from "./entry.js";
import { live, log, markLive, scrollToBottom, setRunning } from "./log.js";

export async function send(text) {
  try {
    if (!state.conversation) {
      const { id } = await post("/conversations", newConversation());
      history.replaceState(null, "", `#/${id}`);
      await openConversation(id);
      emit("conversations");
    }
    log.querySelector(":scope > .first")?.remove();
    const node = markLive(drawEntry({ entry: "user", text }));
    live.set("user", { node, kind: "user" });
    log.append(node);
    scrollToBottom();
    setRunning(true);
    await post(path`/conversations/${state.conversation.id}/messages`, { text });
  } catch (fault) {
    live.get("user")?.node.remove();
    live.delete("user");
    setRunning(false);
    throw fault;
  }
}

/** The request body: the model picked on the welcome screen, if any. */
function newConversation() {
  const model = document.getElementById("pick-model")?.value;
  return model ? { model } : {};
}

export async function stop() {
  if (state.conversation) await post(path`/conversations/${state.conversation.id}/stop`);
}
