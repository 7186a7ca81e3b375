// Actions on a message: edit, regenerate, branch, delete. And renaming the conversation.

import { path, post, put, remove } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, toast } from "../dom.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";
import { send } from "./send.js";

const conversationPath = () => path`/conversations/${state.conversation.id}`;

/** Passed to `drawEntry`; an action that is missing has no button. */
export const messageActions = {
  /** Turns the message into a text field; sending it continues the conversation from there. */
  edit(entry, article) {
    const before = [...article.childNodes];
    const button = document.activeElement;
    const cancel = () => {
      article.replaceChildren(...before);
      button.focus();
    };
    const input = h("textarea", { rows: "3", "aria-label": t("Your message"), value: entry.text });
    const send = guarded(async (event) => {
      event.preventDefault();
      if (!input.value.trim()) return;
      await post(`${conversationPath()}/edit`, { turn: entry.turn, text: input.value });
      emit("reload");
    });
    const onkeydown = (event) => {
      if (event.key === "Escape") cancel();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
    };
    article.replaceChildren(
      h(
        "form",
        { class: "editing", onsubmit: send, onkeydown },
        input,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "ghost", onclick: cancel }, t("Cancel")),
          h("button", { class: "primary" }, t("Send")),
        ),
      ),
    );
    input.focus();
  },

  regenerate: guarded(async ({ turn }) => {
    await post(`${conversationPath()}/regenerate`, { turn });
    emit("reload");
  }),

  /** Shows the version of a message that begins with `turn`; the focus stays on the button with this class. */
  choose: guarded(async (turn, button) => {
    await post(`${conversationPath()}/version`, { turn });
    await (await import("./conversation.js")).openConversation(state.conversation.id);
    const shown = document.querySelector(`[data-turn="${turn}"]`);
    shown?.scrollIntoView({ block: "nearest" });
    const buttons = [...(shown?.querySelectorAll(".versions button:enabled") ?? [])];
    (buttons.find((one) => one.classList.contains(button)) ?? buttons[0])?.focus();
  }),
  /** The same with a model that is picked for this answer only. */
  regenerateWith: guarded(async (entry) => (await import("./model_picker.js")).pickForTurn(entry)),

  /** Asks the model to go on where its answer stopped. */
  proceed: guarded(() => send(t("Continue."))),

  branch: guarded(async (entry) => {
    const from = entry.event === undefined ? { turn: entry.turn } : { event: entry.event };
    const { id } = await post(`${conversationPath()}/branch`, from);
    toast(t("Branch created. The original conversation is unchanged."));
    emit("conversations");
    location.hash = `#/${id}`;
  }),

  /** Asks what to delete: one message with its answer, or everything from there on. */
  remove({ turn }) {
    const removeFrom = (after) =>
      guarded(async () => {
        dialog.close();
        await remove(`${conversationPath()}/messages/${turn}${after ? "?after=true" : ""}`);
        emit("reload");
      });
    const dialog = open(
      { title: t("Delete this message?") },
      h("p", {}, t("Its answer is deleted too. What tools did is not undone.")),
      h(
        "div",
        { class: "row end" },
        h("button", { type: "button", class: "ghost", onclick: () => dialog.close() }, t("Cancel")),
        h("button", { type: "button", class: "outline", onclick: removeFrom(true) }, t("Delete this and everything after")),
        h("button", { type: "button", class: "danger", onclick: removeFrom(false) }, t("Delete")),
      ),
    );
  },
};

/** Asks for a new title for the open conversation. */
export function renameConversation() {
  const title = h("input", {
    type: "text",
    required: true,
    maxlength: "200",
    "aria-label": t("Title"),
    value: state.conversation.title ?? "",
  });
  const save = guarded(async (event) => {
    event.preventDefault();
    await put(conversationPath(), { title: title.value.trim() });
    dialog.close();
    emit("stale");
    emit("conversations");
  });
  const dialog = open(
    { title: t("Rename conversation"), size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      title,
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("Rename"))),
    ),
  );
  title.select();
}
