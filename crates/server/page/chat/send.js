// Sends a message in the open conversation, or in a new one; stops a running turn.

import { path, post } from "../api.js";
import { emit, state } from "../state.js";
import { drawEntry } from "./entry.js";
import { live, log, markLive, scrollToBottom, setRunning } from "./log.js";

/** `model` answers this message instead of the conversation's. */
export async function send(text, files = [], model = null) {
  try {
    if (!state.conversation) {
      const { id } = await post("/conversations", newConversation());
      state.newTemporary = false;
      history.replaceState(null, "", `#/${id}`);
      await (await import("./conversation.js")).openConversation(id);
      emit("conversations");
    }
    log.querySelector(":scope > .first")?.remove();
    const node = markLive(drawEntry({ entry: "user", text, files, model: model?.id }));
    live.set("user", { node, kind: "user" });
    log.append(node);
    scrollToBottom();
    setRunning(true);
    await post(path`/conversations/${state.conversation.id}/messages`, message(text, files, model));
  } catch (fault) {
    live.get("user")?.node.remove();
    live.delete("user");
    setRunning(false);
    throw fault;
  }
}

/** The request body of a message: files by digest. */
const message = (text, files, model) => ({
  text,
  ...(files.length ? { files: files.map(({ digest, name }) => ({ digest, name })) } : {}),
  ...(model ? { model: model.id } : {}),
});

/** The request body: the model that was picked for it, if any, and whether it is temporary. */
const newConversation = () => ({
  ...(state.newModel ? { model: state.newModel } : {}),
  ...(state.newTemporary ? { temporary: true } : {}),
});

export async function stop() {
  if (state.conversation) await post(path`/conversations/${state.conversation.id}/stop`);
}
