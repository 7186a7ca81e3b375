// The open conversation: read from the server, followed by its stream, read again when in doubt.

import { get, path, post } from "./api.js";
import { startComposer, suggest } from "./composer.js";
import { guarded, h, toast } from "./dom.js";
import { receive } from "./live.js";
import { clear, log, render, running, startLog, toBottom } from "./log.js";
import { emit, on, state } from "./state.js";
import { follow } from "./stream.js";
import { welcome } from "./welcome.js";

let stream = null;
let opening = 0;
let pending = null;

/** Shows a conversation, or the welcome page for null. */
export async function openTalk(id) {
  const turn = (opening += 1);
  stream?.stop();
  stream = null;
  state.talk = null;
  clear();
  running(false);
  connection("open");
  if (!id) return showWelcome();
  log.setAttribute("aria-busy", "true");
  const talk = await read(id);
  if (turn !== opening) return;
  state.talk = talk;
  render(talk, acts);
  toBottom();
  emit("talk", talk);
  stream = follow(path`/api/conversations/${id}/stream`, {
    last: talk.last,
    onevent: (event) => state.talk?.id === id && receive(event),
    onstate: connection,
  });
}

/** A conversation, and of what waits in it whether a yes may be remembered. */
async function read(id) {
  const talk = await get(path`/conversations/${id}`);
  if (!talk.waiting?.length) return talk;
  const asked = await get("/approvals").catch(() => []);
  const known = new Map(asked.map((one) => [one.id, one.mayBeRemembered]));
  talk.waiting = talk.waiting.map((wait) => ({ mayBeRemembered: known.get(wait.request), ...wait }));
  return talk;
}

function showWelcome() {
  log.removeAttribute("aria-busy");
  log.replaceChildren(welcome(suggest));
  emit("talk", null);
}

/** Brings the page to what the log says. */
async function sync() {
  const id = state.talk?.id;
  if (!id) return;
  const talk = await read(id);
  if (state.talk?.id !== id) return;
  const turned = talk.title !== state.talk.title;
  state.talk = talk;
  render(talk, acts);
  if (turned) emit("talks");
}

const acts = {
  edit(entry, article) {
    const input = h("textarea", { rows: "3", "aria-label": "Your message", value: entry.text });
    const back = () => article.replaceChildren(...before);
    const before = [...article.childNodes];
    const send = guarded(async (event) => {
      event.preventDefault();
      if (!input.value.trim()) return;
      await post(path`/conversations/${state.talk.id}/edit`, { turn: entry.turn, text: input.value });
      running(true);
      await sync();
    });
    article.replaceChildren(
      h(
        "form",
        {
          class: "editing",
          onsubmit: send,
          onkeydown: (event) => {
            if (event.key === "Escape") back();
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
          },
        },
        input,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "ghost", onclick: back }, "Cancel"),
          h("button", { class: "primary" }, "Ask again"),
        ),
      ),
    );
    input.focus();
  },
  regenerate: guarded(async () => {
    await post(path`/conversations/${state.talk.id}/regenerate`);
    running(true);
    await sync();
  }),
  branch: guarded(async (entry) => {
    const from = entry.event === undefined ? { turn: entry.turn } : { event: entry.event };
    const { id } = await post(path`/conversations/${state.talk.id}/branch`, from);
    toast("A branch was made; the old conversation stays as it is.");
    emit("talks");
    location.hash = `#/${id}`;
  }),
};

/** Reads the log again soon; many reasons at once are one request. */
function later() {
  clearTimeout(pending);
  pending = setTimeout(guarded(sync), 60);
}

function connection(how) {
  const note = document.getElementById("offline");
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

export function startChat() {
  startLog();
  startComposer(openTalk);
  document.addEventListener(
    "visibilitychange",
    () => document.visibilityState === "visible" && state.talk && later(),
  );
  on("stale", later);
  on("answered", () => running(true));
}
