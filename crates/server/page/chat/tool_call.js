// Draws a tool call: one line that expands; an approval card while it waits for a person.

import { path, post } from "../api.js";
import { copyText, formatDuration, formatJson, guarded, h, iconButton, showError } from "../dom.js";
import { icon } from "../icon.js";
import { previewBox, withoutName } from "../preview.js";
import { emit } from "../state.js";
import { locale, t } from "../words.js";

const ICON = {
  open: "clock",
  asked: "alert",
  in_doubt: "alert",
  done: "check",
  failed: "x",
  declined: "x",
  expired: "clock",
};
const STATUS = {
  open: t("running"),
  asked: t("needs approval"),
  in_doubt: t("outcome unknown"),
  done: t("done"),
  failed: t("failed"),
  declined: t("not run"),
  expired: t("not run"),
};
const VERDICT = {
  run: t("allowed"),
  ask: t("ran after a person approved it"),
  refuse: t("refused by policy"),
  decline: t("declined by a person; did not run"),
  expire: t("expired without an answer; did not run"),
  reuse: t("not run again; the earlier result was reused"),
};

const VERDICT_SHORT = { ask: t("approved"), refuse: t("refused"), decline: t("declined"), expire: t("expired"), reuse: t("reused") };

/** Draws a `step` entry of the conversation. */
export function drawToolCall(entry) {
  const { tool, args, changed_from: original, auto, state } = entry;
  if (state.state === "questioned") return questionsOf(entry);
  // A declined or expired request is not shown as a failure.
  const kind = { decline: "declined", expire: "expired" }[state.verdict] ?? state.state;
  const verdict = VERDICT[state.verdict] ?? state.verdict;
  const duration = formatDuration(state.duration);
  const login = kind === "failed" ? loginOf(tool, state.content) : null;
  const line = h(
    "details",
    { class: `step ${kind}`, open: Boolean(login) },
    h(
      "summary",
      {},
      icon("chevron"),
      icon(ICON[kind] ?? "tool"),
      h("code", {}, tool),
      h("span", { class: "hint" }, summarize(args)),
      auto ? h("span", { class: "chip" }, t("automatic")) : null,
      original ? h("span", { class: "chip" }, t("edited")) : null,
      state.verdict && state.verdict !== "run"
        ? h("span", { class: "chip" }, VERDICT_SHORT[state.verdict] ?? state.verdict)
        : null,
      h(
        "span",
        { class: "took" },
        kind === "done" && duration ? duration : (STATUS[kind] ?? kind),
      ),
    ),
    h(
      "div",
      { class: "step-body" },
      login ? loginOffer(login) : null,
      section(original ? t("Arguments, edited by a person") : t("Arguments"), args),
      original ? section(t("Original arguments"), original) : null,
      state.content === undefined ? null : section(kind === "failed" ? t("Error") : t("Result"), state.content),
      state.notes?.length ? section(t("Notes"), state.notes.join("\n")) : null,
      state.state === "in_doubt"
        ? h("p", {}, t("Outcome unknown. Check what happened, then record it: `ghosthand ledger list` shows the id for `ghosthand ledger resolve ID`."))
        : null,
      verdict
        ? h("p", { class: "faint" }, [t("Verdict: {verdict}", { verdict }), duration].filter(Boolean).join(" · "))
        : null,
    ),
  );
  if (state.state !== "asked") return line;
  return h("div", {}, approvalCard({ ...state, tool, args }));
}

/** What the handler asks the person; the forms come with their own module. */
function questionsOf(entry) {
  const place = h("div", { class: "requests", "data-round": String(entry.state.round) });
  import("../panels/question_card.js").then(({ drawQuestions }) => drawQuestions(place, entry)).catch(showError);
  return place;
}

/** Updates what a person is filling in for the same call in place; false if there is nothing. */
function updateQuestions(node, entry) {
  if (entry.state?.state !== "questioned" || node.dataset?.round !== String(entry.state.round)) return false;
  import("../panels/question_card.js").then(({ keepOpenQuestions }) => keepOpenQuestions(node, entry)).catch(showError);
  return true;
}

/** The MCP server that a call needs a login for; its name begins the tool's. */
function loginOf(tool, content) {
  const server = tool.split(".")[0];
  return content?.type === "AUTH" && content.message?.startsWith(`Log in to ${server} first`) ? server : null;
}

function loginOffer(server) {
  const logIn = guarded(async () => (await import("../panels/mcp_servers.js")).logIn(server));
  return h(
    "div",
    { class: "row" },
    h("span", { class: "grow" }, t("This tool uses your own login at {name}.", { name: server })),
    h("button", { type: "button", class: "primary", onclick: logIn }, t("Log in to {name}", { name: server })),
  );
}

function section(name, value) {
  const text = formatJson(value);
  return h(
    "div",
    { class: "part" },
    h(
      "div",
      { class: "part-head" },
      h("span", {}, name),
      iconButton("copy", t("Copy: {name}", { name }), () => copyText(text)),
    ),
    h("pre", { tabindex: "0" }, text),
  );
}

function summarize(args) {
  if (!args || typeof args !== "object") return "";
  const text = Object.entries(args)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(", ");
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}

/** A card that asks for approval. It takes one answer: the first click disables every control. */
export function approvalCard({
  request,
  preview,
  previewLines,
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
    placeholder: t("Reason (sent to the model)"),
    "aria-label": t("Reason"),
  });
  const edited = h("textarea", {
    rows: "5",
    class: "mono",
    "aria-label": t("Edited arguments"),
    value: formatJson(args ?? {}),
  });
  const send = async (answer) => {
    if (card.dataset.sent) return;
    const focused = card.contains(document.activeElement);
    card.dataset.sent = "yes";
    setDisabled(card, true);
    fault.hidden = true;
    try {
      const answered = await post(path`/approvals/${request}`, answer);
      card.replaceWith(
        h(
          "p",
          { class: "faint answered" },
          icon(answer.answer === "decline" ? "x" : "check"),
          answer.answer === "decline" ? t("Declined.") : t("Approved."),
        ),
      );
      // The next question, or where the conversation goes on.
      if (focused) (document.querySelector(".approval button.primary:not(:disabled)") ?? document.getElementById("draft")).focus();
      emit(event, { ...answered, declined: answer.answer === "decline" });
    } catch (problem) {
      if (problem.status === 409 || problem.status === 404) {
        emit("stale");
        return showError(problem);
      }
      delete card.dataset.sent;
      setDisabled(card, false);
      fault.textContent = [problem.message, problem.fix].filter(Boolean).join(". ");
      fault.hidden = false;
    }
    return undefined;
  };
  const toggleForm = (open, focus) => {
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
    h("button", { class: "danger" }, t("Decline")),
  );
  const edit = h(
    "form",
    {
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        try {
          send({ answer: "edit", args: JSON.parse(edited.value) });
        } catch (problem) {
          fault.textContent = t("Invalid JSON: {fault}", { fault: problem.message });
          fault.hidden = false;
        }
      },
    },
    edited,
    h("div", { class: "row end" }, h("button", { class: "primary" }, t("Approve edited"))),
  );
  const card = h(
    "section",
    { class: "approval", "aria-label": tool ? t("{tool} needs approval", { tool }) : t("A tool needs approval"), "data-request": request },
    h("h3", {}, icon("key"), h("span", {}, tool ? `${titleOf(tool)}?` : t("Allow this call?")), tool ? h("code", { class: "faint" }, tool) : null),
    previewBox(withoutName(previewLines, tool), preview),
    h("p", { class: "faint until" }, expiryText(expiresAt)),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { type: "button", class: "primary", onclick: () => send({ answer: "approve" }) },
        t("Approve"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "outline always",
          hidden: !remember,
          onclick: () => send({ answer: "approve", scope: "conversation" }),
        },
        t("Always allow in this conversation"),
      ),
      h("button", { type: "button", class: "ghost", onclick: () => toggleForm(edit, edited) }, t("Edit…")),
      h("button", { type: "button", class: "ghost", onclick: () => toggleForm(decline, reason) }, t("Decline…")),
    ),
    decline,
    edit,
    fault,
  );
  return card;
}

/** Updates the card of the same pending request in place, because a person may be typing in it; false if there is none. */
export function updateApprovalCard(node, entry) {
  const { state } = entry;
  if (updateQuestions(node, entry)) return true;
  const card = node.querySelector?.(".approval");
  if (!card || state?.state !== "asked" || card.dataset.request !== String(state.request)) return false;
  if (state.remember !== undefined) card.querySelector(".always").hidden = !state.remember;
  if (state.expiresAt) card.querySelector(".until").textContent = expiryText(state.expiresAt);
  return true;
}

/** `guidance.set_guidance` is “Set guidance”. */
function titleOf(tool) {
  const words = tool.split(".").at(-1).replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function expiryText(ms) {
  if (!ms) return "";
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleTimeString(locale, { timeStyle: "short" });
  const day = isToday ? "" : `${at.toLocaleDateString(locale, { dateStyle: "medium" })}, `;
  const minutes = Math.round((at - Date.now()) / 60000);
  const hours = Math.round(minutes / 60);
  const long = minutes < 120 ? t("{n} {n:minute|minutes}", { n: minutes }) : t("{n} {n:hour|hours}", { n: hours });
  const rest = minutes < 1 ? t("less than a minute") : long;
  return at > Date.now() ? t("The question is open until {time} ({rest}).", { time: day + time, rest }) : t("Expired without an answer.");
}

function setDisabled(card, disabled) {
  for (const control of card.querySelectorAll("button, input, textarea")) control.disabled = disabled;
}
