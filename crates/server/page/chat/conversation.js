// The open conversation: read from the server, followed by its stream, read again when in doubt.

import { get, path } from "../api.js";
import { startFeatures } from "../components/features.js";
import { guarded } from "../dom.js";
import { emit, on, state } from "../state.js";
import { follow } from "./event_stream.js";
import { receive } from "./live_events.js";
import { clear, isRunning, live, log, render, running, startLog, toBottom } from "./log.js";
import { acts } from "./message_actions.js";

let stream = null;
let opening = 0;
let pending = null;
let heard = 0; // what has happened in the conversation since the page was opened

/** Leaves the open conversation. */
export function closeTalk() {
  opening += 1;
  leave();
  clear();
}

function leave() {
  stream?.stop();
  stream = null;
  state.talk = null;
  running(false);
  connection("open");
}

/** Shows a conversation. What was shown before stays until the other is there. */
export function openTalk(id) {
  const opened = open(id);
  state.started = opened.catch(() => null);
  return opened;
}

async function open(id) {
  const turn = (opening += 1);
  log.setAttribute("aria-busy", "true");
  const talk = await read(id);
  if (turn !== opening) return;
  if (state.talk?.id !== id) clear();
  leave();
  state.talk = talk;
  render(talk, acts);
  toBottom();
  emit("talk", talk);
  stream = follow(path`/api/conversations/${id}/stream`, {
    last: talk.last,
    onevent: (event) => {
      if (state.talk?.id !== id) return;
      if (event.id !== null) heard += 1;
      receive(event);
    },
    onstate: connection,
  });
}

/** A conversation, and of what waits in it for how long, and whether a yes may be remembered. */
async function read(id) {
  const talk = await get(path`/conversations/${id}`);
  if (!talk.waiting?.length) return talk;
  const asked = await get("/approvals").catch(() => []);
  const known = new Map(asked.map((one) => [one.id, one]));
  talk.waiting = talk.waiting.map((wait) => {
    const { mayBeRemembered, expiresAt } = known.get(wait.request) ?? {};
    return { mayBeRemembered, expiresAt, ...wait };
  });
  return talk;
}

/** Brings the page to what the log says. */
async function sync() {
  const id = state.talk?.id;
  if (!id) return undefined;
  const before = heard;
  const talk = await read(id);
  if (state.talk?.id !== id) return undefined;
  // What is being said is in the stream and not yet in the log.
  if (isRunning(talk) && live.size) return undefined;
  // The answer is older than what the stream has told meanwhile.
  if (heard !== before) return later();
  const turned = talk.title !== state.talk.title;
  state.talk = talk;
  render(talk, acts);
  if (turned) emit("talks");
  return undefined;
}

/** Reads the log again soon; many reasons at once are one request. */
function later() {
  clearTimeout(pending);
  pending = setTimeout(guarded(sync), 60);
}

let lost = false;

function connection(how) {
  const note = document.getElementById("offline");
  const back = lost && how === "open" && state.talk;
  lost = how === "lost";
  if (back) for (const name of ["back", "features", "stale"]) emit(name);
  clearTimeout(note.timer);
  note.hidden = true;
  if (how === "open") return;
  note.timer = setTimeout(
    () => {
      note.hidden = false;
      note.textContent =
        how === "gone" ? "This conversation is not here any more." : "Connection lost. Trying again…";
    },
    how === "gone" ? 0 : 1500,
  );
}

startLog();
startFeatures();
document.addEventListener(
  "visibilitychange",
  () => document.visibilityState === "visible" && state.talk && later(),
);
on("stale", later);
on(
  "reload",
  guarded(() => state.talk && openTalk(state.talk.id)),
);
on("answered", () => {
  heard += 1;
  running(true);
});
