// What programs may do only with a person's leave: a mark in the bar, and the questions behind it.

import { h, say, toast } from "./dom.js";
import { icon } from "./icon.js";
import { emit, on } from "./state.js";

let asked = [];
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
  return mark;
}

function told(list) {
  const before = asked.length;
  asked = list.filter(({ asker }) => asker);
  const words = asked.length === 1 ? "1 request waits for you" : `${asked.length} requests wait for you`;
  mark.hidden = asked.length === 0;
  mark.title = words;
  mark.setAttribute("aria-label", words);
  count.textContent = String(asked.length);
  if (asked.length > before) say("A program waits for your permission.");
  panel?.draw();
}

/** The stream of an open conversation tells of requests too; a page without one has its own. */
async function follow(talk) {
  const place = (places += 1);
  stream?.stop();
  stream = null;
  if (talk) return;
  const { follow: read } = await import("./stream.js");
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
  const [{ open }, { approval }] = await Promise.all([import("./dialog.js"), import("./step.js")]);
  const list = h("ul", { class: "requests" });
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
    none.hidden = asked.length > 0;
  };
  panel = { draw };
  open({ title: "Requests of programs", kind: "panel", onclose: () => (panel = null) }, list, none);
  draw();
}

function row({ id, preview, tool, args, asker, expiresAt }, approval) {
  const card = approval({ request: id, preview, tool, args, expiresAt, event: "settled" });
  return h("li", {}, h("p", { class: "faint" }, `Asked by ${asker}`), card);
}
