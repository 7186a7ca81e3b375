// A tool call as people see it: a quiet line that opens; a card while a person is asked.

import { path, post } from "../api.js";
import { complain, copy, h, iconButton, pretty, spoken } from "../dom.js";
import { icon } from "../icon.js";
import { emit } from "../state.js";

const MARK = {
  open: "clock",
  asked: "alert",
  in_doubt: "alert",
  done: "check",
  failed: "x",
  declined: "x",
  expired: "clock",
};
const WORD = {
  open: "running",
  asked: "waits for you",
  in_doubt: "in doubt",
  done: "done",
  failed: "failed",
  declined: "not run",
  expired: "not run",
};
const VERDICT = {
  run: "allowed to run",
  ask: "approved: run after a person said yes",
  refuse: "refused by the rules",
  decline: "declined by a person; it has not run",
  expire: "expired: nobody answered in time; it has not run",
  reuse: "not run again: the earlier result was used",
};

const SHORT = { ask: "approved", refuse: "refused", decline: "declined", expire: "expired", reuse: "used again" };

/** One `step` entry of the conversation. */
export function step(entry) {
  const { tool, args, changed_from: own, auto, state } = entry;
  // A person's own no is no failure, and no answer is no no.
  const kind = { decline: "declined", expire: "expired" }[state.verdict] ?? state.state;
  const verdict = VERDICT[state.verdict] ?? state.verdict;
  const duration = spoken(state.duration);
  const line = h(
    "details",
    { class: `step ${kind}` },
    h(
      "summary",
      {},
      icon("chevron"),
      icon(MARK[kind] ?? "tool"),
      h("code", {}, tool),
      h("span", { class: "hint" }, brief(args)),
      auto ? h("span", { class: "chip" }, "by itself") : null,
      own ? h("span", { class: "chip" }, "changed") : null,
      state.verdict && state.verdict !== "run"
        ? h("span", { class: "chip" }, SHORT[state.verdict] ?? state.verdict)
        : null,
      h(
        "span",
        { class: "took" },
        kind === "done" && duration ? duration : (WORD[kind] ?? kind),
      ),
    ),
    h(
      "div",
      { class: "step-body" },
      part(own ? "Arguments, changed by a person" : "Arguments", args),
      own ? part("Arguments of the model", own) : null,
      state.content === undefined ? null : part(kind === "failed" ? "Error" : "Result", state.content),
      state.notes?.length ? part("Notes", state.notes.join("\n")) : null,
      state.state === "in_doubt"
        ? h("p", {}, "Nobody knows how this ended. Look whether it happened, then say so: `ghosthand ledger list` has its id for `ghosthand ledger resolve ID`.")
        : null,
      verdict
        ? h("p", { class: "faint" }, [`Verdict: ${verdict}`, duration].filter(Boolean).join(" · "))
        : null,
    ),
  );
  if (state.state !== "asked") return line;
  return h("div", {}, approval({ ...state, tool, args }));
}

function part(name, value) {
  const text = pretty(value);
  return h(
    "div",
    { class: "part" },
    h(
      "div",
      { class: "part-head" },
      h("span", {}, name),
      iconButton("copy", `Copy: ${name}`, () => copy(text)),
    ),
    h("pre", { tabindex: "0" }, text),
  );
}

function brief(args) {
  if (!args || typeof args !== "object") return "";
  const text = Object.entries(args)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(", ");
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}

/** The card that asks. It takes one answer; a second click finds every button shut. */
export function approval({
  request,
  preview,
  tool,
  args,
  expiresAt,
  remember = false,
  event = "answered",
}) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const reason = h("input", {
    type: "text",
    maxlength: "500",
    placeholder: "Reason (the model reads it)",
    "aria-label": "Reason",
  });
  const changed = h("textarea", {
    rows: "5",
    class: "mono",
    "aria-label": "Changed arguments",
    value: pretty(args ?? {}),
  });
  const send = async (answer) => {
    if (card.dataset.sent) return;
    const focused = card.contains(document.activeElement);
    card.dataset.sent = "yes";
    buttons(card, true);
    fault.hidden = true;
    try {
      const told = await post(path`/approvals/${request}`, answer);
      card.replaceWith(
        h(
          "p",
          { class: "faint answered" },
          icon("check"),
          answer.answer === "decline" ? "Declined." : "Approved.",
        ),
      );
      if (focused) document.getElementById("log").focus();
      emit(event, { ...told, declined: answer.answer === "decline" });
    } catch (problem) {
      if (problem.status === 409 || problem.status === 404) {
        emit("stale");
        return complain(problem);
      }
      delete card.dataset.sent;
      buttons(card, false);
      fault.textContent = [problem.message, problem.fix].filter(Boolean).join(". ");
      fault.hidden = false;
    }
    return undefined;
  };
  const fold = (open, focus) => {
    for (const form of [decline, edit]) form.hidden = form !== open || !form.hidden;
    if (open.hidden) return;
    focus.focus();
    open.scrollIntoView({ block: "nearest" });
  };
  const decline = h(
    "form",
    {
      class: "row",
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        const text = reason.value.trim();
        send(text ? { answer: "decline", reason: text } : { answer: "decline" });
      },
    },
    reason,
    h("button", { class: "danger" }, "Decline"),
  );
  const edit = h(
    "form",
    {
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        try {
          send({ answer: "edit", args: JSON.parse(changed.value) });
        } catch (problem) {
          fault.textContent = `this is not JSON: ${problem.message}`;
          fault.hidden = false;
        }
      },
    },
    changed,
    h("div", { class: "row end" }, h("button", { class: "primary" }, "Run with these")),
  );
  const card = h(
    "section",
    { class: "approval", "aria-label": `${tool ?? "A tool"} asks for permission`, "data-request": request },
    h("h3", {}, icon("key"), tool ? h("span", {}, "May ", h("code", {}, tool), " run?") : "May this run?"),
    readable(preview),
    h("p", { class: "faint until" }, until(expiresAt)),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { type: "button", class: "primary", onclick: () => send({ answer: "approve" }) },
        "Approve",
      ),
      h(
        "button",
        {
          type: "button",
          class: "outline always",
          hidden: !remember,
          onclick: () => send({ answer: "approve", scope: "conversation" }),
        },
        "Always here",
      ),
      h("button", { type: "button", class: "ghost", onclick: () => fold(edit, changed) }, "Change…"),
      h("button", { type: "button", class: "ghost", onclick: () => fold(decline, reason) }, "Decline…"),
    ),
    decline,
    edit,
    fault,
  );
  return card;
}

/** A card on the page stays while the same request waits: a person may be writing in it. */
export function keepsCard(node, { state }) {
  const card = node.querySelector?.(".approval");
  if (!card || state?.state !== "asked" || card.dataset.request !== String(state.request)) return false;
  if (state.remember !== undefined) card.querySelector(".always").hidden = !state.remember;
  if (state.expiresAt) card.querySelector(".until").textContent = until(state.expiresAt);
  return true;
}

/** How long the question is open; after that nobody can answer it, and nothing has run. */
function until(ms) {
  if (!ms) return "";
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleTimeString([], { timeStyle: "short" });
  const day = isToday ? "" : `${at.toLocaleDateString([], { dateStyle: "medium" })}, `;
  return at > Date.now() ? `Can be answered until ${day}${time}.` : "Expired: nobody answered in time.";
}

function buttons(card, shut) {
  for (const control of card.querySelectorAll("button, input, textarea")) control.disabled = shut;
}

/** The preview's lines: indented ones are arguments, the others sentences. */
function readable(preview) {
  const box = h("div", { class: "preview", tabindex: "0", role: "group", "aria-label": "What it wants to do" });
  for (const line of String(preview ?? "").split("\n")) {
    const argument = /^ {2}([^:]+): (.*)$/.exec(line);
    const sentence = /^(what it does|asked because|before): (.*)$/.exec(line);
    if (argument)
      box.append(h("div", { class: "argument" }, h("span", {}, argument[1]), h("code", {}, argument[2])));
    else if (sentence)
      box.append(
        h(
          "p",
          { class: sentence[1] === "before" ? "earlier" : "faint" },
          sentence[1] === "what it does" ? "" : `${sentence[1]}: `,
          ...ticked(sentence[2]),
        ),
      );
    else if (line.trim()) box.append(h("p", {}, ...ticked(line)));
  }
  return box;
}

const ticked = (line) => line.split("`").map((piece, index) => (index % 2 ? h("code", {}, piece) : piece));
