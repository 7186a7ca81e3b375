// A temporary conversation: marked as such, and deleted when the person goes elsewhere in the page.
// The server deletes it by itself a while after the page was closed.

import { path, remove } from "../api.js";
import { guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { on, state } from "../state.js";
import { t } from "../words.js";
import { forgetDraft } from "./row_menu.js";

const words = h("span", { class: "grow" });
const end = h("button", { type: "button", class: "outline sm" }, t("End now"));
const note = h("p", { class: "temporary-note", id: "temporary", role: "note", hidden: true }, icon("temporary"), words, end);
let current = null;

/** Marks the open conversation, or the one that the next message begins. */
export function showTemporary(conversation = null) {
  if (conversation && state.conversation?.id !== conversation.id) return;
  current = conversation?.id ?? null;
  words.textContent = conversation
    ? t("Temporary: in no list, and deleted when you leave it.")
    : t("Temporary: the next message begins a conversation that is deleted when you leave it.");
  end.hidden = !conversation;
  note.hidden = false;
  document.querySelector("main").classList.add("is-temporary");
}

async function erase(id) {
  forgetDraft(id);
  await remove(path`/conversations/${id}`).catch((fault) => {
    if (fault.status !== 404) throw fault;
  });
}

/** Another conversation, or none, is open now. */
const follow = guarded(async (conversation) => {
  if (conversation?.id === current && current) return;
  const left = current;
  current = null;
  note.hidden = true;
  document.querySelector("main").classList.remove("is-temporary");
  if (left) await erase(left);
});

end.addEventListener("click", () => {
  location.hash = "#/";
  toast(t("The temporary conversation is deleted."));
});
document.querySelector(".bar").after(note);
on("conversation", follow);
