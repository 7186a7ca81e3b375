// The groups of the conversation list: pinned, folders, days, archive. And the bar of tags above it.

import { guarded, h, iconButton } from "../dom.js";
import { icon } from "../icon.js";
import { attachMenu } from "../menu.js";
import { formatNumber, t } from "../words.js";

const DAY = 24 * 60 * 60 * 1000;
const TAGS_MAX = 30;
const CLOSED = "folders-closed";

/** The elements of the list; `row` draws one conversation. What is searched for is not in folders. */
export function grouped(conversations, folders, row, searched) {
  const archived = conversations.filter((one) => one.archived);
  const others = conversations.filter((one) => !one.archived);
  if (searched) return [...byDay(others, row), ...headed(t("Archived"), archived, row)];
  const inFolder = (folder) => others.filter((one) => !one.pinned && one.folder === folder.id);
  return [
    ...headed(t("Pinned"), others.filter((one) => one.pinned), row),
    ...folders.map((folder) => drawFolder(folder, inFolder(folder), row)),
    ...byDay(others.filter((one) => !one.pinned && !one.folder), row),
    ...(archived.length ? [archiveEntry(archived.length)] : []),
  ];
}

const headed = (title, conversations, row) =>
  conversations.length ? [h("li", { class: "day" }, title), ...conversations.map(row)] : [];

function byDay(conversations, row) {
  const today = new Date().setHours(0, 0, 0, 0);
  const dayOf = ({ updatedAt }) => {
    const at = new Date(updatedAt).getTime();
    if (at >= today) return t("Today");
    if (at >= today - DAY) return t("Yesterday");
    return at >= today - 7 * DAY ? t("Previous 7 days") : t("Earlier");
  };
  let last = "";
  return conversations.flatMap((one) => {
    const day = dayOf(one);
    const head = day === last ? [] : [h("li", { class: "day" }, day)];
    last = day;
    return [...head, row(one)];
  });
}

/** A folder opens and closes; the browser remembers which are closed. */
function drawFolder(folder, conversations, row) {
  const id = `folder-${folder.id}`;
  const rows = h("ul", { id }, conversations.map(row));
  if (!conversations.length) rows.append(h("li", { class: "faint" }, t("Nothing in here.")));
  const isClosed = closed().includes(folder.id);
  const head = h(
    "button",
    { type: "button", class: "folder-name", "aria-expanded": String(!isClosed), "aria-controls": id },
    icon("chevron"),
    icon("folder"),
    h("span", { class: "sr" }, t("Folder")),
    h("span", { class: "conversation-title", dir: "auto" }, folder.name),
    h("span", { class: "count" }, formatNumber(conversations.length)),
  );
  rows.hidden = isClosed;
  head.addEventListener("click", () => {
    rows.hidden = !rows.hidden;
    head.setAttribute("aria-expanded", String(!rows.hidden));
    const others = closed().filter((one) => one !== folder.id);
    remember(rows.hidden ? [...others, folder.id] : others);
  });
  const more = iconButton("more", t("Actions for the folder {name}", { name: folder.name }));
  attachMenu(more, async () => (await import("./folders.js")).folderEntries(folder, conversations.length));
  return h("li", { class: "folder-group", "data-folder": folder.id }, h("div", { class: "folder-head" }, head, more), rows);
}

function closed() {
  try {
    const ids = JSON.parse(localStorage.getItem(CLOSED) ?? "[]");
    return Array.isArray(ids) ? ids : [];
  } catch {
    return [];
  }
}

function remember(ids) {
  try {
    localStorage.setItem(CLOSED, JSON.stringify(ids.slice(-100)));
  } catch {
    /* storage may be switched off or full */
  }
}

function archiveEntry(count) {
  const show = guarded(async () => (await import("./archived.js")).showArchived());
  const label = h("span", {}, t("Archived"));
  const button = h("button", { type: "button", class: "ghost", onclick: show }, icon("archive"), label, h("span", { class: "count" }, formatNumber(count)));
  return h("li", { class: "archive-entry" }, button);
}

const bar = h("div", { class: "tag-bar", role: "group", "aria-label": t("Tags"), hidden: true });
let known = []; // the tags of all conversations, the most used first

/** A button for each tag; a click filters the list by it, and a second click shows all again. */
export function drawTags(conversations, searched, search) {
  if (!bar.isConnected) document.getElementById("conversations").before(bar);
  if (!searched) known = counted(conversations);
  const focused = bar.contains(document.activeElement) ? document.activeElement.textContent : null;
  bar.hidden = !known.length;
  bar.replaceChildren(
    ...known.map((tag) => {
      const isOn = searched.toLowerCase().split(/\s+/).includes(`tag:${tag}`);
      const onclick = () => search(isOn ? "" : `tag:${tag}`);
      return h("button", { type: "button", class: "tag", "aria-pressed": String(isOn), onclick }, tag);
    }),
  );
  [...bar.children].find((one) => one.textContent === focused)?.focus();
}

function counted(conversations) {
  const counts = new Map();
  for (const { tags = [] } of conversations.filter((one) => !one.archived))
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  return sorted.map(([tag]) => tag).slice(0, TAGS_MAX);
}
