// One entry of a conversation as an element: said, answered, thought, called, ended.

import { copy, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { rendered } from "../rendered_html.js";
import { step } from "./tool_call.js";

const ENDED = {
  cut_off: "The answer was cut off at its longest allowed length.",
  too_many_rounds: "The model wanted more tools than one turn allows.",
  no_answer: "The model gave no answer.",
  cancelled: "Stopped.",
  moved_on: "The conversation went on.",
};

/** `acts` as in message_actions.js; what is missing has no button. */
export function draw(entry, acts = {}) {
  const shown = kinds[entry.entry]?.(entry, acts) ?? unknown(entry);
  shown.classList.add("entry");
  return shown;
}

const kinds = {
  user: (entry, acts) =>
    message("user", "You", entry, [
      acts.edit && iconButton("edit", "Edit and ask again", () => acts.edit(entry, shell(entry))),
      acts.branch && iconButton("branch", "Branch from here", () => acts.branch(entry)),
      acts.drop && iconButton("trash", "Delete this message", () => acts.drop(entry)),
    ]),
  assistant: (entry, acts) =>
    message("assistant", "Answer", entry, [
      iconButton("copy", "Copy this answer", () => copy(entry.text ?? "")),
      acts.regenerate && entry.last && iconButton("refresh", "Answer again", () => acts.regenerate(entry)),
      acts.branch && iconButton("branch", "Branch from here", () => acts.branch(entry)),
    ]),
  system: (entry) =>
    h("article", { class: "system", "aria-label": "System message" }, icon("alert"), body(entry)),
  thinking: (entry) =>
    h(
      "details",
      { class: "thinking" },
      h("summary", {}, icon("chevron"), "Thinking"),
      h("div", { class: "thought" }, entry.text),
    ),
  step,
  broke_off: () =>
    h("p", { class: "ended broke_off", role: "note" }, "The answer broke off here, and the model was asked again."),
  ended: (entry, acts) =>
    h(
      "p",
      { class: `ended ${entry.how.how}`, role: "note" },
      endText(entry),
      acts.regenerate &&
        entry.last &&
        h("button", { type: "button", class: "outline", onclick: () => acts.regenerate(entry) }, "Try again"),
    ),
};

const shell = (entry) => document.querySelector(`[data-key="${CSS.escape(entry.key)}"]`);

function message(kind, name, entry, buttons) {
  return h(
    "article",
    { class: `message ${kind}`, "aria-label": name },
    body(entry),
    h("div", { class: "acts" }, buttons.filter(Boolean)),
  );
}

function body({ html, text = "" }) {
  return typeof html === "string" ? h("div", { class: "text prose" }, rendered(html)) : h("div", { class: "text plain" }, text);
}

function endText({ how, partial }) {
  if (how.how === "failed") {
    const { fault } = how;
    const words =
      typeof fault === "string" ? fault : (fault?.message ?? fault?.because ?? JSON.stringify(fault));
    return `${partial ? "The model broke off" : "The model could not answer"}: ${words}`;
  }
  if (how.how === "refused") return how.text || "The model declined to answer.";
  return ENDED[how.how] ?? how.how;
}

const unknown = (entry) =>
  h("p", { class: "ended" }, `An entry of a kind this page does not know: ${entry.entry}`);
