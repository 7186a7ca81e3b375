// The conversation log on the page: finished entries by key, then text that is being written, and scrolling.

import { costText, shortCost } from "../cost.js";
import { h } from "../dom.js";
import { emit, state } from "../state.js";
import { t } from "../words.js";
import { drawEntry } from "./entry.js";
import { morphEntry } from "./morph.js";
import { approvalCard, updateApprovalCard } from "./tool_call.js";
import { showModel } from "./welcome.js";

export const log = document.getElementById("log");
/** Message or call id → what is being written. */
export const live = new Map();
const shown = new Map(); // key → {node, json}
let actions = {}; // see message_actions.js
let followsEnd = true; // scrolled to the end, so new text scrolls along

export function clear() {
  shown.clear();
  live.clear();
  log.replaceChildren();
  showUsage(null);
}

/** Shows a whole conversation; unchanged entries keep their elements. */
export function render(conversation, entryActions) {
  actions = entryActions;
  const wasAtBottom = isAtBottom();
  const entries = withKeys(withRequests(conversation));
  const keys = new Set(entries.map((entry) => entry.key));
  for (const [key, { node }] of shown) if (!keys.has(key)) node.remove();
  for (const key of [...shown.keys()]) if (!keys.has(key)) shown.delete(key);
  for (const node of log.querySelectorAll(":scope > .live, :scope > .first, :scope > .earlier-entries")) node.remove();
  live.clear();
  entries.forEach((entry, index) => placeEntry(entry, log.children[index]));
  for (const wait of requestsWithoutEntry(conversation, entries))
    log.append(markLive(approvalCard({ ...wait, remember: wait.mayBeRemembered })));
  if (conversation.earlier) log.prepend(earlierButton(conversation.earlier));
  if (!entries.length) log.append(h("p", { class: "first faint" }, t("Send a message to start.")));
  log.setAttribute("aria-busy", "false");
  const named = conversation.title || t("New conversation");
  // The browser keeps titles of pages in its history.
  const title = conversation.temporary ? t("Temporary conversation") : named;
  document.getElementById("title").textContent = title;
  document.title = `${conversation.waiting?.length ? "(!) " : ""}${title} · Ghostpad`;
  showModel(conversation.model, conversation.modelGone);
  showUsage(conversation);
  setRunning(conversation.running);
  if (wasAtBottom) scrollToBottom();
}

/** How full the model's window is after its last answer, what that answer cost, and what all did. */
function showUsage(conversation) {
  const place = document.getElementById("usage");
  const { contextTokens: context, window, cost = {}, usage = {} } = conversation ?? {};
  place.replaceChildren();
  place.title = "";
  if (!context) return;
  const tokens = t("{n} {n:token|tokens} in context", { n: context });
  const input = usage.input + usage.cache_read + usage.cache_write;
  const newest = costText(cost.answer);
  const all = costText(cost.conversation);
  const words = [
    t("In all answers: {read} {read:token|tokens} read, {written} written", { read: input, written: usage.output ?? 0 }),
    newest && t("newest answer: {cost}", { cost: newest }),
    all && t("whole conversation: {cost}", { cost: all }),
  ];
  const short = shortCost(cost.conversation);
  place.title = words.filter(Boolean).join("; ");
  if (window) place.append(meter(context, window));
  place.append(h("span", { class: "tokens" }, tokens));
  if (short) place.append(h("span", { class: "cost", "aria-hidden": "true" }, short));
  place.append(h("span", { class: "sr" }, place.title));
}

/** A bar for eyes, and words for everybody else. */
function meter(context, window) {
  const share = Math.min(100, Math.round((context / window) * 100));
  const label = t("{share} % of the window of {n} {n:token|tokens} is used", { share, n: window });
  return h(
    "span",
    { class: `window-meter ${share >= 80 ? "full" : ""}`, role: "img", "aria-label": label, title: label },
    h("span", { style: { width: `${Math.max(2, share)}%` } }),
  );
}

function earlierButton(count) {
  const onclick = ({ currentTarget }) => {
    currentTarget.disabled = true;
    emit("earlier");
  };
  const text = t("Show earlier messages ({n})", { n: count });
  return h("p", { class: "earlier-entries" }, h("button", { type: "button", class: "outline", onclick }, text));
}

/** Pending requests whose tool call is not in the log yet. */
const requestsWithoutEntry = (conversation, entries) =>
  (conversation.waiting ?? []).filter(
    ({ request }) => request && !entries.some((entry) => entry.state?.request === request),
  );

/** Adds to each pending request what the log does not hold: its expiry and whether an answer can be remembered. */
function withRequests({ entries = [], waiting = [] }) {
  return entries.map((entry) => {
    const wait = entry.state?.request && waiting.find(({ request }) => request === entry.state.request);
    if (!wait) return entry;
    const { mayBeRemembered: remember, expiresAt } = wait;
    return { ...entry, state: { ...entry.state, remember, expiresAt } };
  });
}

/** Gives each entry a stable key, marks the last answer, and joins the pieces that a tool sent. */
function withKeys(entries) {
  const seen = new Map();
  const all = entries.map((entry) => {
    const stem = entry.entry === "step" ? `call.${entry.call}` : `${entry.turn}.${entry.entry}`;
    const nth = (seen.get(stem) ?? 0) + 1;
    seen.set(stem, nth);
    return { ...entry, key: String(entry.key ?? `${stem}.${nth}`) };
  });
  const last = all.findLast((entry) => entry.entry === "assistant");
  if (last && last.turn === all.at(-1).turn) last.last = true;
  join(all);
  nameModels(all);
  const end = all.at(-1);
  if (end?.entry === "ended") {
    end.last = true;
    end.partial = all.at(-2)?.entry === "assistant";
  }
  return all;
}

/** A message that had a model of its own: its answer says which. */
function nameModels(entries) {
  const models = new Map(entries.filter(({ entry, model }) => entry === "user" && model).map(({ turn, model }) => [turn, model]));
  const answers = entries.filter(({ entry, turn }) => entry === "assistant" && models.has(turn));
  for (const answer of answers) answer.answeredBy = models.get(answer.turn);
  const answered = new Set(answers.map(({ turn }) => turn));
  for (const one of entries) if (one.entry === "user" && answered.has(one.turn)) delete one.model;
}

/** Consecutive pieces of an answer are one block: only the last one has buttons, which copy them all. */
function join(entries) {
  let pieces = [];
  entries.forEach((entry, index) => {
    if (entry.entry !== "assistant") {
      if (entry.entry !== "system") pieces = [];
      return;
    }
    pieces.push(entry.text);
    const rest = entries.slice(index + 1, index + 8).find(({ entry: kind }) => kind !== "system");
    if (rest?.entry === "assistant" && rest.turn === entry.turn) entry.joined = true;
    else if (pieces.length > 1) entry.whole = pieces.join("\n\n");
  });
}

/** Inserts an entry before `before`, or updates it in place; `draft` is the element of its unfinished text. */
export function placeEntry(entry, before = shown.get(entry.key)?.node, draft = null) {
  const json = JSON.stringify({ ...entry, after: undefined }); // only events carry `after`
  const old = shown.get(entry.key);
  let node = old?.node;
  if (old && updateApprovalCard(old.node, entry)) old.json = json;
  if (!old || old.json !== json) {
    const reused = entry.html === undefined ? null : (old?.node ?? draft);
    node = drawEntry(entry, actions);
    node.dataset.key = entry.key;
    if (entry.entry === "user") node.dataset.turn = entry.turn;
    if (reused) node = morphEntry(reused, node);
    if (old) keepOpen(old.node, node);
    if (old && old.node !== node) old.node.replaceWith(node);
    shown.set(entry.key, { node, json });
    if (node.querySelector(".diagram:not([data-state])")) import("./diagram.js").then(({ drawDiagrams }) => drawDiagrams(node));
    if (old && before === old.node) return node;
  }
  if (node !== before) log.insertBefore(node, before ?? null);
  return node;
}

export function keepOpen(from, to) {
  if (from.open && to.matches("details")) to.open = true;
}

export function markLive(node) {
  node.classList.add("live", "entry");
  return node;
}

/** Shows whether a turn is running. */
export function setRunning(running) {
  const wasRunning = state.running;
  state.running = Boolean(running);
  if (state.running !== wasRunning) emit("running", state.running);
  document.getElementById("stop").hidden = !state.running;
  document.getElementById("send").hidden = state.running;
  log.classList.toggle("running", state.running);
}

export const isAtBottom = () => log.scrollHeight - log.scrollTop - log.clientHeight < 80;
export const scrollToBottom = () => (log.scrollTop = log.scrollHeight);

export function startLog() {
  const latest = document.getElementById("latest");
  log.addEventListener(
    "scroll",
    () => {
      followsEnd = isAtBottom();
      latest.hidden = followsEnd;
    },
    { passive: true },
  );
  new ResizeObserver(() => followsEnd && state.conversation && scrollToBottom()).observe(log);
  latest.addEventListener("click", scrollToBottom);
}
