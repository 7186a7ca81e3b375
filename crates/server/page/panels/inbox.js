// The inbox: a badge in the bar that counts what waits for this person over all conversations, and the
// panel behind it. Tells a person who looks elsewhere when something begins to wait.

import { get } from "../api.js";
import { follow } from "../chat/event_stream.js";
import { announce, guarded, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { emit, on, state } from "../state.js";
import { formatNumber, t } from "../words.js";

/** As the server sent it last. Until the rest is loaded, the session has its numbers. */
export const inbox = { approvals: [], questions: null, doubts: null, notices: null };

let known = null; // the approvals that were there when the page last looked
let knownQuestions = null; // the same of handlers' questions
let stream = null;

const count = h("span", { class: "count" });
const badge = h(
  "button",
  { type: "button", class: "quiet inbox-badge", hidden: true, onclick: () => showInbox() },
  icon("inbox"),
  count,
);

/** Opens the panel. */
export const showInbox = guarded(async () => (await import("./inbox_panel.js")).showPanel());

/** Returns the badge for the bar; it is hidden while nothing waits. */
export function startInbox() {
  on("approvals_loaded", updateQuestions);
  on("approvals_changed", (why) => why === "opened" || loadInbox());
  on("conversation", followInbox);
  on("inbox_answered", confirmAnswer);
  on("turn_ended", () => inbox.questions?.length && loadInbox());
  state.started.then(updateBadge);
  return badge;
}

/** Loads what the list of conversations does not: calls in doubt and notices. */
export async function loadInbox() {
  const loaded = await get("/inbox").catch(() => null);
  if (!loaded) return;
  inbox.doubts = loaded.doubts;
  inbox.notices = loaded.notices;
  inbox.questions = loaded.questions.map((one) => ({ ...one, id: `${one.conversation}/${one.call}/${one.name}` }));
  const before = knownQuestions ?? new Set(state.session.questions);
  knownQuestions = new Set(inbox.questions.map(({ id }) => id));
  updateQuestions(loaded.approvals);
  for (const one of inbox.questions) if (!before.has(one.id)) tellOf(one, t("A tool has a question for you."));
}

function updateQuestions(approvals) {
  const before = known;
  inbox.approvals = approvals;
  known = new Set(approvals.map(({ id }) => id));
  updateBadge();
  emit("inbox_changed");
  if (before) for (const one of approvals) if (!before.has(one.id)) tellOf(one, NEEDS[one.asker ? "program" : "tool"]);
}

function updateBadge() {
  const rest = ["questions", "doubts", "notices"].map((kind) => inbox[kind] ?? state.session[kind] ?? 0);
  const number = rest.reduce((sum, one) => sum + (one.length ?? one), inbox.approvals.length);
  const label = t("Inbox: {n} {n:thing waits|things wait} for you", { n: number });
  badge.hidden = number === 0;
  badge.title = label;
  badge.setAttribute("aria-label", label);
  count.textContent = formatNumber(number);
}

const NEEDS = { program: t("A program needs your approval."), tool: t("A tool needs your approval.") };

/** Something that just began to wait. In the open conversation a person sees it. */
async function tellOf({ conversation, title, tool, asker }, text) {
  const isHere = conversation === state.conversation?.id;
  if (!isHere) announce(text);
  if (isHere && document.visibilityState === "visible") return;
  const { tell } = await import("../chat/notifications.js");
  tell(text, { title: title || asker || tool, tag: conversation, hash: asker ? "#inbox" : `#/${conversation}` });
}

/** The stream of an open conversation also reports changes; without one, this opens a stream of its own.
 *  The list is loaded when the stream is open, so that nothing is missed in between. */
function followInbox(conversation) {
  stream?.stop();
  stream = null;
  if (conversation) return;
  let isOpened = false;
  const onstate = (status) => {
    emit("approvals_changed", isOpened ? status : "opened");
    isOpened = isOpened || status === "open";
  };
  stream = follow("/api/approvals/stream", { onevent: () => emit("approvals_changed", "event"), onstate });
}

function confirmAnswer({ settled, declined, conversation }) {
  if (conversation && conversation === state.conversation?.id) emit("answered");
  if (declined) toast(t("Declined."));
  else if (conversation) toast(t("Approved. The conversation goes on."));
  else toast(settled ? t("Done.") : t("Approved. It runs once, when the program calls again."));
  emit("approvals_changed", "answered");
}
