// Draws one entry of a conversation: message, answer, thinking, tool call, end of a turn.

import { copyText, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { nodesFromHtml } from "../rendered_html.js";
import { drawToolCall } from "./tool_call.js";

const ENDED = {
  cut_off: "The answer reached the length limit and was cut off.",
  too_many_rounds: "The turn reached its limit of tool calls.",
  no_answer: "The model did not answer.",
  cancelled: "Stopped.",
  moved_on: "Superseded by a newer message.",
};

/** Ends after which the model can go on, even if it has not said anything. */
const PROCEEDS = new Set(["cut_off", "too_many_rounds"]);

/** `actions` as in message_actions.js; an action that is missing has no button. */
export function drawEntry(entry, actions = {}) {
  const element = kinds[entry.entry]?.(entry, actions) ?? unknown(entry);
  element.classList.add("entry");
  return element;
}

const kinds = {
  user: (entry, actions) =>
    message("user", "You", entry, [
      actions.edit && iconButton("edit", "Edit and resend", () => actions.edit(entry, elementOf(entry))),
      actions.branch && iconButton("branch", "Branch from here", () => actions.branch(entry)),
      actions.remove && iconButton("trash", "Delete message", () => actions.remove(entry)),
    ]),
  assistant: (entry, actions) =>
    message("assistant", "Answer", entry, [
      iconButton("copy", "Copy answer", () => copyText(entry.whole ?? entry.text ?? "")),
      actions.regenerate && entry.last && iconButton("refresh", "Regenerate answer", () => actions.regenerate(entry)),
      actions.branch && iconButton("branch", "Branch from here", () => actions.branch(entry)),
    ]),
  system: (entry) =>
    h("article", { class: "system", "aria-label": "System message" }, icon("info"), body(entry)),
  thinking: (entry) =>
    h(
      "details",
      { class: "thinking" },
      h("summary", {}, icon("chevron"), "Thinking"),
      h("div", { class: "thought" }, entry.text),
    ),
  step: drawToolCall,
  broke_off: () =>
    h("p", { class: "ended broke_off", role: "note" }, "The answer was interrupted here and requested again."),
  ended: (entry, actions) =>
    h(
      "p",
      { class: `ended ${entry.how.how}`, role: "note" },
      endText(entry),
      actions.proceed &&
        entry.last &&
        (entry.partial || PROCEEDS.has(entry.how.how)) &&
        h("button", { type: "button", class: "outline", onclick: () => actions.proceed() }, "Continue"),
      actions.regenerate &&
        entry.last &&
        h("button", { type: "button", class: "outline", onclick: () => actions.regenerate(entry) }, "Try again"),
    ),
};

const elementOf = (entry) => document.querySelector(`[data-key="${CSS.escape(entry.key)}"]`);

function message(kind, name, entry, buttons) {
  return h(
    "article",
    { class: `message ${kind} ${entry.joined ? "joined" : ""}`, "aria-label": name },
    body(entry),
    h("div", { class: "actions" }, buttons.filter(Boolean)),
  );
}

function body({ html, text = "" }) {
  return typeof html === "string" ? h("div", { class: "text prose" }, nodesFromHtml(html)) : h("div", { class: "text plain", dir: "auto" }, text);
}

function endText({ how, partial }) {
  if (how.how === "failed") {
    const { fault } = how;
    const words =
      typeof fault === "string" ? fault : (fault?.message ?? fault?.because ?? JSON.stringify(fault));
    const fix = fault?.fix ? ` – ${fault.fix}.` : "";
    return `${partial ? "The answer was interrupted" : "The model could not answer"}: ${words}${fix}`;
  }
  if (how.how === "refused") return how.text || "The model declined to answer.";
  return ENDED[how.how] ?? how.how;
}

const unknown = (entry) =>
  h("p", { class: "ended" }, `Unknown entry type: ${entry.entry}`);
