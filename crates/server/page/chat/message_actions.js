// What a person can do with what was said: ask again in other words, answer again, branch, delete.

import { path, post, put, remove } from "../api.js";
import { open } from "../dialog.js";
import { guarded, h, toast } from "../dom.js";
import { emit, state } from "../state.js";

const here = () => path`/conversations/${state.talk.id}`;

export const acts = {
  /** The message becomes a field; sent, the conversation goes on from there. */
  edit(entry, article) {
    const before = [...article.childNodes];
    const back = () => article.replaceChildren(...before);
    const input = h("textarea", { rows: "3", "aria-label": "Your message", value: entry.text });
    const send = guarded(async (event) => {
      event.preventDefault();
      if (!input.value.trim()) return;
      await post(`${here()}/edit`, { turn: entry.turn, text: input.value });
      emit("reload");
    });
    const keys = (event) => {
      if (event.key === "Escape") back();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
    };
    article.replaceChildren(
      h(
        "form",
        { class: "editing", onsubmit: send, onkeydown: keys },
        input,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "ghost", onclick: back }, "Cancel"),
          h("button", { class: "primary" }, "Ask again"),
        ),
      ),
    );
    input.focus();
  },

  regenerate: guarded(async ({ turn }) => {
    await post(`${here()}/regenerate`, { turn });
    emit("reload");
  }),

  branch: guarded(async (entry) => {
    const from = entry.event === undefined ? { turn: entry.turn } : { event: entry.event };
    const { id } = await post(`${here()}/branch`, from);
    toast("A branch was made; the old conversation stays as it is.");
    emit("talks");
    location.hash = `#/${id}`;
  }),

  /** Asks how much should go: one message with its answer, or everything from there on. */
  drop({ turn }) {
    const take = (after) =>
      guarded(async () => {
        shown.close();
        await remove(`${here()}/messages/${turn}${after ? "?after=true" : ""}`);
        emit("reload");
      });
    const shown = open(
      { title: "Delete this message?", size: "sm" },
      h("p", {}, "Its answer goes with it. What tools have done stays done."),
      h(
        "div",
        { class: "row end" },
        h("button", { type: "button", class: "ghost", onclick: () => shown.close() }, "Cancel"),
        h("button", { type: "button", class: "outline", onclick: take(true) }, "It and all after it"),
        h("button", { type: "button", class: "danger", onclick: take(false) }, "Delete"),
      ),
    );
  },
};

/** Gives the open conversation another title. */
export function rename() {
  const title = h("input", {
    type: "text",
    required: true,
    maxlength: "200",
    "aria-label": "Title",
    value: state.talk.title ?? "",
  });
  const save = guarded(async (event) => {
    event.preventDefault();
    await put(here(), { title: title.value.trim() });
    shown.close();
    emit("stale");
    emit("talks");
  });
  const shown = open(
    { title: "Rename the conversation", size: "sm" },
    h(
      "form",
      { class: "stack", onsubmit: save },
      title,
      h("div", { class: "row end" }, h("button", { class: "primary" }, "Rename")),
    ),
  );
  title.select();
}
