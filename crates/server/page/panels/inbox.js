// Requests from programs that need a person's approval: a badge in the bar, and the panel behind it.

import { get } from "../api.js";
import { follow } from "../chat/event_stream.js";
import { open } from "../dialog.js";
import { announce, formatTime, h, toast } from "../dom.js";
import { icon } from "../icon.js";
import { emit, on, state } from "../state.js";

let requests = [];
let callsInDoubt = null; // until the panel is opened, only their number is known
let panel = null;
let stream = null;

const count = h("span", { class: "count" });
const badge = h(
  "button",
  { type: "button", class: "quiet requests-badge", hidden: true, onclick: () => showProgramApprovals() },
  icon("key"),
  count,
);

/** Returns the badge for the bar; it is hidden while nothing is pending. */
export function startProgramApprovals() {
  on("approvals_loaded", updateRequests);
  on("conversation", followRequests);
  on("program_answered", confirmAnswer);
  return badge;
}

/** Calls from programs that were cut off: their outcome is unknown, so a person has to check. */
async function loadCallsInDoubt() {
  callsInDoubt = await get("/doubts").catch(() => callsInDoubt);
  updateBadge();
  panel?.draw();
}

function updateRequests(approvals) {
  const before = requests.length;
  requests = approvals.filter(({ asker }) => asker);
  updateBadge();
  if (requests.length > before) announce("A program needs your approval.");
  panel?.draw();
}

function updateBadge() {
  const pending = requests.length === 1 ? "1 request pending" : `${requests.length} requests pending`;
  const doubts = callsInDoubt?.length ?? state.session.doubts ?? 0;
  const unknown = doubts === 1 ? "1 call with unknown outcome" : `${doubts} calls with unknown outcome`;
  const label = [requests.length ? pending : "", doubts ? unknown : ""].filter(Boolean).join(", ");
  badge.hidden = label === "";
  badge.title = label;
  badge.setAttribute("aria-label", label);
  count.textContent = String(requests.length + doubts);
}

/** The stream of an open conversation also reports requests; without one, this opens a stream of its own.
 *  The list is loaded when the stream is open, so that no request is missed in between. */
function followRequests(conversation) {
  stream?.stop();
  stream = null;
  if (conversation) return;
  const changed = () => emit("approvals_changed");
  stream = follow("/api/approvals/stream", { onevent: changed, onstate: changed });
}

function confirmAnswer({ settled, declined }) {
  if (declined) toast("Declined.");
  else toast(settled ? "Done." : "Approved. It runs once, when the program calls again.");
  emit("approvals_changed");
}

/** Opens the panel; its list changes while it is open. */
export async function showProgramApprovals() {
  if (panel) return;
  const { approvalCard } = await import("../chat/tool_call.js");
  const list = h("ul", { class: "requests" });
  const inDoubt = h("ul", { class: "requests doubts" });
  const none = h("p", { class: "faint" }, "No pending requests.");
  const cards = new Map();
  const draw = () => {
    const ids = new Set(requests.map(({ id }) => id));
    // An answered card stays until the panel is closed, so that nothing moves under the pointer.
    const isOver = (id, card) => !ids.has(id) && !card.querySelector(".answered");
    for (const [id, card] of cards) if (isOver(id, card)) (card.remove(), cards.delete(id));
    for (const one of requests) if (!cards.has(one.id)) cards.set(one.id, requestRow(one, approvalCard));
    // A card on the page is not moved: a person may be typing in it.
    for (const card of cards.values()) if (!card.isConnected) list.append(card);
    inDoubt.replaceChildren(...(callsInDoubt ?? []).map(callInDoubtRow));
    none.hidden = callsInDoubt === null || requests.length + callsInDoubt.length > 0;
  };
  panel = { draw };
  open({ title: "Requests from programs", kind: "panel", onclose: () => (panel = null) }, list, inDoubt, none);
  draw();
  loadCallsInDoubt();
}

function callInDoubtRow({ id, tool, asker, at }) {
  return h(
    "li",
    {},
    h("p", {}, icon("alert"), h("code", {}, tool), ` from ${asker} was interrupted (${formatTime(at)}). Outcome unknown.`),
    h("p", { class: "faint" }, "Check what happened, then run ", h("code", {}, `ghosthand ledger resolve ${id.slice(0, 8)}`)),
  );
}

function requestRow({ id, preview, previewLines, tool, args, asker, expiresAt }, approvalCard) {
  const request = { request: id, preview, previewLines, tool, args, expiresAt };
  const card = approvalCard({ ...request, event: "program_answered" });
  return h("li", {}, h("p", { class: "faint" }, `Requested by ${asker}`), card);
}
