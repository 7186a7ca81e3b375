// What happens while a turn runs: each event of the stream changes the end of the log.

import { say, toast } from "../dom.js";
import { rendered } from "../rendered_html.js";
import { emit } from "../state.js";
import { draw } from "./entry.js";
import { asLive, atBottom, keepOpen, live, log, place, running, toBottom } from "./log.js";
import { morph } from "./morph.js";

/** One event of the stream. */
export function receive({ type, data }) {
  const bottom = atBottom();
  events[type]?.(data);
  if (bottom) toBottom();
}

const events = {
  RUN_STARTED: () => running(true),
  RUN_FINISHED: (data) => {
    running(false);
    const asks = data.outcome?.type === "interrupt";
    const text = [...log.querySelectorAll(".assistant > .text")].at(-1)?.textContent;
    say(asks ? ASKS : text || "The answer is complete.");
    emit("stale");
    emit("talks");
  },
  RUN_ERROR: (data) => {
    running(false);
    toast(data.message, "bad");
    emit("stale");
  },
  TEXT_MESSAGE_START: ({ messageId, role }) => writing(messageId, role === "system" ? "system" : "assistant"),
  TEXT_MESSAGE_END: ({ messageId }) => live.get(messageId)?.node.classList.remove("writing"),
  REASONING_MESSAGE_START: ({ messageId }) => writing(messageId, "thinking"),
  REASONING_MESSAGE_CONTENT: ({ messageId, delta }) => writing(messageId, "thinking").body.append(delta),
  TOOL_CALL_START: ({ toolCallId, toolCallName }) =>
    calling(toolCallId, { tool: toolCallName, args: {}, state: { state: "open" } }),
  TOOL_CALL_ARGS: ({ toolCallId, delta }) => {
    const call = live.get(toolCallId);
    if (call) call.json = (call.json ?? "") + delta;
  },
  TOOL_CALL_END: ({ toolCallId }) => {
    const call = live.get(toolCallId);
    if (call?.json) calling(toolCallId, { ...call.entry, args: readJson(call.json) });
  },
  TOOL_CALL_RESULT: ({ toolCallId, content }) => {
    const call = live.get(toolCallId);
    if (call) calling(toolCallId, { ...call.entry, state: { state: "done", content: readJson(content) } });
  },
  CUSTOM: ({ name, value }) => customs[name]?.(value),
};

const customs = {
  rendered: ({ key, from, blocks }) => {
    const { body, blocks: known } = writing(key, "assistant");
    const fresh = blocks.map(rendered);
    const now = morph(body, known.splice(from).flat(), fresh.flat());
    for (const { length } of fresh) known.push(now.splice(0, length));
  },
  entry: (value) =>
    arrived(value.entry?.entry ? { ...value.entry, key: value.key ?? value.entry.key } : value),
  approval: asked,
  waiting: asked,
  reload: () => emit("reload"),
  progress: ({ key, fraction, note }) => {
    const call = [...live]
      .find(([id]) => key === id || key.endsWith(`.${id}`))?.[1]
      .node.querySelector(".took");
    const share = typeof fraction === "number" ? `${Math.round(fraction * 100)} %` : "";
    if (call) call.textContent = [share, note].filter(Boolean).join(" · ");
  },
  approvals_changed: () => emit("approvals"),
  features_changed: () => emit("features"),
  kv_update: (value) => emit("kv", value),
};

const ASKS = "A tool waits for your permission.";

function asked() {
  running(false);
  say(ASKS);
  emit("stale");
  emit("talks");
}

/** An entry that the log now holds: it takes the place of what was being written. */
function arrived(entry) {
  if (entry.key === undefined || entry.key === null) {
    if (entry.entry !== "step") return emit("stale");
    entry.key = `call.${entry.call}.1`;
  }
  entry.key = String(entry.key);
  const exact = [...live].find(([id]) => id === entry.key || id === entry.call);
  const kin = exact ?? [...live].find(([, { kind }]) => kind === "user" && entry.entry === "user");
  const node = place(entry, kin?.[1].node, kin?.[1].blocks && kin[1].node);
  if (kin) {
    keepOpen(kin[1].node, node);
    if (kin[1].node !== node) kin[1].node.remove();
    live.delete(kin[0]);
  }
  return node;
}

function writing(id, kind) {
  const found = live.get(id);
  if (found) return found;
  const node = draw({ entry: kind, text: "", html: "" });
  const body = node.querySelector(".text, .thought");
  node.classList.add("writing");
  log.append(asLive(node));
  const made = { node, body, kind, blocks: kind === "thinking" ? null : [] };
  live.set(id, made);
  return made;
}

function calling(id, entry) {
  const node = asLive(draw({ entry: "step", ...entry }));
  const old = live.get(id);
  if (old) {
    keepOpen(old.node, node);
    old.node.replaceWith(node);
  } else {
    log.append(node);
  }
  live.set(id, { ...old, node, entry, kind: "step" });
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
