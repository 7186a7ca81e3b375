// The panel “Inbox”: approvals and questions of tools in conversations and from programs, calls in doubt,
// notices. Approvals and questions are answered in place, or in their conversation.

import { approvalCard } from "../chat/tool_call.js";
import { openLoaded } from "../dialog.js";
import { formatTime, h } from "../dom.js";
import { loadForms } from "../forms.js";
import { icon } from "../icon.js";
import { emit, on, state } from "../state.js";
import { t, withParts } from "../words.js";
import { inbox, loadInbox } from "./inbox.js";
import { questionCard } from "./question_card.js";

let isOpen = false;
let schemaForm = null; // draws the forms of questions

export async function showPanel() {
  if (isOpen) return;
  isOpen = true;
  const list = h("ul", { class: "requests", "aria-label": t("Questions") });
  const rest = h("ul", { class: "requests", "aria-label": t("Other things that wait") });
  const none = h("p", { class: "faint" }, t("Nothing waits for you."));
  const cards = new Map();
  const draw = () => {
    const { approvals, doubts, notices } = inbox;
    const questions = inbox.questions ?? [];
    const ids = new Set([...approvals, ...questions].map(({ id }) => id));
    // An answered card stays until the panel is closed, so that nothing moves under the pointer. The
    // stream may tell of an answer before the server has confirmed it.
    const isOver = (id, card) => !ids.has(id) && !card.querySelector(".answered, [data-sent]");
    for (const [id, card] of cards) if (isOver(id, card)) (card.remove(), cards.delete(id));
    for (const one of approvals) if (!cards.has(one.id)) cards.set(one.id, approvalRow(one, close));
    for (const one of questions) if (!cards.has(one.id)) cards.set(one.id, questionRow(one, close));
    // A card on the page is not moved: a person may be typing in it.
    for (const card of cards.values()) if (!card.isConnected) list.append(card);
    rest.replaceChildren(
      ...(notices ?? []).map((notice) => noticeRow(notice, close)),
      ...(doubts ?? []).map((doubt) => doubtRow(doubt, close)),
    );
    none.hidden = doubts === null || ids.size + doubts.length + notices.length > 0;
  };
  let close = () => {};
  const stop = on("inbox_changed", draw);
  const onclose = () => {
    stop();
    isOpen = false;
  };
  await openLoaded({ title: t("Inbox"), kind: "panel", onclose }, async (shown) => {
    ({ close } = shown);
    ({ schemaForm } = await loadForms());
    await loadInbox();
    draw();
    return [list, rest, none];
  });
}

function approvalRow({ id, preview, previewLines, tool, args, asker, conversation, title, expiresAt, mayBeRemembered }, close) {
  const request = { request: id, preview, previewLines, tool, args, expiresAt };
  const remember = mayBeRemembered && !asker;
  const card = approvalCard({ ...request, remember, event: "inbox_answered" });
  const from = asker
    ? h("p", { class: "faint" }, t("Requested by {asker}", { asker }))
    : h("p", { class: "faint" }, withParts("In {conversation}", { conversation: conversationLink(conversation, title, id, close) }));
  return h("li", {}, from, card);
}

/** A question of a handler, with its form. */
function questionRow({ conversation, title, ...question }, close) {
  const card = questionCard(schemaForm, { conversation, ...question, onsent: () => emit("approvals_changed", "answered") });
  const link = conversationLink(conversation, title, question.call, close);
  return h("li", {}, h("p", { class: "faint" }, withParts("In {conversation}", { conversation: link })), card);
}

/** Opens a conversation where it waits. */
function conversationLink(conversation, title, request, close) {
  const go = () => {
    close();
    if (conversation === state.conversation?.id) return showRequest(request);
    const stop = on("conversation", (opened) => {
      stop();
      if (opened?.id === conversation) requestAnimationFrame(() => showRequest(request));
    });
    return undefined;
  };
  return h("a", { href: `#/${encodeURIComponent(conversation)}`, onclick: go }, title || t("New conversation"));
}

function showRequest(request) {
  const card = [...document.querySelectorAll("#log .approval")].find(({ dataset }) => [dataset.request, dataset.call].includes(request));
  state.wantedCall = card ? null : request;
  card?.scrollIntoView({ block: "nearest" });
  card?.querySelector(card.dataset.call ? "input, select, textarea, button" : "button.primary")?.focus();
}

function doubtRow({ id, tool, asker, conversation, title, at }, close) {
  const from = conversation ? conversationLink(conversation, title, null, close) : asker;
  const what = { tool: h("code", {}, tool), from };
  const run = { command: h("code", {}, `ghosthand ledger resolve ${id.slice(0, 8)}`) };
  return h(
    "li",
    {},
    h("p", {}, icon("alert"), withParts("{tool} was interrupted ({time}). Outcome unknown. Called by {from}.", what, { time: formatTime(at) })),
    h("p", { class: "faint" }, withParts("Check what happened, then run {command}", run)),
  );
}

/** What each kind of notice says, and what its button does. */
const NOTICES = {
  mcp_tools: {
    text: ({ subject, count }) =>
      count === 1
        ? t("One tool of the MCP server “{name}” is new or has changed. It stays off until you accept it.", { name: subject })
        : t("{n} tools of the MCP server “{name}” are new or have changed. They stay off until you accept them.", { n: count, name: subject }),
    label: t("Look at the changes"),
    run: async ({ subject }) => (await import("./mcp_review.js")).lookAtServer(subject),
  },
};

function noticeRow(notice, close) {
  const kind = NOTICES[notice.kind];
  const run = () => {
    close();
    kind.run(notice);
  };
  return h(
    "li",
    {},
    h("p", {}, icon("tool"), kind ? kind.text(notice) : `${notice.kind}: ${notice.subject}`),
    kind ? h("div", { class: "row" }, h("button", { type: "button", class: "outline", onclick: run }, kind.label)) : null,
  );
}
