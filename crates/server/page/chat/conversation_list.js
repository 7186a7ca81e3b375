// The list of conversations: search, open, delete, import; a drawer on phones.

import { get, path, post, remove } from "../api.js";
import { confirmDialog } from "../dialog.js";
import { formatTime, guarded, h, iconButton, toast } from "../dom.js";
import { emit, on, state } from "../state.js";
import { t } from "../words.js";

const list = document.getElementById("conversations");
const search = document.getElementById("search");
const side = document.getElementById("side");
let pending = new Map(); // conversation → number of pending requests
let refreshCount = 0;

export const refresh = guarded(async () => {
  const attempt = (refreshCount += 1);
  const [conversations, approvals] = await Promise.all([
    get(`/conversations?search=${encodeURIComponent(search.value.trim())}`),
    get("/approvals").catch(() => null),
  ]);
  if (attempt !== refreshCount) return;
  if (approvals) emit("approvals_loaded", approvals);
  pending = new Map();
  for (const { request = {}, conversation } of approvals ?? []) {
    const id = conversation ?? request.conversation;
    pending.set(id, (pending.get(id) ?? 0) + 1);
  }
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const name = focused?.getAttribute("href") ?? focused?.getAttribute("aria-label");
  list.replaceChildren(...grouped(conversations));
  if (focused) [...list.querySelectorAll("a, button")].find((one) => hasName(one, name))?.focus();
  if (!conversations.length)
    list.append(h("li", { class: "faint" }, search.value ? t("No matches.") : t("No conversations yet.")));
});

const hasName = (element, name) =>
  element.getAttribute("href") === name || element.getAttribute("aria-label") === name;

const DAY = 24 * 60 * 60 * 1000;

/** The rows below headings of days. */
function grouped(conversations) {
  const today = new Date().setHours(0, 0, 0, 0);
  const dayOf = ({ updatedAt }) => {
    const at = new Date(updatedAt).getTime();
    if (at >= today) return t("Today");
    if (at >= today - DAY) return t("Yesterday");
    return at >= today - 6 * DAY ? t("Last seven days") : t("Earlier");
  };
  let last = "";
  return conversations.flatMap((one) => {
    const day = dayOf(one);
    const head = day === last ? [] : [h("li", { class: "day" }, day)];
    last = day;
    return [...head, row(one)];
  });
}

/** The text with the words that were searched for marked. */
function marked(text) {
  const wanted = search.value.trim().toLowerCase();
  const lower = text.toLowerCase();
  if (!wanted || lower.length !== text.length) return [text];
  const parts = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), h("mark", {}, text.slice(at, at + wanted.length)));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

function row({ id, title, turns, updatedAt, excerpt }) {
  const isOpen = state.conversation?.id === id;
  return h(
    "li",
    { class: isOpen ? "here" : "" },
    h(
      "a",
      { href: `#/${id}`, "aria-current": isOpen ? "page" : null, onclick: () => setDrawer(false) },
      h("span", { class: "conversation-head" }, pending.has(id) ? pendingDot() : null, h("span", { class: "conversation-title", dir: "auto" }, ...marked(title || t("New conversation")))),
      excerpt ? h("span", { class: "excerpt", dir: "auto" }, ...marked(excerpt)) : null,
      h(
        "span",
        { class: "faint" },
        [formatTime(updatedAt), t("{n} {n:turn|turns}", { n: turns ?? 0 })].filter(Boolean).join(" · "),
      ),
    ),
    iconButton(
      "trash",
      title ? t("Delete {name}", { name: title }) : t("Delete this conversation"),
      guarded(() => removeConversation(id, title)),
    ),
  );
}

const pendingDot = () =>
  h(
    "span",
    { class: "dot", title: t("needs your approval") },
    h("span", { class: "sr" }, t("needs your approval")),
  );

async function removeConversation(id, title) {
  const confirmed = await confirmDialog(
    t("Delete this conversation?"),
    t("“{name}” and the data tools stored for it will be deleted.", { name: title || t("New conversation") }),
    t("Delete"),
  );
  if (!confirmed) return;
  await remove(path`/conversations/${id}`);
  toast(t("Deleted"));
  try {
    localStorage.removeItem(`draft:${id}`);
  } catch {
    /* storage may be switched off */
  }
  if (state.conversation?.id === id) location.hash = "#/";
  refresh();
}

function setDrawer(open) {
  side.classList.toggle("open", open);
  document.getElementById("veil").hidden = !open;
  document.querySelector("main").inert = open;
  document.getElementById("side-open").setAttribute("aria-expanded", String(open));
  if (open) search.focus();
}

/** Imports a file written by `export`. */
export const importConversation = () => {
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

export function startConversationList() {
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
    setDrawer(false);
    document.getElementById("draft").focus();
  });
  document.getElementById("side-open").addEventListener("click", () => setDrawer(true));
  document.getElementById("side-close").addEventListener("click", () => setDrawer(false));
  document.getElementById("veil").addEventListener("click", () => setDrawer(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && side.classList.contains("open")) {
      setDrawer(false);
      document.getElementById("side-open").focus();
    } else if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (innerWidth < 800) setDrawer(true);
      search.focus();
    }
  });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
  on("conversations", refresh);
  // Without a conversation, the stream of requests asks for the list when it is open.
  on("conversation", (conversation) => conversation && refresh());
  on("answered", refresh);
  on("approvals_changed", refresh);
}
