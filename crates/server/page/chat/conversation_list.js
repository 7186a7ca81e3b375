// The list of conversations on the left: search, open, delete; a drawer on a phone.

import { get, path, post, remove } from "../api.js";
import { guarded, h, iconButton, toast, when } from "../dom.js";
import { emit, on, state } from "../state.js";

const list = document.getElementById("talks");
const search = document.getElementById("search");
const side = document.getElementById("side");
let waiting = new Map(); // conversation → how many requests wait there
let latest = 0;

export const refresh = guarded(async () => {
  const turn = (latest += 1);
  const [talks, asked] = await Promise.all([
    get(`/conversations?search=${encodeURIComponent(search.value.trim())}`),
    get("/approvals").catch(() => null),
  ]);
  if (turn !== latest) return;
  if (asked) emit("asked", asked);
  waiting = new Map();
  for (const { request = {}, conversation } of asked ?? []) {
    const id = conversation ?? request.conversation;
    waiting.set(id, (waiting.get(id) ?? 0) + 1);
  }
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const name = focused?.getAttribute("href") ?? focused?.getAttribute("aria-label");
  list.replaceChildren(...talks.map(row));
  if (focused) [...list.querySelectorAll("a, button")].find((one) => named(one, name))?.focus();
  if (!talks.length)
    list.append(h("li", { class: "faint" }, search.value ? "Nothing found." : "No conversations yet."));
});

const named = (element, name) =>
  element.getAttribute("href") === name || element.getAttribute("aria-label") === name;

function row({ id, title, turns, updatedAt }) {
  const here = state.talk?.id === id;
  const asks = waiting.get(id);
  return h(
    "li",
    { class: here ? "here" : "" },
    h(
      "a",
      { href: `#/${id}`, "aria-current": here ? "page" : null, onclick: () => drawer(false) },
      h("span", { class: "talk-head" }, asks ? mark() : null, h("span", { class: "talk-title" }, title || "New conversation")),
      h(
        "span",
        { class: "faint" },
        [when(updatedAt), turns === 1 ? "1 turn" : `${turns ?? 0} turns`].filter(Boolean).join(" · "),
      ),
    ),
    iconButton(
      "trash",
      `Delete ${title || "this conversation"}`,
      guarded(() => drop(id, title)),
    ),
  );
}

const mark = () =>
  h(
    "span",
    { class: "dot", title: "waits for your permission" },
    h("span", { class: "sr" }, "waits for your permission"),
  );

async function drop(id, title) {
  const { sure } = await import("../dialog.js");
  const yes = await sure(
    "Delete this conversation?",
    `“${title || "New conversation"}” and what tools kept for it will be gone.`,
    "Delete",
  );
  if (!yes) return;
  await remove(path`/conversations/${id}`);
  toast("Deleted");
  if (state.talk?.id === id) location.hash = "#/";
  refresh();
}

export function drawer(open) {
  side.classList.toggle("open", open);
  document.getElementById("veil").hidden = !open;
  document.querySelector("main").inert = open;
  document.getElementById("side-open").setAttribute("aria-expanded", String(open));
  if (open) search.focus();
}

/** Reads a file that `export` wrote. */
export const importTalk = () => {
  const file = h("input", { type: "file", accept: ".json,application/json" });
  file.addEventListener(
    "change",
    guarded(async () => {
      const { id } = await post("/conversations/import", JSON.parse(await file.files[0].text()));
      location.hash = `#/${id}`;
      refresh();
    }),
  );
  file.click();
};

export function startTalks() {
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, 150);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    links[Math.max(0, Math.min(at + step, links.length - 1))].focus();
  });
  document.getElementById("new").addEventListener("click", () => {
    location.hash = "#/";
    drawer(false);
    document.getElementById("draft").focus();
  });
  document.getElementById("side-open").addEventListener("click", () => drawer(true));
  document.getElementById("side-close").addEventListener("click", () => drawer(false));
  document.getElementById("veil").addEventListener("click", () => drawer(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && side.classList.contains("open")) {
      drawer(false);
      document.getElementById("side-open").focus();
    } else if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (innerWidth < 800) drawer(true);
      search.focus();
    }
  });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
  on("talks", refresh);
  on("talk", refresh);
  on("answered", refresh);
  on("approvals", refresh);
}
