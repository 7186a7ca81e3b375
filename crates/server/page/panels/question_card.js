// The questions of a handler, in a conversation and in the inbox: a form for each. Loaded with the first one.

import { path, post } from "../api.js";
import { isAtBottom, scrollToBottom } from "../chat/log.js";
import { announce, h } from "../dom.js";
import { loadForms } from "../forms.js";
import { icon } from "../icon.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";

/** Draws the open questions of a call into `place`. */
export async function drawQuestions(place, { call, tool, state: { questions } }) {
  const { schemaForm } = await loadForms();
  const open = place.open ?? questions; // some may have been answered meanwhile
  const wasAtBottom = isAtBottom();
  place.replaceChildren(...open.map((question) => questionCard(schemaForm, { call, tool, ...question })));
  if (wasAtBottom) scrollToBottom();
  if (state.wantedCall !== call) return;
  state.wantedCall = null;
  place.scrollIntoView({ block: "nearest" });
  place.querySelector("input, select, textarea, button")?.focus();
}

/** Removes the questions that were answered; a person may be typing in the others. */
export function keepOpenQuestions(place, { state: { questions } }) {
  place.open = questions;
  const open = new Set(questions.map(({ name }) => name));
  for (const card of place.querySelectorAll(".question")) if (!open.has(card.dataset.name)) card.remove();
}

/**
 * It takes one answer: the first click disables every control, until the server refuses it. `conversation` is the
 * one that waits, the open one without it; `onsent` is called after an answer.
 */
export function questionCard(schemaForm, { call, tool, name, message, schema, conversation = state.conversation?.id, onsent }) {
  const form = schemaForm(schema);
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const fail = (text) => {
    fault.textContent = text;
    fault.hidden = false;
  };
  const send = async (request) => {
    if (card.dataset.sent) return;
    const hadFocus = card.contains(document.activeElement);
    setSent(card, true);
    fault.hidden = true;
    try {
      const word = await request(path`/conversations/${conversation}`);
      announce(word);
      const dialog = card.closest("dialog");
      card.replaceWith(h("p", { class: "faint answered" }, icon("check"), word));
      // The next question, or where the person goes on.
      const next = (dialog ?? document).querySelector(".question :is(input, select, textarea)");
      if (hadFocus) (next ?? dialog?.querySelector("button") ?? document.getElementById("draft")).focus();
      onsent?.();
    } catch (problem) {
      setSent(card, false);
      fail([problem.message, problem.fix].filter(Boolean).join(". "));
      if (problem.status === 409 || problem.status === 404) (emit("stale"), onsent?.());
    }
  };
  const answer = (action, word, content) =>
    send(async (place) => {
      await post(`${place}${path`/questions/${call}`}`, { name, action, content });
      if (conversation === state.conversation?.id) emit("answered", { declined: action !== "accept" });
      return word;
    });
  const stop = () =>
    send(async (place) => {
      await post(`${place}/stop`);
      emit("stale");
      return t("Stopped.");
    });
  const onsubmit = (event) => {
    event.preventDefault();
    try {
      answer("accept", t("Answered."), form.read());
    } catch (problem) {
      fail(problem.message);
    }
  };
  const button = (kind, text, onclick) => h("button", { type: onclick ? "button" : "submit", class: kind, onclick }, text);
  // Our own messages say what is wrong with a field.
  const card = h(
    "form",
    { class: "approval question", novalidate: true, "aria-label": t("{tool} has a question", { tool }), "data-name": name, "data-call": call, onsubmit },
    h("h3", {}, icon("edit"), h("span", {}, message), h("code", { class: "faint" }, tool)),
    form.element,
    fault,
    h(
      "div",
      { class: "row" },
      button("primary", t("Send")),
      button("ghost", t("Decline"), () => answer("decline", t("Declined."))),
      button("ghost", t("Stop"), stop),
    ),
  );
  return card;
}

function setSent(card, sent) {
  if (sent) card.dataset.sent = "yes";
  else delete card.dataset.sent;
  for (const control of card.querySelectorAll("button, input, select, textarea")) control.disabled = sent;
}
