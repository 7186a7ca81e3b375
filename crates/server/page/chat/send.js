// Sends a message in the open conversation, or in a new one; stops a running turn.

import { path, post } from "../api.js";
import { emit, state } from "../state.js";
import { drawEntry } from "./entry.js";
import { live, log, markLive, scrollToBottom, setRunning } from "./log.js";

export async function send(text, files = []) {
  try {
    if (!state.conversation) {
      const { id } = await post("/conversations", newConversation());
      state.newTemporary = false;
      history.replaceState(null, "", `#/${id}`);
      await (await import("./conversation.js")).openConversation(id);
      emit("conversations");
    }
    log.querySelector(":scope > .first")?.remove();
    const node = markLive(drawEntry({ entry: "user", text, files }));
    live.set("user", { node, kind: "user" });
    log.append(node);
    scrollToBottom();
    setRunning(true);
    await post(path`/conversations/${state.conversation.id}/messages`, message(text, files));
  } catch (fault) {
    live.get("user")?.node.remove();
    live.delete("user");
    setRunning(false);
    throw fault;
  }
}

/** The request body of a message: files by digest. */
function message(text, files) {
  return files.length ? { text, files: files.map(({ digest, name }) => ({ digest, name })) } : { text };
}

/** The request body: the model that was picked for it, if any, and whether it is temporary. */
const newConversation = () => ({
  ...(state.newModel ? { model: state.newModel } : {}),
  ...(state.newTemporary ? { temporary: true } : {}),
});

export async function stop() {
  if (state.conversation) await post(path`/conversations/${state.conversation.id}/stop`);
}
