// Draws one entry of a conversation: message, answer, thinking, tool call, end of a turn.

import { copyText, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { nodesFromHtml } from "../rendered_html.js";
import { t } from "../words.js";
import { messageFiles } from "./message_files.js";
import { drawToolCall } from "./tool_call.js";
import { modelName } from "./welcome.js";

const ENDED = {
  cut_off: t("The answer reached the length limit and was cut off."),
  too_many_rounds: t("The turn reached its limit of tool calls."),
  no_answer: t("The model did not answer."),
  cancelled: t("Stopped."),
  moved_on: t("Superseded by a newer message."),
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
    message("user", t("You"), entry, [
      actions.edit && iconButton("edit", t("Edit and resend"), () => actions.edit(entry, elementOf(entry))),
      actions.branch && iconButton("branch", t("Branch from here"), () => actions.branch(entry)),
      actions.remove && iconButton("trash", t("Delete message"), () => actions.remove(entry)),
    ], actions.choose && versions(entry, actions.choose)),
  assistant: (entry, actions) =>
    message("assistant", t("Answer"), entry, [
      iconButton("copy", t("Copy answer"), () => copyText(entry.whole ?? entry.text ?? "")),
      actions.regenerate && entry.last && iconButton("refresh", t("Regenerate answer"), () => actions.regenerate(entry)),
      actions.regenerateWith &&
        entry.last &&
        iconButton("sparkles", t("Answer with another model"), () => actions.regenerateWith(entry)),
      actions.branch && iconButton("branch", t("Branch from here"), () => actions.branch(entry)),
    ]),
  system: (entry) =>
    h("article", { class: "system", "aria-label": t("System message") }, icon("info"), body(entry)),
  thinking: (entry) =>
    h(
      "details",
      { class: "thinking" },
      h("summary", {}, icon("chevron"), t("Thinking")),
      h("div", { class: "thought" }, entry.text),
    ),
  step: drawToolCall,
  broke_off: () =>
    h("p", { class: "ended broke_off", role: "note" }, t("The answer was interrupted here and requested again.")),
  ended: (entry, actions) =>
    h(
      "p",
      { class: `ended ${entry.how.how}`, role: "note" },
      endText(entry),
      actions.proceed &&
        entry.last &&
        (entry.partial || PROCEEDS.has(entry.how.how)) &&
        h("button", { type: "button", class: "outline", onclick: () => actions.proceed() }, t("Continue")),
      actions.regenerate &&
        entry.last &&
        h("button", { type: "button", class: "outline", onclick: () => actions.regenerate(entry) }, t("Try again")),
      actions.regenerateWith &&
        entry.last &&
        h("button", { type: "button", class: "outline", onclick: () => actions.regenerateWith(entry) }, t("Try another model")),
    ),
};

const elementOf = (entry) => document.querySelector(`[data-key="${CSS.escape(entry.key)}"]`);

/** Which version of a message this is, and the way to the others: buttons, or the arrow keys between them. */
function versions({ turn, versions: turns = [] }, choose) {
  if (turns.length < 2) return null;
  const at = turns.indexOf(turn);
  const button = (label, name, to) =>
    iconButton("chevron", label, () => choose(turns[to], name), { class: `quiet ${name}`, disabled: turns[to] === undefined });
  const onkeydown = (event) => {
    const to = at + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0);
    if (to !== at && turns[to] !== undefined) choose(turns[to], to < at ? "previous" : "next");
  };
  return h(
    "div",
    { class: "versions", role: "group", "aria-label": t("Versions of this message"), onkeydown },
    button(t("Previous version"), "previous", at - 1),
    h("span", { "aria-label": t("Version {n} of {all}", { n: at + 1, all: turns.length }), role: "img" }, `${at + 1}/${turns.length}`),
    button(t("Next version"), "next", at + 1),
  );
}

function message(kind, name, entry, buttons, more = null) {
  return h(
    "article",
    { class: `message ${kind} ${entry.joined ? "joined" : ""}`, "aria-label": name },
    messageFiles(entry.files),
    entry.text === "" && entry.files?.length ? null : body(entry),
    h("div", { class: "under" }, whichModel(entry), more, h("div", { class: "actions" }, buttons.filter(Boolean))),
  );
}

/** Said where a message had a model of its own: at its answer, and until there is one, at the message. */
function whichModel({ model, answeredBy }) {
  if (answeredBy) return h("small", { class: "by" }, t("Answered by {model}", { model: modelName(answeredBy) }));
  return model ? h("small", { class: "by" }, t("Sent to {model}", { model: modelName(model) })) : null;
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
    return partial ? t("The answer was interrupted: {fault}", { fault: words + fix }) : t("The model could not answer: {fault}", { fault: words + fix });
  }
  if (how.how === "refused") return how.text || t("The model declined to answer.");
  return ENDED[how.how] ?? how.how;
}

const unknown = (entry) =>
  h("p", { class: "ended" }, t("Unknown entry type: {type}", { type: entry.entry }));
