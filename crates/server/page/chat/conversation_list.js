// The list of conversations: search, open, put in order, import; a drawer on phones.

import { get, post } from "../api.js";
import { formatTime, guarded, h, iconButton } from "../dom.js";
import { attachMenu } from "../menu.js";
import { drawTags, grouped } from "../organise/groups.js";
import { emit, on, state } from "../state.js";
import { t } from "../words.js";

const list = document.getElementById("conversations");
const search = document.getElementById("search");
const side = document.getElementById("side");
let pending = new Map(); // conversation → number of pending requests
let refreshCount = 0;

export const refresh = guarded(async () => {
  const attempt = (refreshCount += 1);
  const searched = search.value.trim();
  const [conversations, approvals] = await Promise.all([
    get(`/conversations?archived=all&search=${encodeURIComponent(searched)}`),
    get("/approvals").catch(() => null),
  ]);
  const folders = await foldersOf(conversations);
  if (attempt !== refreshCount) return;
  state.folders = folders;
  if (approvals) emit("approvals_loaded", approvals);
  pending = new Map();
  for (const { request = {}, conversation } of approvals ?? []) {
    const id = conversation ?? request.conversation;
    pending.set(id, (pending.get(id) ?? 0) + 1);
  }
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const name = focused && nameOf(focused);
  drawTags(conversations, searched, searchFor);
  list.replaceChildren(...grouped(conversations, folders, row, searched));
  if (focused) [...list.querySelectorAll("a, button")].find((one) => nameOf(one) === name)?.focus();
  if (!list.children.length)
    list.append(h("li", { class: "faint" }, searched ? t("No matches.") : t("No conversations yet.")));
});

/** The session has the folders of the first load; later they are asked for if there are any. */
async function foldersOf(conversations) {
  if (!state.folders) return (await state.started, state.session.folders ?? []);
  return state.folders.length || conversations.some((one) => one.folder) ? get("/folders") : [];
}

function searchFor(text) {
  search.value = text;
  refresh();
}

/** What stays the same when an element is drawn again. */
const nameOf = (element) =>
  ["href", "aria-label", "aria-controls"].map((name) => element.getAttribute(name)).find(Boolean);

/** The text with the words that were searched for marked. */
function marked(text) {
  const words = search.value.trim().toLowerCase().split(/\s+/);
  const wanted = words.filter((word) => !/^tag:\S/.test(word)).join(" ");
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

function row(conversation) {
  const { id, title, turns, updatedAt, excerpt, tags = [] } = conversation;
  const isOpen = state.conversation?.id === id;
  const actions = iconButton("more", title ? t("Actions for {name}", { name: title }) : t("Actions for this conversation"));
  attachMenu(actions, async () => (await import("../organise/row_menu.js")).rowEntries(conversation));
  const onclick = (event) => {
    const tag = event.target.closest(".tag");
    if (!tag) return setDrawer(false);
    event.preventDefault();
    return searchFor(`tag:${tag.textContent}`);
  };
  const ondragstart = ({ dataTransfer }) => {
    dataTransfer.effectAllowed = "move";
    loadDragging().then(({ beginDrag }) => beginDrag(conversation));
  };
  return h(
    "li",
    { class: isOpen ? "here" : "" },
    h(
      "a",
      { href: `#/${id}`, "aria-current": isOpen ? "page" : null, onclick, ondragstart },
      h("span", { class: "conversation-head" }, pending.has(id) ? pendingDot() : null, h("span", { class: "conversation-title", dir: "auto" }, ...marked(title || t("New conversation")))),
      excerpt ? h("span", { class: "excerpt", dir: "auto" }, ...marked(excerpt)) : null,
      h(
        "span",
        { class: "faint" },
        [formatTime(updatedAt), t("{n} {n:turn|turns}", { n: turns ?? 0 })].filter(Boolean).join(" · "),
      ),
      tags.length ? h("span", { class: "row-tags" }, tags.map((tag) => h("span", { class: "tag" }, tag))) : null,
    ),
    actions,
  );
}

/** Dragging into folders is loaded with the first drag. */
const loadDragging = () => import("../organise/dragging.js");

const pendingDot = () =>
  h(
    "span",
    { class: "dot", title: t("needs your approval") },
    h("span", { class: "sr" }, t("needs your approval")),
  );

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
    const links = [...list.querySelectorAll("a")].filter((one) => one.checkVisibility());
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    links[Math.max(0, Math.min(at + step, links.length - 1))].focus();
  });
  const begin = (temporary) => () => {
    state.newTemporary = temporary;
    if (location.hash.length > 2) location.hash = "#/";
    else emit("welcome");
    setDrawer(false);
    document.getElementById("draft").focus();
  };
  document.getElementById("new").addEventListener("click", begin(false));
  document.getElementById("new-temporary").addEventListener("click", begin(true));
  document.getElementById("side-open").addEventListener("click", () => setDrawer(true));
  const leave = () => {
    setDrawer(false);
    document.getElementById("side-open").focus();
  };
  document.getElementById("side-close").addEventListener("click", leave);
  document.getElementById("veil").addEventListener("click", () => setDrawer(false));
  document.addEventListener("keydown", (event) => {
    // A dialog above the drawer closes first.
    if (event.key === "Escape" && side.classList.contains("open") && !document.querySelector("dialog[open]")) leave();
    else if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
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
