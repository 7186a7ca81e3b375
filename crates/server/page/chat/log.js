// The log on the page: entries by key, what is being written after them, and where it is scrolled to.

import { h } from "../dom.js";
import { state } from "../state.js";
import { draw } from "./entry.js";
import { settle } from "./morph.js";
import { approval, keepsCard } from "./tool_call.js";

export const log = document.getElementById("log");
/** Message or call id → what is being written. */
export const live = new Map();
const shown = new Map(); // key → {node, json}
let actions = {}; // what a person can do with an entry
let stuck = true; // to the end of the conversation

export function clear() {
  shown.clear();
  live.clear();
  log.replaceChildren();
}

/** Shows a whole conversation; entries that did not change stay as they are. */
export function render(talk, acts) {
  actions = acts;
  const bottom = atBottom();
  const entries = keyed(withWaiting(talk));
  const keys = new Set(entries.map((entry) => entry.key));
  for (const [key, { node }] of shown) if (!keys.has(key)) node.remove();
  for (const key of [...shown.keys()]) if (!keys.has(key)) shown.delete(key);
  for (const node of log.querySelectorAll(":scope > .live, :scope > .first")) node.remove();
  live.clear();
  entries.forEach((entry, index) => place(entry, log.children[index]));
  for (const wait of loose(talk, entries))
    log.append(asLive(approval({ ...wait, remember: wait.mayBeRemembered })));
  if (!entries.length) log.append(h("p", { class: "first faint" }, "Say something to begin."));
  log.setAttribute("aria-busy", "false");
  document.getElementById("title").textContent = talk.title || "New conversation";
  document.title = `${talk.waiting?.length ? "(!) " : ""}${talk.title || "New conversation"} · Ghostpad`;
  document.getElementById("model").textContent = talk.model ?? "";
  running(isRunning(talk));
  if (bottom) toBottom();
}

/** A turn that is open and that nobody runs was left: a person can stop it or go on. */
export const isRunning = ({ running: yes }) => Boolean(yes);

/** Requests whose step is not in the log yet. */
const loose = (talk, entries) =>
  (talk.waiting ?? []).filter(
    ({ request }) => request && !entries.some((entry) => entry.state?.request === request),
  );

/** What the log does not hold of a request: until when, and whether the answer may be remembered. */
function withWaiting({ entries = [], waiting = [] }) {
  return entries.map((entry) => {
    const wait = entry.state?.request && waiting.find(({ request }) => request === entry.state.request);
    if (!wait) return entry;
    const { mayBeRemembered: remember, expiresAt } = wait;
    return { ...entry, state: { ...entry.state, remember, expiresAt } };
  });
}

/** Gives each entry a key that stays the same, and marks the last answer. */
function keyed(entries) {
  const seen = new Map();
  const all = entries.map((entry) => {
    const stem = entry.entry === "step" ? `call.${entry.call}` : `${entry.turn}.${entry.entry}`;
    const nth = (seen.get(stem) ?? 0) + 1;
    seen.set(stem, nth);
    return { ...entry, key: String(entry.key ?? `${stem}.${nth}`) };
  });
  const last = all.findLast((entry) => entry.entry === "assistant");
  if (last && last.turn === all.at(-1).turn) last.last = true;
  const end = all.at(-1);
  if (end?.entry === "ended") {
    end.last = true;
    end.partial = all.at(-2)?.entry === "assistant";
  }
  return all;
}

/** Puts an entry before `before`, or leaves it where it stands; `was` shows it half-written. */
export function place(entry, before = shown.get(entry.key)?.node, was = null) {
  const json = JSON.stringify({ ...entry, after: undefined }); // only the stream tells what comes before
  const old = shown.get(entry.key);
  let node = old?.node;
  if (old && keepsCard(old.node, entry)) old.json = json;
  if (!old || old.json !== json) {
    const half = entry.html === undefined ? null : (old?.node ?? was);
    node = draw(entry, actions);
    node.dataset.key = entry.key;
    if (half) node = settle(half, node);
    if (old) keepOpen(old.node, node);
    if (old && old.node !== node) old.node.replaceWith(node);
    shown.set(entry.key, { node, json });
    if (old && before === old.node) return node;
  }
  if (node !== before) log.insertBefore(node, before ?? null);
  return node;
}

export function keepOpen(from, to) {
  if (from.open && to.matches("details")) to.open = true;
}

export function asLive(node) {
  node.classList.add("live", "entry");
  return node;
}

/** Shows whether a turn is running. */
export function running(yes) {
  state.running = Boolean(yes);
  document.getElementById("stop").hidden = !yes;
  document.getElementById("send").hidden = Boolean(yes);
  log.classList.toggle("running", state.running);
}

export const atBottom = () => log.scrollHeight - log.scrollTop - log.clientHeight < 80;
export const toBottom = () => (log.scrollTop = log.scrollHeight);

export function startLog() {
  const latest = document.getElementById("latest");
  log.addEventListener(
    "scroll",
    () => {
      stuck = atBottom();
      latest.hidden = stuck;
    },
    { passive: true },
  );
  new ResizeObserver(() => stuck && state.talk && toBottom()).observe(log);
  latest.addEventListener("click", toBottom);
}
