// Applies the events of a running turn: each one changes the end of the log.

import { announce } from "../dom.js";
import { nodesFromHtml } from "../rendered_html.js";
import { emit } from "../state.js";
import { t } from "../words.js";
import { drawEntry } from "./entry.js";
import { isAtBottom, keepOpen, live, log, markLive, placeEntry, scrollToBottom, setRunning } from "./log.js";
import { morphNodes } from "./morph.js";

/** Applies one event of the stream. */
export function applyEvent({ type, data }) {
  const wasAtBottom = isAtBottom();
  events[type]?.(data);
  if (wasAtBottom) scrollToBottom();
}

const events = {
  RUN_STARTED: () => setRunning(true),
  RUN_FINISHED: (data) => {
    setRunning(false);
    const isInterrupted = data.outcome?.type === "interrupt";
    const text = [...log.querySelectorAll(".assistant > .text")].at(-1)?.textContent;
    announce(isInterrupted ? waitsFor(data.outcome) : text || t("The answer is complete."));
    emit("stale");
    emit("conversations");
    if (!isInterrupted) emit("turn_ended", data.result?.how === "cancelled" ? "stopped" : "complete");
  },
  RUN_ERROR: (data) => {
    setRunning(false);
    announce(data.message);
    emit("stale");
    emit("turn_ended", "failed");
  },
  TEXT_MESSAGE_START: ({ messageId, role }) => liveMessage(messageId, role === "system" ? "system" : "assistant"),
  TEXT_MESSAGE_END: ({ messageId }) => live.get(messageId)?.node.classList.remove("writing"),
  REASONING_MESSAGE_START: ({ messageId }) => liveMessage(messageId, "thinking"),
  REASONING_MESSAGE_CONTENT: ({ messageId, delta }) => liveMessage(messageId, "thinking").body.append(delta),
  TOOL_CALL_START: ({ toolCallId, toolCallName }) =>
    drawLiveCall(toolCallId, { tool: toolCallName, args: {}, state: { state: "open" } }),
  TOOL_CALL_ARGS: ({ toolCallId, delta }) => {
    const call = live.get(toolCallId);
    if (call) call.json = (call.json ?? "") + delta;
  },
  TOOL_CALL_END: ({ toolCallId }) => {
    const call = live.get(toolCallId);
    if (call?.json) drawLiveCall(toolCallId, { ...call.entry, args: parseJson(call.json) });
  },
  TOOL_CALL_RESULT: ({ toolCallId, content }) => {
    const call = live.get(toolCallId);
    if (call) drawLiveCall(toolCallId, { ...call.entry, state: { state: "done", content: parseJson(content) } });
  },
  CUSTOM: ({ name, value }) => customEvents[name]?.(value),
};

const customEvents = {
  rendered: ({ key, from, blocks }) => {
    const { body, blocks: shown } = liveMessage(key, "assistant");
    const fresh = blocks.map(nodesFromHtml);
    const now = morphNodes(body, shown.splice(from).flat(), fresh.flat());
    for (const { length } of fresh) shown.push(now.splice(0, length));
  },
  entry: (value) =>
    entryFinished(value.entry?.entry ? { ...value.entry, key: value.key ?? value.entry.key } : value),
  approval: () => personNeeded(NEEDS_APPROVAL),
  waiting: () => personNeeded(NEEDS_APPROVAL),
  questions: () => personNeeded(HAS_QUESTION),
  reload: () => emit("reload"),
  settings: () => emit("stale"),
  progress: ({ key, fraction, note }) => {
    const call = [...live]
      .find(([id]) => key === id || key.endsWith(`.${id}`))?.[1]
      .node.querySelector(".took");
    const share = typeof fraction === "number" ? t("{n} %", { n: Math.round(fraction * 100) }) : "";
    if (call) call.textContent = [share, note].filter(Boolean).join(" · ");
  },
  message: async ({ message }) => {
    if (message?.type === "start_voice_session") (await import("../voice/talk.js")).offer();
  },
  approvals_changed: () => emit("approvals_changed"),
  features_changed: () => emit("features_changed"),
  kv_update: (value) => emit("kv_changed", value),
};

const NEEDS_APPROVAL = t("A tool needs your approval.");
const HAS_QUESTION = t("A tool has a question for you.");

const waitsFor = ({ interrupts = [] }) =>
  interrupts.some(({ reason }) => reason === "input_required") ? HAS_QUESTION : NEEDS_APPROVAL;

function personNeeded(text) {
  setRunning(false);
  announce(text);
  emit("stale");
  emit("conversations");
}

/** The log now holds this entry: it replaces the unfinished one. */
function entryFinished(entry) {
  if (entry.key === undefined || entry.key === null) {
    if (entry.entry !== "step") return emit("stale");
    entry.key = `call.${entry.call}.1`;
  }
  entry.key = String(entry.key);
  const exact = [...live].find(([id]) => id === entry.key || id === entry.call);
  const found = exact ?? [...live].find(([, { kind }]) => kind === "user" && entry.entry === "user");
  const [id, draft] = found ?? [];
  const node = placeEntry(entry, draft?.node, draft?.blocks && draft.node);
  if (draft) {
    keepOpen(draft.node, node);
    if (draft.node !== node) draft.node.remove();
    live.delete(id);
  }
  return node;
}

function liveMessage(id, kind) {
  const found = live.get(id);
  if (found) return found;
  const node = drawEntry({ entry: kind, text: "", html: "" });
  const body = node.querySelector(".text, .thought");
  node.classList.add("writing");
  node.dataset.key = id;
  log.append(markLive(node));
  const message = { node, body, kind, blocks: kind === "thinking" ? null : [] };
  live.set(id, message);
  return message;
}

function drawLiveCall(id, entry) {
  const node = markLive(drawEntry({ entry: "step", ...entry }));
  const old = live.get(id);
  if (old) {
    keepOpen(old.node, node);
    old.node.replaceWith(node);
  } else {
    log.append(node);
  }
  live.set(id, { ...old, node, entry, kind: "step" });
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
