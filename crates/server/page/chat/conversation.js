// The open conversation: loaded from the server, followed by its event stream, reloaded when in doubt.

import { get, path } from "../api.js";
import { startFeatures } from "../components/features.js";
import { guarded } from "../dom.js";
import { keepOfflinePage } from "../install/offline_page.js";
import { followClicks } from "../rendered_html.js";
import { emit, on, state } from "../state.js";
import { t } from "../words.js";
import { follow } from "./event_stream.js";
import { applyEvent } from "./live_events.js";
import { clear, live, log, render, scrollToBottom, setRunning, startLog } from "./log.js";
import { messageActions } from "./message_actions.js";
import { startNotifications } from "./notifications.js";

/** How many entries are loaded at a time; a long conversation is loaded from its end. */
const ENTRIES = 150;

let stream = null;
let openCount = 0;
let syncTimer = null;
let entriesMax = ENTRIES; // how many entries are shown, from the end
let eventCount = 0; // a snapshot that was requested before an event is out of date

/** Leaves the open conversation. */
export function closeConversation() {
  openCount += 1;
  disconnect();
  clear();
}

function disconnect() {
  stream?.stop();
  stream = null;
  state.conversation = null;
  setRunning(false);
  showConnection("open");
}

/** Shows a conversation. The previous one stays visible until the new one is loaded. */
export function openConversation(id) {
  const opened = open(id);
  state.started = opened.catch(() => null);
  return opened;
}

async function open(id) {
  const attempt = (openCount += 1);
  log.setAttribute("aria-busy", "true");
  if (state.conversation?.id !== id) entriesMax = ENTRIES;
  const conversation = await load(id);
  if (attempt !== openCount) return;
  if (state.conversation?.id !== id) clear();
  disconnect();
  state.conversation = conversation;
  render(conversation, messageActions);
  lookAgain(conversation);
  scrollToBottom();
  emit("conversation", conversation);
  if (conversation.temporary) (await import("../organise/temporary.js")).showTemporary(conversation);
  if (hasQueue(id)) import("./queue.js");
  stream = follow(path`/api/conversations/${id}/stream`, {
    last: conversation.last,
    onevent: (event) => {
      if (state.conversation?.id !== id) return;
      if (event.id !== null) eventCount += 1;
      applyEvent(event);
    },
    onstate: showConnection,
  });
}

/** Loads a conversation, and for pending requests when they expire and whether an answer can be remembered. */
async function load(id) {
  const conversation = await get(path`/conversations/${id}?last=${entriesMax}`);
  if (!conversation.waiting?.length) return conversation;
  const approvals = await get("/approvals").catch(() => []);
  const byId = new Map(approvals.map((one) => [one.id, one]));
  conversation.waiting = conversation.waiting.map((wait) => {
    const { mayBeRemembered, expiresAt } = byId.get(wait.request) ?? {};
    return { mayBeRemembered, expiresAt, ...wait };
  });
  return conversation;
}

/** Messages that waited for an answer when the page was left. */
function hasQueue(id) {
  try {
    return sessionStorage.getItem(`queue:${id}`) !== null;
  } catch {
    return false;
  }
}

/** Loads the entries before the first one that is shown; what a person reads stays in its place. */
const showEarlier = guarded(async () => {
  entriesMax += ENTRIES;
  const before = log.scrollHeight - log.scrollTop;
  await sync();
  log.scrollTop = log.scrollHeight - before;
});

/** Brings the page in line with the server's log. */
async function sync() {
  const id = state.conversation?.id;
  if (!id) return undefined;
  const before = eventCount;
  const conversation = await load(id);
  if (state.conversation?.id !== id) return undefined;
  // Text that is still being written is only in the stream, not in the log.
  if (conversation.running && live.size) return undefined;
  if (eventCount !== before) return syncSoon();
  const isRenamed = conversation.title !== state.conversation.title;
  state.conversation = conversation;
  render(conversation, messageActions);
  lookAgain(conversation);
  if (isRenamed) emit("conversations");
  return undefined;
}

/** A turn beside an open question is about to pause, perhaps before the stream began: nothing would tell. */
function lookAgain({ running, waiting }) {
  if (running && waiting?.length) setTimeout(syncSoon, 1000);
}

/** Merges several reasons to reload into one request. */
function syncSoon() {
  clearTimeout(syncTimer);
  syncTimer = setTimeout(guarded(sync), 60);
}

let isLost = false;

/** `status` is what the event stream reports: "open", "lost" or "gone". */
function showConnection(status) {
  const note = document.getElementById("offline");
  const isBack = isLost && status === "open" && state.conversation;
  isLost = status === "lost";
  if (isBack) for (const name of ["reconnected", "features_changed", "stale"]) emit(name);
  clearTimeout(note.timer);
  note.hidden = true;
  if (status === "open") return;
  note.timer = setTimeout(
    () => {
      note.hidden = false;
      note.textContent =
        status === "gone" ? t("This conversation no longer exists.") : t("Connection lost. Reconnecting…");
    },
    status === "gone" ? 0 : 1500,
  );
}

startLog();
followClicks(log);
on("earlier", showEarlier);
startFeatures();
startNotifications();
keepOfflinePage();
document.addEventListener(
  "visibilitychange",
  () => document.visibilityState === "visible" && state.conversation && syncSoon(),
);
on("stale", syncSoon);
on(
  "reload",
  guarded(() => state.conversation && openConversation(state.conversation.id)),
);
on("answered", () => {
  eventCount += 1;
  setRunning(true);
});
