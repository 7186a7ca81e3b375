// What programs may do only with a person's leave: a mark in the bar, and the questions behind it.

import { get } from "../api.js";
import { h, say, toast, when } from "../dom.js";
import { icon } from "../icon.js";
import { emit, on } from "../state.js";

let asked = [];
let doubts = [];
let panel = null;
let stream = null;
let places = 0;

const count = h("span", { class: "count" });
const mark = h(
  "button",
  { type: "button", class: "quiet asks", hidden: true, onclick: () => showRequests() },
  icon("key"),
  count,
);

/** The mark for the bar; it shows itself when somebody asks. */
export function startRequests() {
  on("asked", told);
  on("talk", follow);
  on("settled", settled);
  doubt();
  return mark;
}

/** Calls of programs that were cut off: nobody knows how they ended, so a person has to look. */
async function doubt() {
  doubts = await get("/doubts").catch(() => []);
  marked();
  panel?.draw();
}

function told(list) {
  const before = asked.length;
  asked = list.filter(({ asker }) => asker);
  marked();
  if (asked.length > before) say("A program waits for your permission.");
  panel?.draw();
}

function marked() {
  const wait = asked.length === 1 ? "1 request waits for you" : `${asked.length} requests wait for you`;
  const doubted = doubts.length === 1 ? "1 call is in doubt" : `${doubts.length} calls are in doubt`;
  const words = [asked.length ? wait : "", doubts.length ? doubted : ""].filter(Boolean).join(", ");
  mark.hidden = words === "";
  mark.title = words;
  mark.setAttribute("aria-label", words);
  count.textContent = String(asked.length + doubts.length);
}

/** The stream of an open conversation tells of requests too; a page without one has its own. */
async function follow(talk) {
  const place = (places += 1);
  stream?.stop();
  stream = null;
  if (talk) return;
  const { follow: read } = await import("../chat/event_stream.js");
  if (place !== places) return;
  const news = () => emit("approvals");
  stream = read("/api/approvals/stream", { onevent: news, onstate: (how) => how === "open" && news() });
}

function settled({ settled: ran, declined }) {
  if (declined) toast("Declined.");
  else toast(ran ? "It has run." : "Approved. It runs once, when the program asks again.");
  emit("approvals");
}

/** Opens the questions; they come and go while they are looked at. */
export async function showRequests() {
  if (panel) return;
  const [{ open }, { approval }] = await Promise.all([import("../dialog.js"), import("../chat/tool_call.js")]);
  const list = h("ul", { class: "requests" });
  const unsure = h("ul", { class: "requests doubts" });
  const none = h("p", { class: "faint" }, "Nothing waits for you.");
  const cards = new Map();
  const draw = () => {
    const ids = new Set(asked.map(({ id }) => id));
    // What was answered here stays until the panel is closed, so that nothing moves away.
    const isOver = (id, card) => !ids.has(id) && !card.querySelector(".answered");
    for (const [id, card] of cards) if (isOver(id, card)) (card.remove(), cards.delete(id));
    for (const one of asked) if (!cards.has(one.id)) cards.set(one.id, row(one, approval));
    // What is there already is not moved: a person may be writing in it.
    for (const card of cards.values()) if (!card.isConnected) list.append(card);
    unsure.replaceChildren(...doubts.map(unknown));
    none.hidden = asked.length + doubts.length > 0;
  };
  panel = { draw };
  open({ title: "Requests of programs", kind: "panel", onclose: () => (panel = null) }, list, unsure, none);
  draw();
  doubt();
}

function unknown({ id, tool, asker, at }) {
  return h(
    "li",
    {},
    h("p", {}, icon("alert"), h("code", {}, tool), ` of ${asker} was cut off (${when(at)}): nobody knows how it ended.`),
    h("p", { class: "faint" }, "Look, then say so: ", h("code", {}, `ghosthand ledger resolve ${id.slice(0, 8)}`)),
  );
}

function row({ id, preview, tool, args, asker, expiresAt }, approval) {
  const card = approval({ request: id, preview, tool, args, expiresAt, event: "settled" });
  return h("li", {}, h("p", { class: "faint" }, `Asked by ${asker}`), card);
}
